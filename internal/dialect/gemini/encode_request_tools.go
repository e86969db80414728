package gemini

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// writeTools writes tools and toolConfig: one Tool with all functions, and one for
// each that runs at Google.
func (w *requestWriter) writeTools() {
	if len(w.talk.Tools) > 0 {
		w.Key("tools").Open(jsonscan.Array)
		w.writeFunctions()
		for i := range w.talk.Tools {
			switch t := &w.talk.Tools[i]; {
			case dialect.FindsTools(t):
				w.lose(chat.LostTool(*t, chat.Ignored, dialect.AllOffered))
			case t.Kind == chat.Server:
				w.writeServerTool(t)
			}
		}
		w.Close(jsonscan.Array)
	}
	w.writeChoice()
}

// writeFunctions writes one list of declarations. The same tool twice is one.
func (w *requestWriter) writeFunctions() {
	begun := false
	for i := range w.talk.Tools {
		t := &w.talk.Tools[i]
		if i >= mostTools {
			w.refuse(chat.LostTool(*t, chat.Dropped, ""), "there are more than %d tools", mostTools)
			break
		}
		if t.Kind == chat.Server || w.hasTwin(t, i) {
			continue
		}
		if !begun {
			begun = true
			w.Open(jsonscan.Object).Key("functionDeclarations").Open(jsonscan.Array)
		}
		w.declare(t)
	}
	if begun {
		w.Close(jsonscan.Array).Close(jsonscan.Object)
	}
}

// hasTwin reports whether a tool is there already. Two different ones of the same
// name are refused.
func (w *requestWriter) hasTwin(t *chat.Tool, i int) bool {
	if w.declared == nil {
		w.declared = make(map[string]int)
	}
	at, there := w.declared[t.Name]
	if !there {
		w.declared[t.Name] = i
		return false
	}
	o := &w.talk.Tools[at]
	if o.Kind != t.Kind || o.Description != t.Description || !dialect.SameJSON(o.Schema, t.Schema) {
		w.refuse(chat.LostTool(*t, chat.Dropped, ""), "there are two different tools named %q", t.Name)
	}
	w.lose(chat.LostTool(*t, chat.Ignored, "the same tool is there already"))
	return true
}

func (w *requestWriter) declare(t *chat.Tool) {
	sent := w.names.To(t.Name)
	if sent != t.Name {
		w.lose(chat.LostTool(*t, chat.Ignored, "called "+sent+" on the way"))
	}
	w.Open(jsonscan.Object).Key("name").Text(sent)
	description, schema := t.Description, t.Schema
	if t.Kind == chat.Client {
		w.lose(chat.LostTool(*t, chat.Approximated, "a function with its published schema"))
	}
	if t.Kind == chat.Custom {
		description, schema = dialect.InWords(t), []byte(dialect.FreeText)
		w.lose(chat.LostTool(*t, chat.Approximated, "sent as a function with one string"))
	}
	writeText(&w.Writer, "description", description)
	schema = w.loosen(schema, chat.LostTool(*t, chat.Approximated, "bounds of its arguments: in words only"))
	if written, notes := rewrite(schema, true); written != nil {
		w.Key("parametersJsonSchema").Raw(written)
		if l, changed := notes.toLoss(chat.LostTool(*t, chat.Approximated, "")); changed {
			w.lose(l)
		}
	}
	if w.ours && t.Raw != nil && t.Kind == chat.Function {
		w.WriteInside(jsonscan.Root(t.Raw))
	}
	w.Close(jsonscan.Object)
}

// loosen takes the bounds out of a schema that is too much for the API with them, and says so; it gives types to what has none, where
// Google's cloud wants them.
func (w *requestWriter) loosen(schema []byte, l chat.Loss) []byte {
	if w.refuses(dialect.SchemaTypes) {
		typed, changed := dialect.TypeSchema(schema)
		if schema = typed; changed {
			told := l
			told.Note = "types stand where the provider looks for them"
			w.lose(told)
		}
	}
	if !w.target.Loose {
		return schema
	}
	loose, changed := dialect.LoosenSchema(schema)
	if changed {
		w.lose(l)
	}
	return loose
}

// writeServerTool writes a tool that runs at Google; another upstream's is refused.
func (w *requestWriter) writeServerTool(t *chat.Tool) {
	own := jsonscan.Root(t.Raw)
	if own.Get(t.Name).Exists() && own.Len() == 1 {
		w.Raw(t.Raw)
		return
	}
	w.refuse(chat.LostTool(*t, chat.Dropped, ""), "%s", dialect.WhyElsewhere(t))
}

