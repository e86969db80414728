package gemini

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// rewrite makes a JSON Schema one that the API takes, and says what it changed.
// What the API does not know is told to the model in the description instead.
// Parameters of a function that takes none are nil.
func rewrite(raw []byte, parameters bool) ([]byte, *changes) {
	w := &schemaWriter{root: jsonscan.Root(raw)}
	if w.root.Kind() != jsonscan.Object {
		return nil, &w.changes
	}
	raw = loosen(raw, &w.changes)
	w.root = jsonscan.Root(raw)
	w.pointers = dialect.PointersIn(w.root)
	fields := w.flatten(fieldsOf(w.root), 0)
	if ref := fields.get("$ref"); ref.Exists() && parameters {
		// A function's parameters must be an object themselves, not a reference to one.
		if target, ok := w.resolve(ref.View()); ok {
			fields = w.flatten(append(fields.without("$ref"), fieldsOf(target)...), 0)
		}
	}
	if parameters {
		if takesNothing(fields) {
			return nil, &w.changes
		}
		if !fields.get("type").Exists() {
			fields = append(schemaFields{{"type", jsonscan.Root([]byte(`"object"`))}}, fields...)
		}
	}
	w.Writer = *jsonscan.NewWriter(make([]byte, 0, len(raw)+64))
	w.writeFields(fields, 0)
	return w.Bytes(), &w.changes
}

