package gemini

import (
	"bytes"
	"encoding/json"
	"strings"

	"stele/internal/jsonscan"
)

// toJSONSchema turns this API's own Schema, with its upper-case types, its
// nullable and its numbers in strings, into JSON Schema. What is JSON Schema
// already stays so. Names of properties are never touched.
func toJSONSchema(raw []byte) json.RawMessage {
	r := schemaReader{nullable: bytes.Contains(raw, []byte("nullable"))}
	r.readSchema(jsonscan.Root(raw), 0)
	return r.Bytes()
}

// schemaReader writes what it reads.
type schemaReader struct {
	jsonscan.Writer
	nullable bool // some schema in it is
}

func (r *schemaReader) readSchema(v jsonscan.Value, depth int) {
	if v.Kind() != jsonscan.Object || depth > deepest {
		r.Raw(v.Raw()) // true and false are schemas too
		return
	}
	r.Open(jsonscan.Object)
	var kind string
	nullable := r.nullable && fieldOf(v, "nullable").Kind() == jsonscan.True
	chosen := false // null is one of several choices
	of := v
	for key, v := range fields(v) {
		switch {
		case key.name == "type":
			kind = r.readType(kind, v)
		case key.name == "nullable":
		case key.name == "enum" && v.Kind() == jsonscan.Array:
			r.readEnum(of, v, nullable)
		case key.name == "anyOf" && nullable:
			chosen = true
			r.Key("anyOf").Open(jsonscan.Array)
			for _, v := range v.Elements() {
				r.readSchema(v, depth+1)
			}
			r.Open(jsonscan.Object).Key("type").Plain("null").Close(jsonscan.Object).Close(jsonscan.Array)
		default:
			r.readMember(key, v, depth+1)
		}
	}
	switch {
	case kind != "" && nullable:
		r.Key("type").Open(jsonscan.Array).Text(kind).Text("null").Close(jsonscan.Array)
	case kind != "" && r.nullable:
		r.Key("type").Text(kind)
	case nullable && !chosen:
		r.Key("nullable").Bool(true)
	}
	r.Close(jsonscan.Object)
}

// readType reads a type. Where nothing is nullable it is written in its place.
func (r *schemaReader) readType(kind string, v jsonscan.Value) string {
	if v.Kind() == jsonscan.Array {
		r.Key("type").Raw(bytes.ToLower(v.Raw()))
		return kind
	}
	word, _ := kinds.readWord(v)
	word = strings.ToLower(word)
	if word != "" && !r.nullable {
		r.Key("type").Text(word)
	}
	return word
}

// readEnum reads the values that a schema allows. This API takes only texts there, so that its clients write numbers and
// truths as texts beside the type that they are of.
func (r *schemaReader) readEnum(of, values jsonscan.Value, nullable bool) {
	word, _ := kinds.readWord(fieldOf(of, "type"))
	r.Key("enum").Open(jsonscan.Array)
	for _, v := range values.Elements() {
		raw := v.Raw()
		if text, ok := v.Text(); ok && isOf(strings.ToLower(word), text) {
			raw = []byte(text)
		}
		r.Raw(raw)
	}
	if nullable {
		r.Null()
	}
	r.Close(jsonscan.Array)
}

// isOf reports whether a text is a value of a type that is no text.
func isOf(kind, text string) bool {
	switch raw := []byte(text); kind {
	case "integer", "number":
		return jsonscan.Valid(raw, 0) && jsonscan.Root(raw).Kind() == jsonscan.Number
	case "boolean":
		return text == "true" || text == "false"
	}
	return false
}

func (r *schemaReader) readMember(key field, v jsonscan.Value, depth int) {
	switch key.name {
	case "properties", "$defs", "definitions", "defs":
		r.Key(key.name)
		r.readSchemas(v, depth)
	case "items", "additionalProperties", "not":
		r.Key(key.name)
		r.readSchema(v, depth)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		r.Key(key.name)
		r.readList(v, depth)
	case "format":
		if word, ok := v.Text(); ok && word != "enum" {
			r.Key("format").Text(word)
		}
	case "example":
		r.Key("examples").Open(jsonscan.Array).Raw(v.Raw()).Close(jsonscan.Array)
	case "maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties":
		if n, ok := readInt(v); ok { // which protobuf's JSON writes as strings
			r.Key(key.name).Int(n)
		}
	case "maximum", "minimum":
		n := []byte(v.View())
		if jsonscan.Root(n).Kind() != jsonscan.Number || !jsonscan.Valid(n, 0) {
			n = v.Raw()
		}
		r.Key(key.name).Raw(n)
	case "propertyOrdering":
		r.Key(key.name).Raw(v.Raw())
	default:
		r.Key(key.spelled).Raw(v.Raw()) // not a name of this API: left as it is
	}
}

func (r *schemaReader) readSchemas(v jsonscan.Value, depth int) {
	if v.Kind() != jsonscan.Object {
		r.Raw(v.Raw())
		return
	}
	r.Open(jsonscan.Object)
	for key, v := range v.Members() {
		r.Key(key.Name)
		r.readSchema(v, depth)
	}
	r.Close(jsonscan.Object)
}

func (r *schemaReader) readList(v jsonscan.Value, depth int) {
	if v.Kind() != jsonscan.Array {
		r.Raw(v.Raw())
		return
	}
	r.Open(jsonscan.Array)
	for _, v := range v.Elements() {
		r.readSchema(v, depth)
	}
	r.Close(jsonscan.Array)
}
