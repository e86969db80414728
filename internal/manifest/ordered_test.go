package manifest_test

import "stele/internal/manifest"

// ordered is a mapping that keeps the order of the file.
type ordered[T any] []entry[T]

type entry[T any] struct {
	Key   string
	Value T
}

// ByKey returns the value under key.
func (m ordered[T]) ByKey(key string) (value T, ok bool) {
	for _, e := range m {
		if e.Key == key {
			return e.Value, true
		}
	}
	return value, false
}

// UnmarshalManifest reads a mapping.
func (m *ordered[T]) UnmarshalManifest(n *manifest.Node) {
	out := ordered[T]{}
	for key, value := range n.Entries() {
		e := entry[T]{Key: key}
		value.Decode(&e.Value)
		out = append(out, e)
	}
	if n.Kind() == manifest.Mapping {
		*m = out
	}
}
