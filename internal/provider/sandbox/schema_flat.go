package sandbox

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// flatten joins a schema with all it refers to and one branch of each choice, so
// that no reference and no choice is left. False: nothing fits, or it never ends.
func (m *maker) flatten(v any) (map[string]any, bool) {
	if m.left--; m.left < 0 {
		return nil, false
	}
	switch s := v.(type) {
	case bool:
		return map[string]any{}, s
	case map[string]any:
		return m.flattenObject(s)
	}
	return map[string]any{}, true
}

func (m *maker) flattenObject(s map[string]any) (map[string]any, bool) {
	flat := maps.Clone(s)
	for _, word := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else"} {
		delete(flat, word)
	}
	var more []any
	for _, word := range []string{"$ref", "$dynamicRef"} {
		if ref, given := s[word].(string); given {
			if m.countFollowing(ref) > 1 {
				return nil, false
			}
			m.refs = append(m.refs, ref)
			if target, found := m.resolve(ref); found {
				more = append(more, target)
			}
		}
	}
	if all, given := s["allOf"].([]any); given {
		more = append(more, all...)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if ways, given := s[word].([]any); given && len(ways) > 0 {
			more = append(more, m.pickBranch(ways))
		}
	}
	if condition, given := s["if"]; given {
		if then, given := s["then"]; m.choose(2) == 0 && given {
			more = append(more, condition, then)
		} else if otherwise, given := s["else"]; given {
			more = append(more, otherwise)
		}
	}
	own := make(map[string]bool)
	for _, v := range more {
		inner, ok := m.flatten(v)
		if !ok {
			return nil, false
		}
		if flat, ok = merge(flat, inner, own); !ok {
			return nil, false
		}
	}
	return flat, true
}

// pickBranch picks a branch, not one that leads back to where we are if there is another.
func (m *maker) pickBranch(ways []any) any {
	ahead := slices.DeleteFunc(slices.Clone(ways), func(v any) bool {
		s, _ := v.(map[string]any)
		ref, given := s["$ref"].(string)
		return given && m.countFollowing(ref) > 0
	})
	if len(ahead) > 0 {
		ways = ahead
	}
	return ways[m.choose(len(ways))]
}

// countFollowing counts how often a reference is being followed.
func (m *maker) countFollowing(ref string) int {
	n := 0
	for _, r := range m.refs {
		if r == ref {
			n++
		}
	}
	return n
}

// resolve finds what a reference within the schema points to.
func (m *maker) resolve(ref string) (any, bool) {
	base, fragment, _ := strings.Cut(ref, "#")
	if root, _ := m.root.(map[string]any); base != "" && base != root["$id"] {
		return nil, false
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil || fragment != "" && fragment[0] != '/' {
		return nil, false
	}
	v := m.root
	for step := range jsontext.Pointer(fragment).Tokens() {
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

// typesOf is the types a flat schema allows, the telling ones first.
func typesOf(s map[string]any) []string {
	var list []string
	if given, ok := s["type"]; ok {
		for _, t := range typeList(given) {
			if name, isText := t.(string); isText && name != "null" {
				list = append(list, name)
			}
		}
		if slices.Contains(typeList(given), any("null")) || len(list) == 0 {
			list = append(list, "null")
		}
		return list
	}
	for _, guess := range []struct {
		name  string
		words []string
	}{
		{"object", []string{"properties", "required", "additionalProperties", "minProperties", "patternProperties", "propertyNames"}},
		{"array", []string{"items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"}},
		{"string", []string{"pattern", "format", "minLength", "maxLength"}},
		{"number", []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
	} {
		if slices.ContainsFunc(guess.words, func(w string) bool { return s[w] != nil }) {
			list = append(list, guess.name)
		}
	}
	if len(list) == 0 {
		return []string{"string", "integer", "object", "array", "boolean", "null"}
	}
	return list
}

// requiredNames are the properties an object must have, those it needs because of others
// included.
func requiredNames(s map[string]any) []string {
	var list []string
	there := make(map[string]bool)
	add := func(v any) {
		items, _ := v.([]any)
		for _, item := range items {
			if name, isText := item.(string); isText && !there[name] {
				there[name] = true
				list = append(list, name)
			}
		}
	}
	add(s["required"])
	dependent, _ := s["dependentRequired"].(map[string]any)
	i := 0
	for i < len(list) { // it grows on the way
		add(dependent[list[i]])
		i++
	}
	return list
}

// propertySchema is all that an object's schema says of one property.
func (m *maker) propertySchema(s map[string]any, name string) any {
	var rules []any
	if properties, _ := s["properties"].(map[string]any); properties != nil {
		if rule, given := properties[name]; given {
			rules = append(rules, rule)
		}
	}
	matched, _ := s["patternProperties"].(map[string]any)
	for _, text := range slices.Sorted(maps.Keys(matched)) {
		if p := m.patterns.of(text); p != nil && p.re.MatchString(name) {
			rules = append(rules, matched[text])
		}
	}
	if rest, given := s["additionalProperties"]; given && len(rules) == 0 {
		rules = append(rules, rest)
	}
	switch len(rules) {
	case 0:
		return true
	case 1:
		return rules[0]
	}
	return map[string]any{"allOf": rules}
}
