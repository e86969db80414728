package openai

import (
	"fmt"
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// toStrictSchema makes a schema fit for strict mode, which takes only a part of JSON
// Schema: every object closed and all its properties required, no oneOf. What
// can be said in those words without changing which answers are right is; where
// it cannot, the schema stays as it is and strict is left out. Without strict
// the API takes any schema. Whatever was done is reported as the loss says.
func (e *requestWriter) toStrictSchema(schema []byte, strict *bool, l chat.Loss) ([]byte, *bool) {
	if strict == nil || !*strict || schema == nil {
		return schema, strict
	}
	var s strictener
	s.checkSchema(jsonscan.At(schema, 0), true)
	fit, err := s.edits.Apply(schema)
	switch {
	case s.unfit == "" && s.edits.Len() == 0:
		return schema, strict
	case s.unfit == "" && err == nil:
		l.Note = "rewritten for strict mode"
	default:
		l.Note = "not strict: " + s.unfit
		fit, strict = schema, new(bool)
	}
	e.losses = append(e.losses, l)
	return fit, strict
}

// fits reports whether strict mode takes a schema as it is.
func fits(schema []byte) bool {
	var s strictener
	s.checkSchema(jsonscan.At(schema, 0), true)
	return s.unfit == "" && s.edits.Len() == 0
}

// strictener finds what must be changed in a schema as it walks it.
type strictener struct {
	edits jsonscan.Edits
	depth int
	unfit string // why it cannot be done; the first reason
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

func (s *strictener) noteObstacle(format string, args ...any) {
	if s.unfit == "" {
		s.unfit = fmt.Sprintf(format, args...)
	}
}

func (s *strictener) checkSchema(v jsonscan.Value, root bool) {
	if s.depth++; s.depth > deepest {
		s.noteObstacle("it is nested too deeply")
	}
	defer func() { s.depth-- }()
	if _, only := v.Bool(); only {
		s.noteObstacle("a schema that is only %s", v.Raw())
	}
	if s.unfit != "" {
		return
	}
	for key, value := range v.Members() {
		s.checkMember(key, value, root)
	}
	if v.Get("type").View() != "object" && v.Get("properties").Kind() != object {
		return
	}
	if !v.Get("additionalProperties").Exists() {
		s.edits.Append(v, "additionalProperties", []byte("false"))
	}
	s.checkComplete(v)
}

func (s *strictener) checkMember(key jsonscan.Key, value jsonscan.Value, root bool) {
	switch word := key.Name; {
	case slices.Contains(refused, word):
		s.noteObstacle("it has %s", word)
	case slices.Contains(commentary, word):
		s.edits.Remove(key, value)
	case word == "additionalProperties" && value.Kind() != jsonscan.False:
		s.noteObstacle("an object may have further properties")
	case word == "oneOf" || word == "anyOf":
		if root {
			s.noteObstacle("it is %s at its root", word)
		}
		if word == "oneOf" {
			s.edits.Rename(key, "anyOf")
		}
		for _, inner := range value.Elements() {
			s.checkSchema(inner, false)
		}
	case word == "properties" || word == "$defs" || word == "definitions":
		for _, inner := range value.Members() {
			s.checkSchema(inner, false)
		}
	case word == "items":
		s.checkSchema(value, false)
	}
}

// checkComplete checks that all properties are required. To require one that may be
// left out would make the model say null where the client allows no null.
func (s *strictener) checkComplete(v jsonscan.Value) {
	required := make(map[string]bool)
	for _, name := range v.Get("required").Elements() {
		required[name.View()] = true
	}
	for name := range v.Get("properties").Members() {
		if !required[name.Name] {
			s.noteObstacle("%s is optional", name.Name)
			return
		}
	}
}