// writeChoice writes toolConfig.
func (w *requestWriter) writeChoice() {
	want := &w.talk.Choice
	if want.Serial && w.offersFunctions() && want.Mode != chat.None {
		w.lose(chat.Lost(chat.FieldParallel, chat.Dropped, "the API has no switch for it"))
	}
	mode, names := w.chooseMode(want)
	if w.target.Loose {
		mode, names = w.chooseLoosely(mode, names)
	}
	if mode == "" && !w.has("toolConfig") {
		return
	}
	w.Key("toolConfig").Open(jsonscan.Object)
	if mode != "" || w.has("toolConfig.functionCallingConfig") {
		w.Key("functionCallingConfig").Open(jsonscan.Object)
		writeText(&w.Writer, "mode", mode)
		if len(names) > 0 {
			w.Key("allowedFunctionNames").Open(jsonscan.Array)
			for _, n := range names {
				w.Text(w.names.To(n))
			}
			w.Close(jsonscan.Array)
		}
		w.writeExtrasOf("toolConfig.functionCallingConfig")
		w.Close(jsonscan.Object)
	}
	w.writeExtrasOf("toolConfig")
	w.Close(jsonscan.Object)
}

// narrowTools offers only the tools that may be called, to a model that cannot be told which of them those are.
func (w *requestWriter) narrowTools() {
	want := w.talk.Choice
	if !w.refuses(validated) || len(want.Names) == 0 || want.Mode != chat.Validated && (want.Mode != chat.Allowed || want.Forced) {
		return
	}
	w.keepExisting(want.Names)
	w.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "only the allowed tools are offered"))
	offered := *w.talk
	offered.Tools = slices.DeleteFunc(slices.Clone(offered.Tools), func(t chat.Tool) bool { return t.Kind != chat.Server && !slices.Contains(want.Names, t.Name) })
	offered.Choice = chat.Choice{Mode: chat.Auto, Serial: want.Serial}
	w.talk = &offered
}

func (w *requestWriter) chooseMode(want *chat.Choice) (mode string, names []string) {
	functions, strict, served := 0, 0, false
	for i := range w.talk.Tools {
		t := &w.talk.Tools[i]
		served = served || t.Kind == chat.Server
		if t.Kind != chat.Server {
			functions++
			if t.Strict != nil && *t.Strict {
				strict++
			}
		}
	}
	if functions == 0 {
		if want.Mode != chat.Unset && want.Mode != chat.None && want.Mode != chat.Auto {
			w.lose(chat.Lost(chat.FieldChoice, chat.Dropped, "there are no tools"))
		}
		return "", nil
	}
	switch want.Mode {
	case chat.None:
		return "NONE", nil
	case chat.Required:
		return "ANY", nil
	case chat.Named:
		return "ANY", w.keepExisting([]string{want.Name})
	case chat.Allowed:
		if want.Forced {
			return "ANY", w.keepExisting(want.Names)
		}
		w.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "VALIDATED with the names"))
		return "VALIDATED", w.keepExisting(want.Names)
	case chat.Validated:
		if w.refuses(validated) {
			w.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "AUTO: the model does not take it"))
			return "AUTO", nil
		}
		return "VALIDATED", w.keepExisting(want.Names)
	case chat.Auto, chat.Unset:
	}
	return w.chooseFreely(want.Mode, functions, strict, served), nil
}

// chooseFreely finds the mode where the model chooses. Tools that must be called strictly
// by their schema are so if all of them must.
func (w *requestWriter) chooseFreely(want chat.ChoiceMode, functions, strict int, served bool) string {
	switch {
	case strict > 0 && w.refuses(validated):
		w.lose(chat.Lost(chat.FieldTools, chat.Approximated, "not strict: the model does not take it"))
	case strict == functions:
		return "VALIDATED"
	case strict > 0:
		w.lose(chat.Lost(chat.FieldTools, chat.Approximated, "strict holds only where all tools are"))
	}
	if want == chat.Auto && !served {
		return "AUTO"
	}
	return ""
}

// chooseLoosely finds a mode in which the API does not hold calls to their schemas: it takes more of them then
// (googleapis/python-genai#2133, #2293). Only the names of a choice among some tools need the other ones.
func (w *requestWriter) chooseLoosely(mode string, names []string) (string, []string) {
	want := &w.talk.Choice
	switch {
	case mode == "ANY" && (want.Mode == chat.Required || want.Mode == chat.Named):
		w.lines = append(w.lines, dialect.MustCall(w.names.To, want.Name))
		w.lose(chat.Lost(chat.FieldChoice, chat.Approximated, "asked for in words"))
	case mode == "VALIDATED" && len(names) == 0:
		w.lose(chat.Lost(chat.FieldTools, chat.Approximated, "not strict: it is too much for the API"))
	default:
		return mode, names
	}
	return "AUTO", nil
}

// keepExisting checks that the tools that are named are there.
func (w *requestWriter) keepExisting(names []string) []string {
	there := make(map[string]bool, len(w.talk.Tools))
	for i := range w.talk.Tools {
		there[w.talk.Tools[i].Name] = true
	}
	for _, n := range names {
		if !there[n] {
			w.refuse(chat.Lost(chat.FieldChoice, chat.Dropped, ""), "there is no tool named %q", n)
		}
	}
	return names
}
