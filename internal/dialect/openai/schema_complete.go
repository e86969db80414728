package openai

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// complete adds what the API misses in schemas that other APIs take as they are: the
// items of a list, the properties of an object. Neither changes which values are right.
func (e *requestWriter) complete(schema []byte, l chat.Loss) []byte {
	var c completer
	if ordered, changed := dialect.Ordered(schema); changed {
		schema = ordered
		c.note(dialect.OrderNote)
	}
	c.schema(jsonscan.At(schema, 0), 0)
	whole, err := c.edits.Apply(schema)
	if err != nil || len(c.notes) == 0 {
		return schema
	}
	l.Verb, l.Note = chat.Ignored, strings.Join(c.notes, "; ") // none of it changes a meaning
	e.losses = append(e.losses, l)
	return whole
}

type completer struct {
	edits jsonscan.Edits
	notes []string
}

func (c *completer) schema(v jsonscan.Value, depth int) {
	if v.Kind() != object || depth > deepest {
		return
	}
	if is(v, "array") && !v.Get("items").Exists() && !v.Get("prefixItems").Exists() {
		c.add(v, "items")
	}
	if is(v, "object") && !v.Get("properties").Exists() && !v.Get("$ref").Exists() {
		c.add(v, "properties")
	}
	for key, inner := range v.Members() {
		switch key.Name {
		case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
			for _, inner := range inner.Members() {
				c.schema(inner, depth+1)
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			for _, inner := range inner.Elements() {
				c.schema(inner, depth+1)
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains":
			c.schema(inner, depth+1)
		}
	}
}

func (c *completer) add(v jsonscan.Value, name string) {
	c.edits.Append(v, name, []byte("{}"))
	c.note("the API insists on " + name + ": added empty")
}

func (c *completer) note(text string) {
	if !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// is reports whether a schema's type is, or may be, the given one.
func is(v jsonscan.Value, kind string) bool {
	said := v.Get("type")
	if said.View() == kind {
		return true
	}
	for _, one := range said.Elements() {
		if one.View() == kind {
			return true
		}
	}
	return false
}

// choices are the words that the API refuses at the root of a tool's arguments.
var choices = []string{"anyOf", "oneOf", "allOf"}

// flattened is a tool whose arguments are one object, where its schema is a choice among
// several: of all of them the properties, and which go together is told in words.
func (e *requestWriter) flattened(t chat.Tool) chat.Tool {
	root := jsonscan.At(t.Schema, 0)
	if t.Schema == nil || !slices.ContainsFunc(choices, func(word string) bool { return root.Get(word).Exists() }) {
		return t
	}
	f := flattener{pointers: dialect.PointersIn(root), properties: make(map[string][][]byte), taken: make(map[string]bool), must: make(map[string][]string)}
	f.take(root, 0)
	out := new(jsonscan.Writer).Open(object).Key("type").Plain("object").Key("properties").Open(object)
	for _, name := range f.order {
		out.Key(name)
		if forms := f.properties[name]; len(forms) == 1 {
			out.Raw(forms[0])
		} else {
			out.Open(object).Key("anyOf").Open(array)
			for _, form := range forms {
				out.Raw(form)
			}
			out.Close(array).Close(object)
		}
	}
	out.Close(object).Key("required").Open(array)
	for _, name := range f.required(root, 0) {
		out.Text(name)
	}
	out.Close(array)
	for _, name := range []string{"$defs", "definitions"} {
		if defined := root.Get(name); defined.Exists() {
			out.Key(name).Raw(defined.Raw())
		}
	}
	e.loseTool(t, chat.Approximated, "a choice at the root of its arguments: in words only")
	t.Description = strings.TrimSpace(t.Description + "\n\nThe arguments must fit this JSON Schema: " + string(root.AppendCompact(nil)))
	t.Schema, t.Strict = out.Close(object).Bytes(), nil
	return t
}

// flattener gathers the properties of a schema and of all that it is a choice among.
type flattener struct {
	pointers   dialect.Pointers
	properties map[string][][]byte // the forms that each may have
	order      []string
	taken      map[string]bool     // references whose properties are gathered
	must       map[string][]string // what references require; nil while that is looked for
}

func (f *flattener) take(v jsonscan.Value, depth int) {
	v, ref := f.resolved(v)
	if v.Kind() != object || depth > deepest || f.taken[ref] {
		return
	}
	if ref != "" {
		f.taken[ref] = true
	}
	for key, form := range v.Get("properties").Members() {
		forms, known := f.properties[key.Name]
		if !known {
			f.order = append(f.order, strings.Clone(key.Name))
		}
		if !slices.ContainsFunc(forms, func(other []byte) bool { return string(other) == string(form.Raw()) }) {
			f.properties[strings.Clone(key.Name)] = append(forms, form.Raw())
		}
	}
	for _, word := range choices {
		for _, inner := range v.Get(word).Elements() {
			f.take(inner, depth+1)
		}
	}
}

// required is the properties that every value must have.
func (f *flattener) required(v jsonscan.Value, depth int) (names []string) {
	v, ref := f.resolved(v)
	if v.Kind() != object || depth > deepest {
		return nil
	}
	if ref != "" {
		if known, there := f.must[ref]; there {
			return known
		}
		f.must[ref] = nil
		defer func() { f.must[ref] = names }()
	}
	known := make(map[string]bool)
	add := func(more []string) {
		for _, name := range more {
			if !known[name] && f.properties[name] != nil {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	for _, name := range v.Get("required").Elements() {
		add([]string{strings.Clone(name.View())})
	}
	for _, inner := range v.Get("allOf").Elements() {
		add(f.required(inner, depth+1))
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		var common []string
		for i, inner := range v.Get(word).Elements() {
			here := f.required(inner, depth+1)
			if i == 0 {
				common = here
			}
			common = both(common, here)
		}
		add(common)
	}
	return names
}

// both are the names that are in two lists.
func both(a, b []string) (names []string) {
	in := make(map[string]bool, len(b))
	for _, name := range b {
		in[name] = true
	}
	for _, name := range a {
		if in[name] {
			names = append(names, name)
		}
	}
	return names
}

// resolved is what a reference within the schema leads to, and the reference.
func (f *flattener) resolved(v jsonscan.Value) (to jsonscan.Value, ref string) {
	if ref = v.Get("$ref").View(); !strings.HasPrefix(ref, "#/") {
		return v, ""
	}
	to, _ = f.pointers.Find(ref)
	return to, ref
}

// isObject reports whether the answer that a schema describes is an object, as the API
// insists.
func isObject(schema []byte) bool {
	root := jsonscan.At(schema, 0)
	if slices.ContainsFunc(choices, func(word string) bool { return root.Get(word).Exists() }) {
		return false
	}
	return !root.Get("type").Exists() || root.Get("type").View() == "object"
}