// takesNothing reports whether parameters are an object that can have no properties.
func takesNothing(fields schemaFields) bool {
	for _, f := range fields {
		switch f.name {
		case "type", "required", "$schema", "title", "description", "$defs":
		case "additionalProperties": // any names, of these values
			if f.value.Kind() == jsonscan.True || len(fieldsOf(f.value)) > 0 {
				return false
			}
		case "properties":
			if len(fieldsOf(f.value)) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// changes is what was done to a schema.
type changes struct {
	notes    []string
	shapes   bool // something means less now
	resolved int  // references that were replaced by what they refer to
	copied   int  // bytes of those
}

func (c *changes) note(shapes bool, what string) {
	c.shapes = c.shapes || shapes
	if !slices.Contains(c.notes, what) && len(c.notes) < 20 {
		c.notes = append(c.notes, what)
	}
}

// toLoss reports the changes, if there are any.
func (c *changes) toLoss(l chat.Loss) (chat.Loss, bool) {
	if !c.shapes {
		l.Verb = chat.Ignored
	}
	l.Note = "schema: " + strings.Join(c.notes, ", ")
	return l, len(c.notes) > 0
}

// schemaWriter writes one schema anew.
type schemaWriter struct {
	jsonscan.Writer
	changes
	root     jsonscan.Value
	pointers dialect.Pointers
	open     []string // references that are being replaced
}

// deepest bounds the nesting, and mostResolved the copies, of what is written.
const (
	deepest      = 100
	mostResolved = 200
	mostCopied   = 1 << 20 // bytes of them
)

// writeSchema writes a schema.
func (w *schemaWriter) writeSchema(v jsonscan.Value, depth int) {
	if v.Kind() == jsonscan.Object && depth <= deepest {
		w.writeFields(w.flatten(fieldsOf(v), depth), depth)
		return
	}
	if v.Kind() != jsonscan.True { // true allows everything, as {} does
		w.note(true, "a schema that is no object, or too deep, allows everything")
	}
	w.Open(jsonscan.Object).Close(jsonscan.Object)
}

// writeFields writes a schema's fields, those that the API knows.
func (w *schemaWriter) writeFields(fields schemaFields, depth int) {
	within := len(w.open)
	defer func() { w.open = w.open[:within] }()
	for ref := fields.get("$ref"); ref.Exists(); ref = fields.get("$ref") {
		if fields = w.writeReference(fields, ref.View(), depth); fields == nil {
			return
		}
	}
	kinds := fields.kinds()
	fields = w.dropIdle(fields, kinds)
	folded := w.foldKeywords(fields)
	w.Open(jsonscan.Object)
	described := false
	for _, f := range fields {
		if f.name == "description" {
			described = true
			w.Key("description").Text(f.value.View() + folded)
			continue
		}
		w.writeField(fields, f, depth)
	}
	if slices.Contains(kinds, "array") && !fields.get("items").Exists() && !fields.get("prefixItems").Exists() {
		w.note(false, "a list without items has {}")
		w.Key("items").Open(jsonscan.Object).Close(jsonscan.Object)
	}
	if !described && folded != "" {
		w.Key("description").Text(strings.TrimSpace(folded))
	}
	w.Close(jsonscan.Object)
}

// writeField writes one field.
func (w *schemaWriter) writeField(fields schemaFields, f schemaField, depth int) {
	switch f.name {
	case "type":
		w.writeType(fields, f.value)
	case "title", "minItems", "maxItems", "propertyOrdering", "$id", "$anchor":
		w.Key(f.name).Raw(f.value.Raw())
	case "properties", "$defs":
		w.Key(f.name).Open(jsonscan.Object)
		for key, v := range f.value.Members() {
			w.Key(key.Name)
			w.writeSchema(v, depth+1)
		}
		w.Close(jsonscan.Object)
	case "required":
		w.writeRequired(fields, f.value)
	case "items", "additionalProperties", "prefixItems", "anyOf", "oneOf":
		w.writeNested(f, depth)
	case "enum", "const":
		if values, ok := enumOf(f); ok {
			w.Key("enum").Raw(values)
		}
	case "format":
		if slices.Contains(formats, f.value.View()) {
			w.Key("format").Raw(f.value.Raw())
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		w.writeBound(fields, f)
	}
}

// writeNested writes the fields that hold schemas in other ways than by name.
func (w *schemaWriter) writeNested(f schemaField, depth int) {
	list := f.value.Kind() == jsonscan.Array
	name := f.name
	switch {
	case name == "additionalProperties" && f.value.Kind() != jsonscan.Object:
		w.Key(name).Raw(f.value.Raw())
		return
	case name == "items" && list:
		w.note(false, "a list of items is called prefixItems")
		name = "prefixItems"
	case name == "oneOf":
		w.note(true, "oneOf is read as anyOf")
		name, list = "anyOf", true
	}
	w.Key(name)
	if !list {
		w.writeSchema(f.value, depth+1)
		return
	}
	w.Open(jsonscan.Array)
	for _, v := range items(f.value) {
		w.writeSchema(v, depth+1)
	}
	w.Close(jsonscan.Array)
}

// writeType writes a type, in lower case, with null where the schema is nullable.
func (w *schemaWriter) writeType(fields schemaFields, value jsonscan.Value) {
	kinds := fields.kinds()
	if fields.get("nullable").Kind() == jsonscan.True && !slices.Contains(kinds, "null") {
		kinds = append(kinds, "null")
	}
	w.Key("type")
	if value.Kind() != jsonscan.Array && len(kinds) == 1 {
		w.Text(kinds[0])
		return
	}
	w.Open(jsonscan.Array)
	for _, k := range kinds {
		w.Text(k)
	}
	w.Close(jsonscan.Array)
}

// writeRequired writes the names that there are properties for: others are refused.
func (w *schemaWriter) writeRequired(fields schemaFields, value jsonscan.Value) {
	properties := fields.get("properties")
	if !properties.Exists() {
		return // told in the description
	}
	there := make(map[string]bool)
	for key := range properties.Members() {
		there[key.Name] = true
	}
	before := w.Writer
	w.Key("required").Open(jsonscan.Array)
	empty := len(w.Bytes())
	for _, v := range items(value) {
		if v.Kind() != jsonscan.String || !there[v.View()] {
			w.note(true, "required names a property that is not there")
			continue
		}
		w.Text(v.View())
	}
	if len(w.Bytes()) == empty {
		w.Writer = before
		return
	}
	w.Close(jsonscan.Array)
}

// writeReference writes a schema that refers to another, and returns nil; or returns
// the fields that are to be written instead.
func (w *schemaWriter) writeReference(fields schemaFields, ref string, depth int) schemaFields {
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		ref = "#/$defs/" + name
	}
	rest := fields.without("$ref")
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok && !strings.Contains(name, "/") {
		beside := slices.ContainsFunc(rest, func(f schemaField) bool { return !strings.HasPrefix(f.name, "$") })
		if beside && !rest.get("anyOf").Exists() {
			// Nothing may stand beside $ref: it goes one level down.
			w.note(false, "what stood beside $ref stands around it")
			var link jsonscan.Writer
			link.Open(jsonscan.Array).Open(jsonscan.Object).Key("$ref").Text(ref).Close(jsonscan.Object).Close(jsonscan.Array)
			return append(rest, schemaField{"anyOf", jsonscan.Root(link.Bytes())})
		}
		w.Open(jsonscan.Object).Key("$ref").Text(ref)
		for _, f := range rest {
			if f.name == "$defs" || f.name == "$id" || f.name == "$anchor" {
				w.writeField(rest, f, depth)
			}
		}
		w.Close(jsonscan.Object)
		return nil
	}
	target, ok := w.resolve(ref)
	if !ok || slices.Contains(w.open, ref) {
		w.note(true, "a reference that leads nowhere, in a circle or out of the schema allows everything")
		return append(schemaFields{}, rest...)
	}
	w.open = append(w.open, ref)
	w.note(false, "references are replaced by what they refer to")
	return w.flatten(append(rest, fieldsOf(target)...), depth)
}
