package gemini

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// plainSchema turns this API's own Schema, with its upper-case types, its
// nullable and its numbers in strings, into JSON Schema. What is JSON Schema
// already stays so. Names of properties are never touched.
func plainSchema(raw []byte) json.RawMessage {
	p := plainer{cursor: cursor{b: raw}, nullable: bytes.Contains(raw, []byte("nullable"))}
	p.schema()
	if p.bad {
		return json.RawMessage(raw)
	}
	return p.w.b
}

type plainer struct {
	cursor
	w        writer
	nullable bool // some schema in it is
}

func (p *plainer) schema() {
	if !p.enter('{') {
		p.w.raw(p.raw()) // true and false are schemas too
		return
	}
	p.w.open('{')
	var kind string
	var nullable bool
	for {
		key, more := p.key()
		if !more {
			break
		}
		switch string(key) {
		case "type":
			kind = p.kind(kind)
		case "nullable":
			nullable, _ = p.truth()
		default:
			p.member(key)
		}
	}
	switch {
	case kind != "" && nullable:
		p.w.key("type")
		p.w.raw([]byte(`["` + kind + `","null"]`))
	case kind != "" && p.nullable:
		p.w.member("type", kind)
	case nullable:
		p.w.key("nullable")
		p.w.raw([]byte("true"))
	}
	p.w.close('}')
}

// kind reads a type. Where nothing is nullable it is written in its place.
func (p *plainer) kind(kind string) string {
	if p.peek() == '[' {
		p.w.key("type")
		p.w.raw(bytes.ToLower(p.raw()))
		return kind
	}
	word, _ := p.enum(kinds)
	word = strings.ToLower(word)
	if word != "" && !p.nullable {
		p.w.member("type", word)
	}
	return word
}

// counts are whole numbers, which protobuf's JSON writes as strings.
var counts = []string{"maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties"}

func (p *plainer) member(key []byte) {
	switch string(key) {
	case "properties", "$defs", "definitions", "defs":
		p.w.key(string(key))
		p.schemas()
	case "items", "additionalProperties", "not":
		p.w.key(string(key))
		p.schema()
	case "anyOf", "oneOf", "allOf", "prefixItems":
		p.w.key(string(key))
		p.list()
	case "format":
		if word, ok := p.text(); ok && word != "enum" {
			p.w.member("format", word)
		}
	case "example":
		p.w.key("examples")
		p.w.open('[')
		p.w.raw(p.raw())
		p.w.close(']')
	default:
		p.other(key)
	}
}

func (p *plainer) other(key []byte) {
	if slices.Contains(counts, string(key)) {
		field := string(key)
		if n, ok := p.integer(); ok {
			p.w.integer(field, n)
		}
		return
	}
	if string(key) != "propertyOrdering" {
		key = p.spelled // not a name of this API: left as it is
	}
	p.w.named(string(key))
	p.w.raw(p.raw())
}

func (p *plainer) schemas() {
	if !p.enter('{') {
		p.w.raw(p.raw())
		return
	}
	p.w.open('{')
	for {
		name, more := p.name()
		if !more {
			break
		}
		p.w.named(string(name))
		p.schema()
	}
	p.w.close('}')
}

func (p *plainer) list() {
	if !p.enter('[') {
		p.w.raw(p.raw())
		return
	}
	p.w.open('[')
	for p.item() {
		p.schema()
	}
	p.w.close(']')
}
