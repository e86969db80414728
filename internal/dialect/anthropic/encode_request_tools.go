package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

// dated is the type of a tool that Anthropic defined.
var dated = pattern.New(`_20\d{6}$`)

// writeTools writes the tools that the model may call.
func (w *requestWriter) writeTools() error {
	defined := make(map[string]chat.Tool, len(w.talk.Tools))
	allowed := w.allowedTools()
	w.relax(allowed)
	for _, t := range w.talk.Tools {
		if allowed != nil && !allowed[t.Name] {
			continue
		}
		if t.Offer == chat.Abroad { // the API is told of it elsewhere
			defined[t.Name] = t
			continue
		}
		if twin, ok := defined[t.Name]; ok {
			if !sameTool(&twin, &t) {
				return refuse(chat.LostTool(t, chat.Dropped, ""), "there is another tool called %q.", t.Name)
			}
			w.lose(chat.LostTool(t, chat.Ignored, "defined twice"))
			continue
		}
		defined[t.Name] = t
		b, err := w.writeTool(&t)
		if err != nil {
			return err
		}
		w.tools = append(w.tools, b)
	}
	if len(w.talk.Tools) == 0 {
		w.recall()
	}
	for _, name := range append(slices.Clone(w.talk.Choice.Names), w.talk.Choice.Name) {
		if _, ok := defined[name]; !ok && name != "" {
			return refuse(droppedField(chat.FieldChoice), "there is no tool called %q.", name)
		}
	}
	return nil
}

// allowedTools is the tools that the choice leaves in; nil: all.
func (w *requestWriter) allowedTools() map[string]bool {
	choice := &w.talk.Choice
	if choice.Mode != chat.Allowed && choice.Mode != chat.Validated || len(choice.Names) == 0 {
		return nil
	}
	names := make(map[string]bool, len(choice.Names))
	for _, name := range choice.Names {
		names[name] = true
	}
	return names
}

func sameTool(a, b *chat.Tool) bool {
	strict := func(t *chat.Tool) bool { return t.Strict != nil && *t.Strict }
	return a.Kind == b.Kind && a.Description == b.Description && strict(a) == strict(b) &&
		dialect.SameJSON(a.Schema, b.Schema) && dialect.SameJSON(a.Grammar, b.Grammar) && dialect.SameJSON(a.Raw, b.Raw)
}

// recall defines the tools that were called before and are no longer offered:
// the API refuses calls of tools it was not told of.
func (w *requestWriter) recall() {
	known := make(map[string]bool)
	for _, m := range w.talk.Messages {
		for _, p := range m.Parts {
			if p.Kind != chat.ToolCall || m.Role != chat.Assistant || known[p.Name] {
				continue
			}
			known[p.Name] = true
			b := jsonscan.AppendText([]byte(`{"name":`), w.names.To(p.Name))
			w.tools = append(w.tools, block{json: append(b, `,"input_schema":`+dialect.NoParameter...)})
		}
	}
	if len(known) > 0 {
		w.choice = []byte(`{"type":"none"}`)
		w.lose(chat.Lost(chat.FieldTools, chat.Added, "those that were called before, not to be called again"))
	}
}

// writeTool writes one definition.
func (w *requestWriter) writeTool(t *chat.Tool) (block, error) {
	if t.Kind == chat.Server || t.Kind == chat.Client {
		raw := bytes.TrimSpace(t.Raw)
		if !dated().MatchString(jsonscan.At(raw, 0).Get("type").View()) {
			return block{}, refuse(chat.LostTool(*t, chat.Dropped, ""), "%s.", dialect.WhyElsewhere(t))
		}
		return block{json: bytes.Clone(raw[:len(raw)-1]), cache: t.Cache}, nil
	}
	schema, strict, description := json.RawMessage(dialect.FreeText), false, w.grammar(t)
	if t.Kind != chat.Custom {
		schema, strict = w.schema(t)
	}
	out := new(jsonscan.Writer).Open(jsonscan.Object).Key("name").Text(w.names.To(t.Name))
	if description != "" {
		out.Key("description").Text(description)
	}
	if out.Key("input_schema").Raw(schema); strict {
		out.Key("strict").Bool(true)
	}
	return block{json: w.writeRest(t.Raw, out.Bytes()), cache: t.Cache}, nil
}

