package app

import (
	"errors"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"stele/internal/formula"
)

const (
	mostSchemaVisits = 200_000    // looks of a schema's parts at an answer's parts
	mostPatterns     = 30_000     // instructions of all patterns of a schema
	mostMatching     = 16_000_000 // signs of a pattern at bytes of a text, for one answer
)

var errPatterns = errors.New("the patterns together are too large")

var errSchemaWork = errors.New("the schema looks at the same parts of the answer too often")

// matcher is a pattern of a schema. All patterns of one schema share what they may
// take; beyond it nothing matches.
type matcher struct {
	*regexp.Regexp

	left *int64
}

func (m matcher) MatchString(s string) bool {
	if *m.left -= int64(len(s)+1) * int64(len(m.String())+8); *m.left < 0 {
		return false
	}
	return m.Regexp.MatchString(s)
}

// matchers compiles the patterns of one schema.
func matchers() jsonschema.RegexpEngine {
	left, size := int64(mostMatching), 0
	return func(text string) (jsonschema.Regexp, error) {
		re, n, err := formula.Pattern(text)
		if err != nil {
			return nil, err
		}
		if size += n; size > mostPatterns {
			return nil, errPatterns
		}
		return matcher{re, &left}, nil
	}
}

// part is a part of an answer.
type part struct {
	object map[string]*part
	list   []*part
}

func partsOf(v any) *part {
	p := new(part)
	switch v := v.(type) {
	case map[string]any:
		p.object = make(map[string]*part, len(v))
		for name, item := range v {
			p.object[name] = partsOf(item)
		}
	case []any:
		for _, item := range v {
			p.list = append(p.list, partsOf(item))
		}
	}
	return p
}

// effort counts how often a schema looks at the parts of an answer, at most, without
// doing it: definitions that name each other twice double it from level to level. What
// was counted once is not counted again, so this takes as long as the answer and the
// schema are large.
type effort struct{ known map[look]int }

type look struct {
	schema *jsonschema.Schema
	at     *part
}

// checkEffort refuses to hold an answer against a schema where that would not end soon.
func checkEffort(s *jsonschema.Schema, v any) error {
	e := effort{make(map[look]int)}
	if e.of(s, partsOf(v)) > mostSchemaVisits {
		return errSchemaWork
	}
	return nil
}

func (e effort) of(s *jsonschema.Schema, at *part) int {
	if s == nil {
		return 0
	}
	if n, known := e.known[look{s, at}]; known {
		return n // 0 while it is counted: a circle, which the library finds itself
	}
	if len(e.known) > mostSchemaVisits {
		return mostSchemaVisits + 1
	}
	e.known[look{s, at}] = 0
	n := 1
	add := func(s *jsonschema.Schema, at *part) { n = min(n+e.of(s, at), mostSchemaVisits+1) }
	for _, same := range schemasBeside(s) {
		add(same, at)
	}
	for name, item := range at.object {
		own, has := s.Properties[name]
		add(own, item)
		for _, also := range s.PatternProperties {
			add(also, item)
		}
		if also, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && !has {
			add(also, item)
		}
		add(s.UnevaluatedProperties, item)
		add(s.PropertyNames, new(part))
	}
	for i, item := range at.list {
		for _, of := range ofItem(s, i) {
			add(of, item)
		}
	}
	e.known[look{s, at}] = n
	return n
}

// schemasBeside are the parts of a schema that look at the same part of an answer.
func schemasBeside(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.ContentSchema}
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	for _, several := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		list = append(list, several...)
	}
	for _, of := range s.DependentSchemas {
		list = append(list, of)
	}
	for _, of := range s.Dependencies {
		if of, ok := of.(*jsonschema.Schema); ok {
			list = append(list, of)
		}
	}
	return list
}

// ofItem are the parts of a schema that look at an item of a list, at most.
func ofItem(s *jsonschema.Schema, at int) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Contains, s.Items2020, s.UnevaluatedItems}
	if at < len(s.PrefixItems) {
		list = append(list, s.PrefixItems[at])
	}
	switch of := s.Items.(type) {
	case *jsonschema.Schema:
		list = append(list, of)
	case []*jsonschema.Schema:
		if at < len(of) {
			list = append(list, of[at])
		}
	}
	if of, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
		list = append(list, of)
	}
	return list
}

// innermostError is the last of the reasons of an error, without those above it: all of
// them together may be as long as what was looked at.
func innermostError(err error) error {
	e, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	for len(e.Causes) > 0 {
		e = e.Causes[len(e.Causes)-1]
	}
	return e
}
