package gemini

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// rewrite makes a JSON Schema one that the API takes, and says what it changed.
// What the API does not know is told to the model in the description instead.
// Parameters of a function that takes none are nil.
func rewrite(raw []byte, parameters bool) ([]byte, *changes) {
	r := &rewriter{root: raw}
	if c := (cursor{b: raw}); len(raw) == 0 || c.peek() != '{' {
		return nil, &r.changes
	}
	fields := r.flatten(fieldsOf(raw), 0)
	if ref := fields.get("$ref"); ref != nil && parameters {
		// A function's parameters must be an object themselves, not a reference to one.
		if target, ok := r.resolve(rawText(ref)); ok {
			fields = r.flatten(append(fields.without("$ref"), fieldsOf(target)...), 0)
		}
	}
	if parameters {
		if none(fields) {
			return nil, &r.changes
		}
		if fields.get("type") == nil && fields.get("properties") != nil {
			fields = append(schemaFields{{"type", []byte(`"object"`)}}, fields...)
		}
	}
	r.w.b = make([]byte, 0, len(raw)+64)
	r.object(fields, 0)
	return r.w.b, &r.changes
}

// none reports whether parameters are an object without properties.
func none(fields schemaFields) bool {
	for _, f := range fields {
		switch f.name {
		case "type", "additionalProperties", "required", "$schema", "title", "description", "$defs":
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

// loss reports the changes, if there are any.
func (c *changes) loss(l chat.Loss) (chat.Loss, bool) {
	if !c.shapes {
		l.Verb = chat.Ignored
	}
	l.Note = "schema: " + strings.Join(c.notes, ", ")
	return l, len(c.notes) > 0
}

// rewriter writes one schema anew.
type rewriter struct {
	changes
	w    writer
	root []byte
	open []string // references that are being replaced
}

// deepest bounds the nesting, and mostResolved the copies, of what is written.
const (
	deepest      = 100
	mostResolved = 200
	mostCopied   = 1 << 20  // bytes of them
	mostSearched = 64 << 20 // bytes that are looked through for them
)

// schema writes the schema in raw.
func (r *rewriter) schema(raw []byte, depth int) {
	c := cursor{b: raw}
	if c.peek() != '{' || depth > deepest {
		if c.peek() != 't' { // true allows everything, as {} does
			r.note(true, "a schema that is no object, or too deep, allows everything")
		}
		r.w.open('{')
		r.w.close('}')
		return
	}
	r.object(r.flatten(fieldsOf(raw), depth), depth)
}

// object writes a schema's fields, those that the API knows.
func (r *rewriter) object(fields schemaFields, depth int) {
	within := len(r.open)
	defer func() { r.open = r.open[:within] }()
	for ref := fields.get("$ref"); ref != nil; ref = fields.get("$ref") {
		if fields = r.reference(fields, rawText(ref), depth); fields == nil {
			return
		}
	}
	folded := r.fold(fields)
	r.w.open('{')
	described := false
	for _, f := range fields {
		if f.name == "description" {
			described = true
			r.w.member("description", rawText(f.value)+folded)
			continue
		}
		r.field(fields, f, depth)
	}
	if !described && folded != "" {
		r.w.member("description", strings.TrimSpace(folded))
	}
	r.w.close('}')
}

// field writes one field.
func (r *rewriter) field(fields schemaFields, f schemaField, depth int) {
	switch f.name {
	case "type":
		r.kind(fields, f.value)
	case "title", "minItems", "maxItems", "propertyOrdering", "$id", "$anchor":
		r.w.key(f.name)
		r.w.raw(f.value)
	case "properties", "$defs":
		r.w.key(f.name)
		r.schemas(f.value, depth)
	case "required":
		r.required(fields, f.value)
	case "items", "additionalProperties", "prefixItems", "anyOf", "oneOf":
		r.nested(f, depth)
	case "enum", "const":
		if values, ok := enumerable(f); ok {
			r.w.key("enum")
			r.w.raw(values)
		}
	case "format":
		if slices.Contains(formats, rawText(f.value)) {
			r.w.key("format")
			r.w.raw(f.value)
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		r.bound(fields, f)
	}
}

// nested writes the fields that hold schemas in other ways than by name.
func (r *rewriter) nested(f schemaField, depth int) {
	c := cursor{b: f.value}
	list := c.peek() == '['
	switch {
	case f.name == "additionalProperties" && c.peek() != '{':
		r.w.key(f.name)
		r.w.raw(f.value)
	case f.name == "items" && list:
		r.note(false, "a list of items is called prefixItems")
		r.w.key("prefixItems")
		r.list(f.value, depth)
	case f.name == "oneOf":
		r.note(true, "oneOf is read as anyOf")
		r.w.key("anyOf")
		r.list(f.value, depth)
	default:
		r.w.key(f.name)
		if list {
			r.list(f.value, depth)
		} else {
			r.schema(f.value, depth+1)
		}
	}
}

func (r *rewriter) list(raw []byte, depth int) {
	c := cursor{b: raw}
	c.enter('[')
	r.w.open('[')
	for c.item() {
		r.schema(c.raw(), depth+1)
	}
	r.w.close(']')
}

func (r *rewriter) schemas(raw []byte, depth int) {
	r.w.open('{')
	for _, f := range fieldsOf(raw) {
		r.w.named(f.name)
		r.schema(f.value, depth+1)
	}
	r.w.close('}')
}

// kind writes a type, in lower case, with null where the schema is nullable.
func (r *rewriter) kind(fields schemaFields, value []byte) {
	kinds := fields.kinds()
	if truthOf(fields.get("nullable")) && !slices.Contains(kinds, "null") {
		kinds = append(kinds, "null")
	}
	r.w.key("type")
	c := cursor{b: value}
	if c.peek() != '[' && len(kinds) == 1 {
		r.w.text(kinds[0])
		return
	}
	r.w.open('[')
	for _, k := range kinds {
		r.w.text(k)
	}
	r.w.close(']')
}

// required writes the names that there are properties for: others are refused.
func (r *rewriter) required(fields schemaFields, value []byte) {
	properties := fields.get("properties")
	if properties == nil {
		return // told in the description
	}
	var there set
	for _, f := range fieldsOf(properties) {
		there.add(f.name)
	}
	before := len(r.w.b)
	r.w.key("required")
	r.w.open('[')
	empty := len(r.w.b)
	c := cursor{b: value}
	for c.enter('['); c.item(); {
		name, ok := c.text()
		if !ok || !there.has(name) {
			r.note(true, "required names a property that is not there")
			continue
		}
		r.w.text(name)
	}
	if len(r.w.b) == empty {
		r.w.b = r.w.b[:before]
		return
	}
	r.w.close(']')
}

// reference writes a schema that refers to another, and returns nil; or returns
// the fields that are to be written instead.
func (r *rewriter) reference(fields schemaFields, ref string, depth int) schemaFields {
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		ref = "#/$defs/" + name
	}
	rest := fields.without("$ref")
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok && !strings.Contains(name, "/") {
		link := append(dialect.AppendText([]byte(`{"$ref":`), ref), '}')
		beside := slices.ContainsFunc(rest, func(f schemaField) bool { return !strings.HasPrefix(f.name, "$") })
		if beside && rest.get("anyOf") == nil {
			// Nothing may stand beside $ref: it goes one level down.
			r.note(false, "what stood beside $ref stands around it")
			return append(rest, schemaField{"anyOf", append(append([]byte{'['}, link...), ']')})
		}
		r.w.open('{')
		r.w.member("$ref", ref)
		for _, f := range rest {
			if f.name == "$defs" || f.name == "$id" || f.name == "$anchor" {
				r.field(rest, f, depth)
			}
		}
		r.w.close('}')
		return nil
	}
	target, ok := r.resolve(ref)
	if !ok || slices.Contains(r.open, ref) {
		r.note(true, "a reference that leads nowhere, in a circle or out of the schema allows everything")
		return append(schemaFields{}, rest...)
	}
	r.open = append(r.open, ref)
	r.note(false, "references are replaced by what they refer to")
	return r.flatten(append(rest, fieldsOf(target)...), depth)
}
