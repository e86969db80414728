package app

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// mostChecks is how many schemas may be looked at to check one answer. A schema of a
// few hundred bytes whose definitions name each other twice stands for billions.
const mostChecks = 300_000

// deepestCheck is how deep schemas and answers may be followed together.
const deepestCheck = 2000

// affordable reports whether an answer can be checked against a schema with bounded
// work. It walks both as a validator would, and only counts.
func affordable(schema, v any) bool {
	w := weigher{root: schema, left: mostChecks}
	w.visit(schema, v, 0)
	return w.left >= 0
}

type weigher struct {
	root any
	left int
}

// visit counts what checking a value against a schema looks at.
func (w *weigher) visit(schema, v any, depth int) {
	if w.left--; w.left < 0 {
		return
	}
	if depth > deepestCheck {
		w.left = -1
		return
	}
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	w.beside(s, v, depth+1)
	switch v := v.(type) {
	case map[string]any:
		w.members(s, v, depth+1)
	case []any:
		w.elements(s, v, depth+1)
	}
}

// beside visits what a schema says of the same value in other schemas.
func (w *weigher) beside(s map[string]any, v any, depth int) {
	for _, word := range []string{"$ref", "$dynamicRef"} {
		if ref, ok := s[word].(string); ok {
			if target, found := w.resolve(ref); found {
				w.visit(target, v, depth)
			}
		}
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[word].([]any)
		for _, one := range list {
			w.visit(one, v, depth)
		}
	}
	for _, word := range []string{"not", "if", "then", "else"} {
		if one, ok := s[word]; ok {
			w.visit(one, v, depth)
		}
	}
	named, _ := s["dependentSchemas"].(map[string]any)
	for _, one := range named {
		w.visit(one, v, depth)
	}
}

func (w *weigher) members(s, v map[string]any, depth int) {
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for name, inner := range v {
		if rule, ok := properties[name]; ok {
			w.visit(rule, inner, depth)
		}
		for text, rule := range patterns {
			if w.left--; w.left < 0 {
				return
			}
			if re, err := regexp.Compile(text); err != nil || re.MatchString(name) {
				w.visit(rule, inner, depth)
			}
		}
		for _, word := range []string{"additionalProperties", "unevaluatedProperties"} {
			if rule, ok := s[word]; ok {
				w.visit(rule, inner, depth)
			}
		}
		if rule, ok := s["propertyNames"]; ok {
			w.visit(rule, name, depth)
		}
	}
}

func (w *weigher) elements(s map[string]any, v []any, depth int) {
	prefix, _ := s["prefixItems"].([]any)
	if old, ok := s["items"].([]any); ok {
		prefix = old
	}
	for i, inner := range v {
		if i < len(prefix) {
			w.visit(prefix[i], inner, depth)
		}
		for _, word := range []string{"items", "additionalItems", "contains", "unevaluatedItems"} {
			if rule, ok := s[word].(map[string]any); ok {
				w.visit(rule, inner, depth)
			}
		}
	}
}

// resolve finds what a reference within the schema points to.
func (w *weigher) resolve(ref string) (any, bool) {
	_, fragment, _ := strings.Cut(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, false
	}
	v := w.root
	for step := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
		if fragment == "" {
			break
		}
		w.left--
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch inner := v.(type) {
		case map[string]any:
			var there bool
			if v, there = inner[step]; !there {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inner) {
				return nil, false
			}
			v = inner[i]
		default:
			return nil, false
		}
	}
	return v, true
}
