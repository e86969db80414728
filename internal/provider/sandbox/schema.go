package sandbox

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// parseSchema reads a schema of any draft, or of OpenAPI, into the words of the
// newest draft. Numbers too big to reckon with are left out.
func parseSchema(raw json.RawMessage) (doc any, ok bool) {
	if len(raw) == 0 {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, false
	}
	switch s := doc.(type) {
	case bool:
		return s, true
	case map[string]any:
		return modernize(s), true
	}
	return nil, false
}

// The keywords that hold a schema, a list of schemas, or schemas by name.
var (
	oneSchema = []string{
		"items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedProperties", "unevaluatedItems",
	}
	listedSchemas = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	namedSchemas  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// modernize copies a schema in the words of draft 2020-12.
func modernize(v any) any {
	old, ok := v.(map[string]any)
	if !ok {
		return v
	}
	s := maps.Clone(old)
	delete(s, "$schema")
	for word, v := range s {
		if n, isNumber := v.(json.Number); isNumber && !reckonable(n) {
			delete(s, word)
		}
	}
	modernizeItems(s)
	modernizeTypes(s)
	for _, word := range oneSchema {
		if inner, given := s[word]; given {
			s[word] = modernize(inner)
		}
	}
	for _, word := range listedSchemas {
		if list, given := s[word].([]any); given {
			list = slices.Clone(list)
			for i := range list {
				list[i] = modernize(list[i])
			}
			s[word] = list
		}
	}
	for _, word := range namedSchemas {
		if named, given := s[word].(map[string]any); given {
			named = maps.Clone(named)
			for name := range named {
				named[name] = modernize(named[name])
			}
			s[word] = named
		}
	}
	return s
}

// modernizeItems rewrites lists of items, bounds by flag and dependencies of older drafts.
func modernizeItems(s map[string]any) {
	if list, isList := s["items"].([]any); isList {
		s["prefixItems"] = list
		delete(s, "items")
		if rest, given := s["additionalItems"]; given {
			s["items"] = rest
			delete(s, "additionalItems")
		}
	}
	for flag, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if on, isFlag := s[flag].(bool); isFlag {
			delete(s, flag)
			if n, given := s[bound]; on && given {
				s[flag] = n
				delete(s, bound)
			}
		}
	}
	if needs, given := s["dependencies"].(map[string]any); given {
		lists := make(map[string]any)
		for name, need := range needs {
			if list, isList := need.([]any); isList {
				lists[name] = list
			}
		}
		s["dependentRequired"] = lists
		delete(s, "dependencies")
	}
}

// modernizeTypes rewrites types in capitals and the flag for null.
func modernizeTypes(s map[string]any) {
	switch t := s["type"].(type) {
	case string:
		s["type"] = strings.ToLower(t)
	case []any:
		t = slices.Clone(t)
		for i := range t {
			if name, isText := t[i].(string); isText {
				t[i] = strings.ToLower(name)
			}
		}
		s["type"] = t
	}
	if on, _ := s["nullable"].(bool); on {
		if name, isText := s["type"].(string); isText {
			s["type"] = []any{name, "null"}
		}
	}
	delete(s, "nullable")
}

// reckonable reports whether a number is of a size that floats have, so that
// exact arithmetic with it stays cheap.
func reckonable(n json.Number) bool {
	f, err := strconv.ParseFloat(string(n), 64)
	return err == nil && len(n) < 64 && (f == 0 || math.Abs(f) > 1e-30 && math.Abs(f) < 1e30)
}