// grammar is a tool's description and, of one that takes words, what they must be like.
func (w *requestWriter) grammar(t *chat.Tool) string {
	if t.Kind != chat.Custom {
		return t.Description
	}
	w.lose(chat.LostTool(*t, chat.Approximated, "free text as the argument input"))
	return dialect.InWords(t)
}

// schema is what the arguments must be like, and whether the API is to enforce it.
func (w *requestWriter) schema(t *chat.Tool) (json.RawMessage, bool) {
	if len(t.Schema) == 0 {
		return json.RawMessage(dialect.NoParameter), false
	}
	if ordered, changed := dialect.OrderProperties(t.Schema); changed {
		own := *t
		own.Schema, t = ordered, &own
		w.lose(chat.LostTool(*t, chat.Ignored, dialect.OrderNote))
	}
	strict := t.Strict != nil && *t.Strict && !w.relaxed
	if strict && w.can.format {
		schema, note, ok := toStrictSchema(t.Schema)
		for key := range jsonscan.At(t.Schema, 0).Get("properties").Members() {
			if ok && !isLegalProperty(key.Name) {
				note, ok = "a property has an odd name", false
			}
		}
		if jsonscan.At(schema, 0).Get("type").View() != "object" && ok {
			note, ok = "there are alternatives at its root", false
		}
		if ok && note != "" {
			w.lose(chat.LostTool(*t, chat.Approximated, note))
		}
		if ok {
			return schema, true
		}
		w.lose(chat.LostTool(*t, chat.Dropped, "strict: "+note))
	} else if strict {
		w.lose(chat.LostTool(*t, chat.Dropped, "strict: the model does not know it"))
	}
	schema, note := toObjectSchema(t.Schema)
	if note != "" {
		w.lose(chat.LostTool(*t, chat.Approximated, note))
	}
	return schema, false
}

// writeRest writes what else a client of this dialect said of a part or a tool.
func (w *requestWriter) writeRest(raw json.RawMessage, b []byte) []byte {
	if !w.ours || len(raw) == 0 {
		return b
	}
	for key, v := range jsonscan.At(raw, 0).Members() {
		b = append(jsonscan.AppendText(append(b, ','), key.Name), ':')
		b = append(b, v.Raw()...)
	}
	return b
}

// writeChoice writes how tools are chosen. Some models, and older ones that were asked to think, bear no
// force: then the model is told in words.
func (w *requestWriter) writeChoice(p *plan) {
	choice := &w.talk.Choice
	forced := choice.Mode == chat.Required || choice.Mode == chat.Named || choice.Mode == chat.Allowed && choice.Forced
	if len(w.tools) == 0 || w.choice != nil {
		if forced {
			w.lose(chat.Lost(chat.FieldChoice, chat.Dropped, "there are no tools"))
		}
		return
	}
	kind := "auto"
	switch {
	case choice.Mode == chat.None:
		w.choice = []byte(`{"type":"none"}`)
		return
	case choice.Mode == chat.Unset && !choice.Serial:
		return
	case forced && (!w.can.forced || p.kind == thinkEnabled || p.kind == thinkAdaptive && !w.can.both):
		w.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "asked for in words"))
		w.system = append(w.system, newTextBlock(dialect.MustCall(w.names.To, choice.Name), nil))
	case choice.Mode == chat.Named:
		kind = "tool"
	case forced:
		kind = "any"
	}
	if choice.Mode == chat.Allowed || choice.Mode == chat.Validated && len(choice.Names) > 0 {
		w.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "only the allowed tools are offered"))
	} else if choice.Mode == chat.Validated {
		w.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "auto"))
	}
	out := writeBlock(new(jsonscan.Writer), kind)
	if kind == "tool" {
		out.Key("name").Text(w.names.To(choice.Name))
	}
	if choice.Serial {
		out.Key("disable_parallel_tool_use").Bool(true)
	}
	w.choice = out.Close(jsonscan.Object).Bytes()
}
