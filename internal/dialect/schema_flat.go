package dialect

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// choices are the words that APIs refuse at the root of a tool's arguments.
var choices = []string{"anyOf", "oneOf", "allOf"}

// IsChoice reports whether a schema is a choice among several.
func IsChoice(root jsonscan.Value) bool {
	return slices.ContainsFunc(choices, func(word string) bool { return root.Get(word).Exists() })
}

// flattenTool gives a tool whose arguments are one object, where its schema is a choice among
// several: of all of them the properties, and which go together is told in words. No API
// takes another.
func flattenTool(t chat.Tool) (chat.Tool, bool) {
	root := jsonscan.At(t.Schema, 0)
	if t.Kind != chat.Function || t.Schema == nil || !IsChoice(root) {
		return t, false
	}
	f := flattener{pointers: PointersIn(root), properties: make(map[string][][]byte), taken: make(map[string]bool), must: make(map[string][]string)}
	f.take(root, 0)
	out := new(jsonscan.Writer).Open(jsonscan.Object).Key("type").Plain("object").Key("properties").Open(jsonscan.Object)
	for _, name := range f.order {
		out.Key(name)
		if forms := f.properties[name]; len(forms) == 1 {
			out.Raw(forms[0])
		} else {
			out.Open(jsonscan.Object).Key("anyOf").Open(jsonscan.Array)
			for _, form := range forms {
				out.Raw(form)
			}
			out.Close(jsonscan.Array).Close(jsonscan.Object)
		}
	}
	out.Close(jsonscan.Object).Key("required").Open(jsonscan.Array)
	for _, name := range f.requiredOf(root, 0) {
		out.Text(name)
	}
	out.Close(jsonscan.Array)
	for _, name := range []string{"title", "description", "$defs", "definitions"} {
		if said := root.Get(name); said.Exists() {
			out.Key(name).Raw(said.Raw())
		}
	}
	t.Description = strings.TrimSpace(t.Description + "\n\nThe arguments must fit this JSON Schema: " + string(root.AppendCompact(nil)))
	t.Schema, t.Strict = out.Close(jsonscan.Object).Bytes(), nil
	return t, true
}

// flattener gathers the properties of a schema and of all that it is a choice among.
type flattener struct {
	pointers   Pointers
	properties map[string][][]byte // the forms that each may have
	order      []string
	taken      map[string]bool     // references whose properties are gathered
	must       map[string][]string // what references require; nil while that is looked for
}

func (f *flattener) take(v jsonscan.Value, depth int) {
	v, ref := f.resolve(v)
	if v.Kind() != jsonscan.Object || depth > deepestSchema || f.taken[ref] {
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

// requiredOf is the properties that every value must have.
func (f *flattener) requiredOf(v jsonscan.Value, depth int) (names []string) {
	v, ref := f.resolve(v)
	if v.Kind() != jsonscan.Object || depth > deepestSchema {
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
		add(f.requiredOf(inner, depth+1))
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		var common []string
		for i, inner := range v.Get(word).Elements() {
			here := f.requiredOf(inner, depth+1)
			if i == 0 {
				common = here
			}
			common = intersect(common, here)
		}
		add(common)
	}
	return names
}

// intersect returns the names that are in two lists.
func intersect(a, b []string) (names []string) {
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

// resolve finds what a reference within the schema leads to, and the reference.
func (f *flattener) resolve(v jsonscan.Value) (to jsonscan.Value, ref string) {
	if ref = v.Get("$ref").View(); !strings.HasPrefix(ref, "#/") {
		return v, ""
	}
	to, _ = f.pointers.Find(ref)
	return to, ref
}
