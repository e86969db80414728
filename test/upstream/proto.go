package upstream

import "strings"

// protoNames gives the fields of a message their camelCase, as protobuf's JSON
// allows both spellings, and drops the nulls, which stand for nothing there.
func protoNames(m object, s *shape) {
	for _, name := range sortedKeys(m) {
		v := m[name]
		known := camel(name)
		if s.fields[name] == nil && s.fields[known] != nil {
			delete(m, name)
			m[known] = v
			name = known
		}
		if v == nil && s.fields[name] != nil {
			delete(m, name)
		}
	}
}

// camel is snake_case as lowerCamelCase.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// snake is lowerCamelCase as snake_case.
func snake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
