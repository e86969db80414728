package manifest

import "iter"

// Map is a mapping that keeps the order of the file. A field of this type is read
// like a Go map with text keys; a null value gives T's zero value.
type Map[T any] []Entry[T]

// Entry is one key of a Map with its value.
type Entry[T any] struct {
	Key   string
	Value T
}

// ByKey returns the value under key.
func (m Map[T]) ByKey(key string) (T, bool) {
	for k, v := range m.All() {
		if k == key {
			return v, true
		}
	}
	var none T
	return none, false
}

// All returns keys and values in the order of the file.
func (m Map[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, e := range m {
			if !yield(e.Key, e.Value) {
				return
			}
		}
	}
}

// UnmarshalManifest reads a mapping.
func (m *Map[T]) UnmarshalManifest(n *Node) {
	out := make(Map[T], 0, len(n.entries))
	for key, value := range n.Entries() {
		e := Entry[T]{Key: key}
		value.Decode(&e.Value)
		out = append(out, e)
	}
	if n.kind == Mapping {
		*m = out
	}
}
