package openai

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// strictly makes a schema fit for strict mode, which takes only a part of JSON
// Schema: every object closed and all its properties required, no oneOf. What
// can be said in those words without changing which answers are right is; where
// it cannot, the schema stays as it is and strict is left out. Without strict
// the API takes any schema. Whatever was done is reported as the loss says.
func (e *composer) strictly(schema []byte, strict *bool, l chat.Loss) ([]byte, *bool) {
	if strict == nil || !*strict || schema == nil {
		return schema, strict
	}
	var s strictener
	s.schema(gjson.ParseBytes(schema), true)
	switch {
	case s.unfit != "":
		l.Note = "not strict: " + s.unfit
		no := false
		e.losses = append(e.losses, l)
		return schema, &no
	case !s.changed:
		return schema, strict
	}
	l.Note = "rewritten for strict mode"
	e.losses = append(e.losses, l)
	return s.b, strict
}

// strictener rewrites a schema as it walks it.
type strictener struct {
	writer

	changed bool
	depth   int
	unfit   string // why it cannot be done; the first reason
}

// deepest bounds the walk: strict mode takes far less.
const deepest = 64

// refused are the words of JSON Schema that strict mode has nothing for.
var refused = []string{
	"allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames",
	"unevaluatedProperties", "unevaluatedItems", "contains", "prefixItems",
}

// commentary are words that strict mode refuses and that say nothing about
// which answers are right.
var commentary = []string{"default", "examples", "$schema", "$comment", "deprecated", "readOnly", "writeOnly"}

func (s *strictener) not(format string, args ...any) {
	if s.unfit == "" {
		s.unfit = fmt.Sprintf(format, args...)
	}
}

func (s *strictener) schema(v gjson.Result, root bool) {
	if s.depth++; s.depth > deepest {
		s.not("it is nested too deeply")
	}
	defer func() { s.depth-- }()
	if s.unfit != "" {
		return
	}
	if !v.IsObject() {
		if v.IsBool() {
			s.not("a schema that is only %s", v.Raw)
		}
		s.raw([]byte(v.Raw))
		return
	}
	s.open('{')
	closed, object := false, v.Get("type").Str == "object" || v.Get("properties").IsObject()
	v.ForEach(func(key, value gjson.Result) bool {
		closed = closed || key.Str == "additionalProperties"
		s.word(key.Raw)
		s.b = append(s.b, ':')
		s.member(key, value, root)
		return true
	})
	if object && !closed {
		s.changed = true
		s.key("additionalProperties").bool(false)
	}
	if object {
		s.complete(v)
	}
	s.close('}')
}

// member writes the value of a word; its key is written already.
func (s *strictener) member(key, value gjson.Result, root bool) {
	switch word := key.Str; {
	case slices.Contains(refused, word):
		s.not("it has %s", word)
		s.raw([]byte(value.Raw))
	case slices.Contains(commentary, word):
		s.changed = true
		s.b = s.b[:len(s.b)-len(key.Raw)-1]
		if s.b[len(s.b)-1] == ',' {
			s.b = s.b[:len(s.b)-1]
		}
	case word == "additionalProperties":
		if value.Type != gjson.False {
			s.not("an object may have further properties")
		}
		s.raw([]byte(value.Raw))
	case word == "oneOf" || word == "anyOf":
		if root {
			s.not("it is %s at its root", word)
		}
		if word == "oneOf" {
			s.changed = true
			s.b = append(s.b[:len(s.b)-len(key.Raw)-1], `"anyOf":`...)
		}
		s.list(value)
	case word == "properties" || word == "$defs" || word == "definitions":
		s.open('{')
		value.ForEach(func(name, inner gjson.Result) bool {
			s.word(name.Raw)
			s.b = append(s.b, ':')
			s.schema(inner, false)
			return true
		})
		s.close('}')
	case word == "items":
		s.schema(value, false)
	default:
		s.raw([]byte(value.Raw))
	}
}

func (s *strictener) list(value gjson.Result) {
	s.open('[')
	value.ForEach(func(_, inner gjson.Result) bool {
		s.schema(inner, false)
		return true
	})
	s.close(']')
}

// complete checks that all properties are required. To require one that may be
// left out would make the model say null where the client allows no null.
func (s *strictener) complete(v gjson.Result) {
	required := make(map[string]bool)
	v.Get("required").ForEach(func(_, name gjson.Result) bool {
		required[name.Str] = true
		return true
	})
	v.Get("properties").ForEach(func(name, _ gjson.Result) bool {
		if !required[name.Str] {
			s.not("%s is optional", name.Str)
		}
		return s.unfit == ""
	})
}
