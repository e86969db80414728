package anthropic

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// What the API holds a model to in one request, all schemas together. It refuses what is more.
const (
	mostStrict   = 20 // tools
	mostOptional = 24 // properties that may be left out
	mostUnions   = 16 // properties of several types

	tooMuch = "there is more of it than the API enforces"
)

// enforced counts what the API is asked to enforce.
type enforced struct{ tools, optional, unions int }

func (e *enforced) isTooMuch() bool {
	return e.tools > mostStrict || e.optional > mostOptional || e.unions > mostUnions
}

// add counts a schema that toStrictSchema has written.
func (e *enforced) add(schema []byte) *enforced {
	e.addSchema(jsonscan.At(schema, 0), 0)
	return e
}

func (e *enforced) addSchema(v jsonscan.Value, depth int) {
	if depth > deepest || v.Kind() != jsonscan.Object {
		return
	}
	required := make(map[string]bool)
	for _, name := range v.Get("required").Elements() {
		required[name.View()] = true
	}
	for key, inner := range v.Get("properties").Members() {
		if !required[key.Name] {
			e.optional++
		}
		e.addSchema(inner, depth+1)
	}
	for _, inner := range v.Get("$defs").Members() {
		e.addSchema(inner, depth+1)
	}
	e.addSchema(v.Get("items"), depth+1)
	choices := v.Get("anyOf")
	if choices.Len() > 0 {
		e.unions++
	}
	for _, inner := range choices.Elements() {
		e.addSchema(inner, depth+1)
	}
}

// relax leaves the schemas of all tools to the model's good will where they are too many to be
// enforced: a tool for which that is so is of more use than a request that is refused.
func (w *requestWriter) relax(allowed map[string]bool) {
	if !w.can.format {
		return
	}
	for i := range w.talk.Tools {
		t := &w.talk.Tools[i]
		if t.Strict == nil || !*t.Strict || t.Kind != chat.Function || len(t.Schema) == 0 || allowed != nil && !allowed[t.Name] {
			continue
		}
		if w.enforced.tools++; w.enforced.tools <= mostStrict {
			ordered, _ := dialect.OrderProperties(t.Schema)
			if schema, _, ok := toStrictSchema(ordered); ok {
				w.enforced.add(schema)
			}
		}
	}
	if w.relaxed = w.enforced.isTooMuch(); w.relaxed {
		w.enforced = enforced{}
		w.lose(chat.Lost(chat.FieldTools, chat.Dropped, "strict: "+tooMuch))
	}
}
