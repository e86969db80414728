package gemini

import (
	"strings"

	"stele/internal/jsonscan"
)

// schemaField is one field of a schema; schemaFields are all, in their order.
type schemaField struct {
	name  string
	value jsonscan.Value
}

type schemaFields []schemaField

// fieldsOf reads an object's fields; there are none in anything else.
func fieldsOf(v jsonscan.Value) (all schemaFields) {
	for key, v := range v.Members() {
		all = append(all, schemaField{key.Name, v})
	}
	return all
}

func (fs schemaFields) get(name string) jsonscan.Value {
	for _, f := range fs {
		if f.name == name {
			return f.value
		}
	}
	return jsonscan.Value{}
}

func (fs schemaFields) without(name string) schemaFields {
	rest := make(schemaFields, 0, len(fs))
	for _, f := range fs {
		if f.name != name {
			rest = append(rest, f)
		}
	}
	return rest
}

// kinds are the types that a schema allows, in lower case.
func (fs schemaFields) kinds() (all []string) {
	for _, v := range items(fs.get("type")) {
		if text, ok := v.Text(); ok {
			all = append(all, strings.ToLower(text))
		}
	}
	return all
}

// flatten takes what allOf holds into the schema itself, as far as it can.
func (w *schemaWriter) flatten(fields schemaFields, depth int) schemaFields {
	for i := range fields {
		if fields[i].name == "definitions" {
			w.note(false, "definitions are called $defs")
			fields[i].name = "$defs"
		}
	}
	if !fields.get("allOf").Exists() {
		return fields.joinDoubles()
	}
	var all schemaFields
	for _, f := range fields {
		if f.name != "allOf" {
			all = append(all, f)
			continue
		}
		w.note(true, "allOf is joined")
		for _, v := range items(f.value) {
			inner := fieldsOf(v)
			if ref := inner.get("$ref"); ref.Exists() {
				target, ok := w.resolve(ref.View())
				if !ok {
					continue
				}
				inner = append(inner.without("$ref"), fieldsOf(target)...)
			}
			if depth <= deepest {
				all = append(all, w.flatten(inner, depth+1)...)
			}
		}
	}
	return all.joinDoubles()
}

// joinDoubles joins fields that are there twice: properties and required are put
// together, of anything else the first counts.
func (fs schemaFields) joinDoubles() schemaFields {
	at, more := make(map[string]int, len(fs)), make(map[int][]jsonscan.Value)
	all := make(schemaFields, 0, len(fs))
	for _, f := range fs {
		i, there := at[f.name]
		if !there {
			at[f.name] = len(all)
			all = append(all, f)
			continue
		}
		switch f.name {
		case "properties", "$defs", "required":
			if more[i] == nil {
				more[i] = []jsonscan.Value{all[i].value}
			}
			more[i] = append(more[i], f.value)
		}
	}
	for i, values := range more {
		if all[i].name == "required" {
			all[i].value = joinLists(values)
		} else {
			all[i].value = joinObjects(values)
		}
	}
	return all
}

// joinObjects puts the members of objects together; of the same name the first counts.
func joinObjects(objects []jsonscan.Value) jsonscan.Value {
	var w jsonscan.Writer
	names := make(map[string]bool)
	w.Open(jsonscan.Object)
	for _, object := range objects {
		for key, v := range object.Members() {
			if !names[key.Name] {
				names[key.Name] = true
				w.Key(key.Name).Raw(v.Raw())
			}
		}
	}
	return jsonscan.Root(w.Close(jsonscan.Object).Bytes())
}

// joinLists puts the elements of lists together, each once.
func joinLists(lists []jsonscan.Value) jsonscan.Value {
	var w jsonscan.Writer
	values := make(map[string]bool)
	w.Open(jsonscan.Array)
	for _, list := range lists {
		for _, v := range items(list) {
			if raw := v.Raw(); !values[string(raw)] {
				values[string(raw)] = true
				w.Raw(raw)
			}
		}
	}
	return jsonscan.Root(w.Close(jsonscan.Array).Bytes())
}

// resolve finds what a local reference refers to: #/properties/a/items.
func (w *schemaWriter) resolve(ref string) (jsonscan.Value, bool) {
	if w.resolved >= mostResolved || w.copied > mostCopied {
		return jsonscan.Value{}, false
	}
	w.resolved++
	at, ok := w.pointers.Find(ref)
	if w.copied += len(at.Raw()); w.copied > mostCopied {
		return jsonscan.Value{}, false
	}
	return at, ok
}
