package studio

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/media"
)

// studioForm is the form of one operation of a model, as its declaration has it.
type studioForm struct {
	Token    string // of this form: sent twice, it orders once
	Model    studioModel
	Kinds    []studioKind
	Modes    []studioMode
	About    string    // the operation
	Inputs   []setting // prompt and files
	Main     []setting
	More     []setting // folded away
	Open     bool      // something folded away wants to be seen
	Problem  string    // what is wrong with no field in particular
	Code     string
	Estimate *estimate

	operation *media.Operation
}

// studioModel is a model in the picker.
type studioModel struct {
	ID, Name, About, Kind, Price string
	Modes                        []string
	Current                      bool
}

// studioKind is a part of the picker.
type studioKind struct {
	Name, Label string
	Models      []studioModel
}

type studioMode struct {
	ID, Label string
	Current   bool
}

// mainSettings is how many parameters are shown without unfolding the rest.
const mainSettings = 5

func (c *Room) newStudioForm(models []media.Model, model *media.Model, o *media.Operation) *studioForm {
	f := &studioForm{Model: describeModel(model), About: o.Description, operation: o}
	for _, kind := range media.Types() {
		part := studioKind{Name: kind, Label: kindLabel(kind)}
		for i := range models {
			if models[i].MediaType == kind {
				m := describeModel(&models[i])
				m.Current = m.ID == model.ID
				part.Models = append(part.Models, m)
			}
		}
		if len(part.Models) > 0 {
			f.Kinds = append(f.Kinds, part)
		}
	}
	for _, mode := range model.Modes() {
		f.Modes = append(f.Modes, studioMode{mode, modeLabel(mode), mode == o.Mode})
	}
	for _, name := range media.Inputs() {
		if o.Takes(name) {
			f.Inputs = append(f.Inputs, inputSetting(o, name))
		}
	}
	for i := range o.Parameters {
		s := parameterSetting(&o.Parameters[i])
		few := len(o.Parameters) <= mainSettings+2
		if few || s.Required || s.Widget == "seed" || len(f.Main) < mainSettings && o.Parameters[i].Default != nil {
			f.Main = append(f.Main, s)
		} else {
			f.More = append(f.More, s)
		}
	}
	return f
}

func describeModel(m *media.Model) studioModel {
	d := studioModel{ID: m.ID, Name: m.Name, About: m.Description, Kind: m.MediaType, Price: priceFrom(m)}
	for _, mode := range m.Modes() {
		d.Modes = append(d.Modes, modeLabel(mode))
	}
	return d
}

// each goes through every setting of the form.
func (f *studioForm) each(do func(s *setting)) {
	for _, part := range [][]setting{f.Inputs, f.Main, f.More} {
		for i := range part {
			do(&part[i])
		}
	}
}

// fill puts an order into the form. Files that are gone are left out.
func (c *Room) fill(r *http.Request, v access.Visitor, f *studioForm, o studioOrder) {
	f.each(func(s *setting) {
		switch {
		case s.Name == "prompt":
			s.Value = o.prompt
		case s.Widget == "files":
			for _, id := range page.FewFiles(o.files[s.Name]) {
				if found, err := c.Files.File(r.Context(), v.Session.Workspace, id); err == nil {
					given := c.givenInput(found)
					given.Field = s.Name
					s.Files = append(s.Files, given)
				}
			}
		default:
			if value, ok := o.values[s.Name]; ok {
				s.set(page.FormTexts(value))
			}
		}
	})
	f.unfold()
}

// refill puts what a person has sent into the form again.
func (c *Room) refill(r *http.Request, v access.Visitor, f *studioForm, sent url.Values) {
	o := studioOrder{prompt: sent.Get("prompt"), files: make(map[string][]string)}
	for _, name := range media.Inputs() {
		for _, given := range sent[name] {
			if id, ok := c.Files.Own(given); ok {
				o.files[name] = append(o.files[name], id)
			}
		}
	}
	c.fill(r, v, f, o)
	f.each(func(s *setting) {
		if list, ok := sent[s.Name]; ok && s.Name != "prompt" && s.Widget != "files" {
			s.set(list)
		}
	})
	f.unfold()
}

