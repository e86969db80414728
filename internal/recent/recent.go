// Package recent is a map of bounded size that forgets what was not used for longest. It must
// not know what it keeps.
package recent

import (
	"container/list"
	"iter"
)

// Map keeps so many values at most. It is not safe for concurrent use: the lock of its owner
// guards it.
type Map[K comparable, V any] struct {
	most int
	by   map[K]*list.Element
	line list.List // of *entry[K, V], the one used last in front
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New makes a Map of so many values.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{most: most, by: make(map[K]*list.Element)}
}

// Len is how many values there are.
func (m *Map[K, V]) Len() int { return len(m.by) }

// Use finds a value and counts as a use of it.
func (m *Map[K, V]) Use(key K) (V, bool) {
	if e, ok := m.by[key]; ok {
		m.line.MoveToFront(e)
	}
	return m.Peek(key)
}

// Peek finds a value and counts as no use of it.
func (m *Map[K, V]) Peek(key K) (value V, ok bool) {
	e, ok := m.by[key]
	if !ok {
		return value, false
	}
	return e.Value.(*entry[K, V]).value, true
}

// Put keeps a value, which counts as a use. Those used longest ago make room for it.
func (m *Map[K, V]) Put(key K, value V) {
	m.Delete(key)
	for len(m.by) >= m.most {
		m.Delete(m.line.Back().Value.(*entry[K, V]).key)
	}
	m.by[key] = m.line.PushFront(&entry[K, V]{key, value})
}

// Delete forgets a value, if there is one.
func (m *Map[K, V]) Delete(key K) {
	if e, ok := m.by[key]; ok {
		m.line.Remove(e)
		delete(m.by, key)
	}
}

// All goes through the values, those used last first. The one it is at may be deleted.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for e := m.line.Front(); e != nil; {
			one := e.Value.(*entry[K, V])
			e = e.Next()
			if !yield(one.key, one.value) {
				return
			}
		}
	}
}
