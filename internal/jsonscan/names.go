package jsonscan

import (
	"bytes"
	"encoding/binary"
)

// few is how many members of an object are compared one by one. Beyond, they are
// hashed: an object may have a million.
const few = 32

// name is a member's: its first bytes, which nearly always tell names apart, and where
// it is. Without pointers a walk's names need no heap.
type name struct {
	head     uint64
	from, to int  // in the document, or where plain names are
	plain    bool // it was written with escapes
}

// siblings are the names of one object: the first few are the walker's, from some place
// on, all of them in the set once there are more.
type siblings struct {
	from int
	set  map[string]struct{}
}

// add notes a name that ends at a place of the document and reports whether it is new.
func (w *walker) add(known *siblings, text []byte, to int, escaped bool) bool {
	if known.set != nil {
		before := len(known.set)
		known.set[view(text)] = struct{}{}
		return len(known.set) > before
	}
	n := name{head(text), to - len(text), to, escaped}
	for i := known.from; i < w.open; i++ {
		if o := w.name(i); o.head == n.head && o.to-o.from == len(text) && (len(text) <= 8 || bytes.Equal(w.spelled(o), text)) {
			return false
		}
	}
	if escaped {
		w.plain = append(w.plain, text...)
		n.from, n.to = len(w.plain)-len(text), len(w.plain)
	}
	if w.open < len(w.first) {
		w.first[w.open] = n
	} else {
		w.rest = append(w.rest[:w.open-len(w.first)], n)
	}
	if w.open++; w.open-known.from > few {
		known.set = make(map[string]struct{}, 4*few)
		for i := known.from; i < w.open; i++ {
			known.set[string(w.spelled(w.name(i)))] = struct{}{}
		}
	}
	return true
}

func (w *walker) name(i int) *name {
	if i < len(w.first) {
		return &w.first[i]
	}
	return &w.rest[i-len(w.first)]
}

// spelled is a name as it is meant.
func (w *walker) spelled(n *name) []byte {
	if n.plain {
		return w.plain[n.from:n.to]
	}
	return w.b[n.from:n.to]
}

// head is the first eight bytes of a text.
func head(text []byte) (h uint64) {
	if len(text) >= 8 {
		return binary.LittleEndian.Uint64(text)
	}
	for _, c := range text {
		h = h<<8 | uint64(c)
	}
	return h
}