// unfold shows what is folded away where something there is not as usual.
func (f *studioForm) unfold() {
	f.Open = slices.ContainsFunc(f.More, func(s setting) bool { return s.Problem != "" || s.isChanged() })
}

// blame puts an error beside the field it is about.
func (f *studioForm) blame(err error) {
	e := fault.From(err)
	name, _ := e.Details["field"].(string)
	found := false
	f.each(func(s *setting) {
		if s.Name == name && name != "" {
			s.Problem, s.Code, found = problemWords(e, s), string(e.Code), true
		}
	})
	if !found {
		f.Problem, f.Code = e.Message, string(e.Code)
	}
	f.unfold()
}

// problemWords is an error as it stands beside a field, whose name is there already.
func problemWords(e *fault.Error, s *setting) string {
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(e.Message, s.Name+":"), s.Name+" "))
	switch {
	case e.Code == fault.MissingParameter && text == "is missing.":
		return "This is needed."
	case text == "":
		return e.Message
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// givenFile is a file in the form.
type givenFile struct {
	ID, Name, Kind string
	Small          string // address of a picture of it, "" for none
	Field          string // that it is given in, "" where that is not known
}

func (c *Room) givenInput(f *file.File) givenFile {
	g := givenFile{ID: f.ID, Name: f.Name, Kind: f.Kind}
	if f.Kind == file.Image {
		g.Small = c.smallAddress(f.ID)
	}
	return g
}

// readOrder makes a request of what a form has sent, in the words of the public
// API. What is as the model has it anyway is left out: a value that is given may
// rule out others, a default does not.
func readOrder(model string, o *media.Operation, sent url.Values) (media.Ask, error) {
	fields := map[string]any{"model": model, "mode": o.Mode}
	if prompt := page.Newlines(sent.Get("prompt")); strings.TrimSpace(prompt) != "" {
		fields["prompt"] = prompt
	}
	for _, name := range media.Inputs()[1:] {
		var list []any
		for _, given := range sent[name] {
			if given = strings.TrimSpace(given); given != "" {
				list = append(list, given)
			}
		}
		switch {
		case len(list) == 0:
		case media.Lists(name):
			fields[name] = list
		default:
			fields[name] = list[0]
		}
	}
	for i := range o.Parameters {
		p := &o.Parameters[i]
		if values := sentValues(p, sent[p.Name]); len(values) > 0 && !usualValue(p, values) {
			fields[p.Name] = typedValue(p, values)
		}
	}
	return media.Parse(fields)
}

// sentValues are what was sent for a parameter, without what is empty.
func sentValues(p *media.Parameter, sent []string) []string {
	if p.Type == "boolean" && len(sent) > 0 {
		return sent[len(sent)-1:]
	}
	if p.Type == "array" && len(p.Values) == 0 {
		sent = strings.Split(page.Newlines(strings.Join(sent, "\n")), "\n")
	}
	var values []string
	for _, v := range sent {
		if strings.TrimSpace(v) != "" {
			values = append(values, page.Newlines(v))
		}
	}
	if p.Type != "array" && len(values) > 1 {
		values = values[:1]
	}
	return values
}

// usualValue reports whether values are what the parameter has without any.
func usualValue(p *media.Parameter, values []string) bool {
	if p.Required {
		return false
	}
	if p.Default == nil {
		return p.Type == "boolean" && values[0] == "false"
	}
	return strings.Join(values, "\n") == strings.Join(page.FormTexts(p.Default), "\n")
}

// typedValue gives values the types that JSON would have given them.
func typedValue(p *media.Parameter, values []string) any {
	if p.Type == "array" {
		return page.ParseValues(p.Items, values)
	}
	return page.ParseValue(p.Type, values[0])
}
