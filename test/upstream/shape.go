package upstream

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// tag is a step of a path that only Anthropic shows: the kind of a block.
type tag string

// problem is the first thing about a request that does not fit the grammar.
type problem struct {
	path  []any // string, int or tag
	fault string
	want  []string // kinds or words
	got   any
	limit float64
}

// The faults of a problem.
const (
	unknownField = "unknown"
	missingField = "missing"
	wrongType    = "type"
	wrongWord    = "word"
	wrongTag     = "tag"
	tooLow       = "low"
	tooHigh      = "high"
	notBase64    = "base64"
)

// check compares v with a declared shape; nil is a fit. In protobuf's JSON it
// also gives every name its camelCase and drops nulls, in place.
func (g *grammar) check(v any, name string) *problem {
	return g.fit(v, g.shapes[name], nil)
}

func (g *grammar) fit(v any, s *shape, path []any) *problem {
	switch s.kind {
	case "any":
		return nil
	case "named":
		return g.fit(v, g.shapes[s.name], path)
	case "alternatives":
		for _, option := range s.options {
			if g.sameKind(v, option) {
				return g.fit(v, option, path)
			}
		}
		return &problem{path: path, fault: wrongType, want: g.kinds(s), got: v}
	}
	if !g.sameKind(v, s) {
		return &problem{path: path, fault: wrongType, want: g.kinds(s), got: v}
	}
	switch v := v.(type) {
	case object:
		return g.fitObject(v, s, path)
	case []any:
		for i, item := range v {
			if p := g.fit(item, s.item, step(path, i)); p != nil {
				return p
			}
		}
		return s.bounds(float64(len(v)), v, path)
	case string:
		return g.fitString(v, s, path)
	case json.Number:
		f, _ := v.Float64()
		return s.bounds(f, v, path)
	}
	return nil
}

func (g *grammar) fitString(v string, s *shape, path []any) *problem {
	switch s.kind {
	case "enum":
		if !slices.Contains(s.words, v) {
			return &problem{path: path, fault: wrongWord, want: s.words, got: v}
		}
	case "bytes":
		if _, ok := unbase64(v); !ok && v != skipSignature {
			return &problem{path: path, fault: notBase64, got: v}
		}
	case "number", "int":
		f, _ := floatOf(v)
		return s.bounds(f, v, path)
	}
	return s.bounds(float64(utf8.RuneCountInString(v)), v, path)
}

func (g *grammar) fitObject(m object, s *shape, path []any) *problem {
	switch s.kind {
	case "union":
		return g.fitUnion(m, s, path)
	case "map":
		for _, name := range sortedKeys(m) {
			if p := g.fit(m[name], s.item, step(path, name)); p != nil {
				return p
			}
		}
		return s.bounds(float64(len(m)), m, path)
	}
	if g.proto {
		protoNames(m, s)
	}
	for _, name := range sortedKeys(m) {
		f := s.fields[name]
		if f == nil {
			return &problem{path: step(path, name), fault: unknownField, got: m[name]}
		}
		if m[name] == nil && !f.required {
			continue
		}
		if p := g.fit(m[name], f.shape, step(path, name)); p != nil {
			return p
		}
	}
	for _, name := range s.order {
		if _, ok := m[name]; !ok && s.fields[name].required {
			return &problem{path: step(path, name), fault: missingField}
		}
	}
	return nil
}

func (g *grammar) fitUnion(m object, s *shape, path []any) *problem {
	name, told := m[s.by].(string)
	if !told && m[s.by] != nil {
		return &problem{path: step(path, s.by), fault: wrongType, want: []string{"string"}, got: m[s.by]}
	}
	key := name
	if !told {
		key = "-"
	}
	branch := s.tags[key]
	if branch == nil && told {
		branch = s.tags["*"]
	}
	switch {
	case branch != nil && branch.kind == "any":
		return nil
	case branch != nil && told:
		return g.fit(m, branch, step(path, tag(name)))
	case branch != nil:
		return g.fit(m, branch, path)
	case !told:
		return &problem{path: step(path, s.by), fault: missingField}
	}
	return &problem{path: step(path, s.by), fault: wrongTag, want: s.order, got: name}
}

// sameKind tells whether v is the sort of JSON value that s asks for.
func (g *grammar) sameKind(v any, s *shape) bool {
	switch s.kind {
	case "named":
		return g.sameKind(v, g.shapes[s.name])
	case "any":
		return true
	case "type", "union", "map":
		_, ok := v.(object)
		return ok
	case "list":
		_, ok := v.([]any)
		return ok
	case "bool":
		_, ok := v.(bool)
		return ok
	case "number", "int":
		if s, ok := v.(string); ok && !(g.proto && s != "" && strings.Trim(s, "-0123456789.") == "") {
			return false
		}
		f, ok := floatOf(v)
		n, _ := v.(json.Number)
		whole := f == float64(int64(f)) && (g.proto || !strings.ContainsAny(n.String(), ".eE"))
		return ok && (s.kind == "number" || whole)
	}
	_, ok := v.(string)
	return ok
}

func (g *grammar) kinds(s *shape) []string {
	switch s.kind {
	case "named":
		return g.kinds(g.shapes[s.name])
	case "alternatives":
		var kinds []string
		for _, option := range s.options {
			kinds = append(kinds, g.kinds(option)...)
		}
		return kinds
	case "type", "union", "map":
		return []string{"object"}
	case "list":
		return []string{"array"}
	case "enum":
		return []string{"string"}
	}
	return []string{s.kind}
}

func (s *shape) bounds(size float64, v any, path []any) *problem {
	if s.low != nil && size < *s.low {
		return &problem{path: path, fault: tooLow, got: v, limit: *s.low}
	}
	if s.high != nil && size > *s.high {
		return &problem{path: path, fault: tooHigh, got: v, limit: *s.high}
	}
	return nil
}

// step is a longer path that does not share its end with another one.
func step(path []any, next any) []any {
	return append(slices.Clip(path), next)
}
