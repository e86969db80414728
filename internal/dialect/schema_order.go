package dialect

import (
	"strings"

	"stele/internal/jsonscan"
)

// OrderNote says what Ordered did.
const OrderNote = "propertyOrdering is the order of the properties"

// Ordered puts properties into the order that Google's propertyOrdering says, which other
// APIs do not know, and reports whether there was one.
func Ordered(schema []byte) (out []byte, changed bool) {
	const most = 1000 // schemas in schemas
	for range most {
		at := unordered(jsonscan.At(schema, 0), 0)
		if !at.Exists() {
			break
		}
		var edits jsonscan.Edits
		for key, v := range at.Members() {
			switch {
			case key.Name == "propertyOrdering":
				edits.Remove(key, v)
			case key.Name == "properties" && v.Kind() == jsonscan.Object:
				edits.Replace(v, inOrder(v, at.Get("propertyOrdering")))
			}
		}
		next, err := edits.Apply(schema)
		if err != nil {
			break
		}
		schema, changed = next, true
	}
	return schema, changed
}

// unordered is a schema that has a propertyOrdering, or nothing.
func unordered(v jsonscan.Value, depth int) (found jsonscan.Value) {
	if depth > deepestSchema {
		return found
	}
	if v.Kind() == jsonscan.Object && v.Get("propertyOrdering").Kind() == jsonscan.Array {
		return v
	}
	for _, inner := range v.Members() {
		if found = unordered(inner, depth+1); found.Exists() {
			return found
		}
	}
	for _, inner := range v.Elements() {
		if found = unordered(inner, depth+1); found.Exists() {
			return found
		}
	}
	return found
}

// inOrder is an object with the named members first.
func inOrder(v, order jsonscan.Value) []byte {
	out := new(jsonscan.Writer).Open(jsonscan.Object)
	named := make(map[string]bool)
	for _, name := range order.Elements() {
		if member := v.Get(name.View()); member.Exists() && !named[name.View()] {
			named[strings.Clone(name.View())] = true
			out.Key(name.View()).Raw(member.Raw())
		}
	}
	for key, member := range v.Members() {
		if !named[key.Name] {
			out.Key(key.Name).Raw(member.Raw())
		}
	}
	return out.Close(jsonscan.Object).Bytes()
}
