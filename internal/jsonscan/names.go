package jsonscan

import (
	"bytes"
	"encoding/binary"
)

// few is how many members of an object are compared one by one. Beyond, they are
// hashed: an object may have a million.
const few = 32

// name is a member's, as it is meant.
type name struct {
	head uint64 // its first bytes, which nearly always tell names apart
	text []byte
}

// siblings are the names of one object: the first few are in the walker's list, from
// some place on, all of them in the set once there are more.
type siblings struct {
	from int
	set  map[string]struct{}
}

// add notes a name and reports whether it is new.
func (w *walker) add(known *siblings, text []byte) bool {
	if known.set != nil {
		before := len(known.set)
		known.set[view(text)] = struct{}{}
		return len(known.set) > before
	}
	head := head(text)
	for i := range w.names[known.from:] {
		n := &w.names[known.from+i]
		if n.head == head && len(n.text) == len(text) && (len(text) <= 8 || bytes.Equal(n.text, text)) {
			return false
		}
	}
	w.names = append(w.names, name{head, text})
	if len(w.names)-known.from > few {
		known.set = make(map[string]struct{}, 4*few)
		for _, n := range w.names[known.from:] {
			known.set[view(n.text)] = struct{}{}
		}
	}
	return true
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
