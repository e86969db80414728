package upstream

import (
	"slices"
	"strings"
)

// fitting is a small value that fits a JSON Schema, or Google's dialect of one: the
// required properties, the first of every choice.
func fitting(schema any) any {
	return fitter{root: schema}.value(schema, "", 0)
}

type fitter struct{ root any }

func (f fitter) value(schema any, name string, depth int) any {
	m, _ := schema.(object)
	if depth > 20 {
		return nil
	}
	if ref := textAt(m, "$ref"); ref != "" {
		return f.value(f.resolve(ref), name, depth+1)
	}
	if c, ok := m["const"]; ok {
		return c
	}
	if words := listAt(m, "enum"); len(words) > 0 {
		return words[0]
	}
	for _, choice := range []string{"anyOf", "oneOf", "allOf"} {
		if options := listAt(m, choice); len(options) > 0 && m["properties"] == nil {
			return f.value(options[0], name, depth+1)
		}
	}
	switch kind(m) {
	case "array":
		return f.array(m, name, depth)
	case "string":
		return stringOf(m, name)
	case "integer", "number":
		return numberOf(m)
	case "boolean":
		return true
	case "null":
		return nil
	}
	return f.object(m, depth)
}

// kind is the type, or the first one that is not null.
func kind(m object) string {
	if t := textAt(m, "type"); t != "" {
		return strings.ToLower(t)
	}
	for _, t := range listAt(m, "type") {
		if t != "null" {
			s, _ := t.(string)
			return strings.ToLower(s)
		}
	}
	if m["items"] != nil {
		return "array"
	}
	return "object"
}

func (f fitter) object(m object, depth int) any {
	out := doc{}
	for _, name := range listAt(m, "required") {
		name, _ := name.(string)
		out = append(out, name, f.value(at(m, "properties", name), name, depth+1))
	}
	return out
}

func (f fitter) array(m object, name string, depth int) any {
	items := []any{}
	for i := range max(intAt(m, "minItems"), 1) {
		if listAt(m, "prefixItems") != nil && i < len(listAt(m, "prefixItems")) {
			items = append(items, f.value(at(m, "prefixItems", i), name, depth+1))
			continue
		}
		items = append(items, f.value(m["items"], name, depth+1))
	}
	if most, ok := floatOf(m["maxItems"]); ok {
		items = items[:min(len(items), int(most))]
	}
	return items
}

var formats = map[string]string{
	"date": "2026-11-03", "time": "12:34:56Z", "date-time": "2026-11-03T12:34:56Z", "duration": "PT1M",
	"email": "a@example.com", "hostname": "example.com", "uri": "https://example.com/", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uuid": "123e4567-e89b-42d3-a456-426614174000",
}

func stringOf(m object, name string) string {
	if s, ok := formats[textAt(m, "format")]; ok {
		return s
	}
	s := name
	if s == "" {
		s = "text"
	}
	for len(s) < intAt(m, "minLength") {
		s += "x"
	}
	if most, ok := floatOf(m["maxLength"]); ok {
		s = s[:min(len(s), int(most))]
	}
	return s
}

func numberOf(m object) int {
	n := 7
	if low, ok := floatOf(m["minimum"]); ok {
		n = max(n, int(low))
	}
	if low, ok := floatOf(m["exclusiveMinimum"]); ok {
		n = max(n, int(low)+1)
	}
	if high, ok := floatOf(m["maximum"]); ok {
		n = min(n, int(high))
	}
	if high, ok := floatOf(m["exclusiveMaximum"]); ok {
		n = min(n, int(high)-1)
	}
	if step := intAt(m, "multipleOf"); step > 0 {
		n = (n + step - 1) / step * step
	}
	return n
}

// resolve finds what a local reference points to.
func (f fitter) resolve(ref string) any {
	at := f.root
	steps := strings.Split(strings.TrimPrefix(ref, "#"), "/")
	for _, s := range slices.DeleteFunc(steps, func(s string) bool { return s == "" }) {
		s = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
		m, _ := at.(object)
		at = m[s]
	}
	return at
}
