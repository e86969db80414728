package studio

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
)

// studioOrder is what a form begins with: an earlier order, or a part of one.
type studioOrder struct {
	model, mode string
	prompt      string
	files       map[string][]string // ids, by the field they are given in
	values      map[string]any
}

func orderOf(t *generation.Task) studioOrder {
	o := studioOrder{model: t.Model, mode: t.Mode, prompt: t.Order.Prompt, files: make(map[string][]string), values: t.Order.Parameters}
	for _, s := range t.Order.Sources {
		o.files[s.Field] = append(o.files[s.Field], s.File)
	}
	return o
}

// with is the order with a file as its input: in a mode that must have such a
// file, of the model that is asked for if it has one, else of the first that does.
func (o studioOrder) with(f *file.File, models []media.Model) studioOrder {
	o.files = make(map[string][]string)
	ordered := slices.Clone(models)
	slices.SortStableFunc(ordered, func(a, b media.Model) int {
		return nearness(a.ID == o.model, a.MediaType == f.Kind) - nearness(b.ID == o.model, b.MediaType == f.Kind)
	})
	for _, must := range []bool{true, false} {
		for _, m := range ordered {
			for i := range m.Operations {
				op := &m.Operations[i]
				for _, field := range media.Inputs() {
					if media.Takes(field) == f.Kind && f.Kind != "" && (slices.Contains(op.Input.Required, field) || !must && op.Takes(field)) {
						o.model, o.mode, o.files[field], o.values = m.ID, op.Mode, []string{f.ID}, nil
						return o
					}
				}
			}
		}
	}
	return o
}

func nearness(same, kind bool) int {
	switch {
	case same:
		return 0
	case kind:
		return 1
	}
	return 2
}

// exactRequest is a task's order as a client would send it.
func exactRequest(t *generation.Task) jsontext.Value {
	members := []jsonMember{{"model", t.Model}}
	if t.App != "" {
		members = nil // an app's run has its inputs and nothing else
	} else {
		members = append(members, jsonMember{"mode", t.Mode})
	}
	if t.Order.Prompt != "" {
		members = append(members, jsonMember{"prompt", t.Order.Prompt})
	}
	files := orderOf(t).files
	for _, field := range media.Inputs() {
		switch list := files[field]; {
		case len(list) == 0 || t.App != "": // an app's files are among its parameters
		case media.Lists(field):
			members = append(members, jsonMember{field, list})
		default:
			members = append(members, jsonMember{field, list[0]})
		}
	}
	var names []string
	for name := range t.Order.Parameters {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		members = append(members, jsonMember{name, t.Order.Parameters[name]})
	}
	if t.Webhook != "" {
		members = append(members, jsonMember{"webhook_url", t.Webhook})
	}
	return jsonObject(members)
}

// jsonMember is a member of a JSON object whose order is kept.
type jsonMember struct {
	name  string
	value any
}

func jsonObject(members []jsonMember) jsontext.Value {
	var text strings.Builder
	out := jsontext.NewEncoder(&text, jsontext.WithIndent("  "), jsontext.EscapeForHTML(false))
	_ = out.WriteToken(jsontext.BeginObject) // into memory: nothing here fails
	for _, m := range members {
		_ = out.WriteToken(jsontext.String(m.name))
		_ = json.MarshalEncode(out, m.value, json.Deterministic(true))
	}
	_ = out.WriteToken(jsontext.EndObject)
	return jsontext.Value(strings.TrimSpace(text.String()))
}
