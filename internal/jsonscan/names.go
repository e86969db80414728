package jsonscan

import "bytes"

// few is how many members of an object are compared one by one. Beyond, they are
// hashed: an object may have a million.
const few = 32

// mostMembers is how many members objects may have that are open at once, beside those that
// have few: each is remembered until its object ends, in more bytes than it has itself. A bias
// for every token of a vocabulary is fewer.
const mostMembers = 1 << 18

// name is a member's: its first bytes, which nearly always tell names apart, and where
// it is. Without pointers a walk's names need no heap.
type name struct {
	head uint64
	from int // in the document, or ^from where those are that were written with escapes
	size int
}

// siblings are the names of one object: the first few are the walker's, from some place
// on, all of them in the set once there are more.
type siblings struct {
	from int
	set  map[string]struct{}
}

// add notes a name that begins at a place of the document and reports whether it is new.
func (w *walker) add(known *siblings, text []byte, from int, escaped bool) bool {
	if known.set != nil {
		before := len(known.set)
		known.set[view(text)] = struct{}{}
		w.hashed++
		w.many = w.hashed > mostMembers
		return len(known.set) > before && !w.many
	}
	n := name{head(text), from, len(text)}
	for i := known.from; i < w.open; i++ {
		if o := w.name(i); o.head == n.head && o.size == n.size && (len(text) <= 8 || bytes.Equal(w.unescapeName(o), text)) {
			return false
		}
	}
	if escaped {
		w.plain = append(w.plain, text...)
		n.from = ^(len(w.plain) - len(text))
	}
	if w.open < len(w.first) {
		w.first[w.open] = n
	} else {
		w.rest = append(w.rest[:w.open-len(w.first)], n)
	}
	if w.open++; w.open-known.from > few {
		known.set = make(map[string]struct{}, 4*few)
		for i := known.from; i < w.open; i++ {
			known.set[string(w.unescapeName(w.name(i)))] = struct{}{}
		}
		w.hashed += len(known.set)
	}
	return true
}

func (w *walker) name(i int) *name {
	if i < len(w.first) {
		return &w.first[i]
	}
	return &w.rest[i-len(w.first)]
}

// unescapeName gives a name as it is meant.
func (w *walker) unescapeName(n *name) []byte {
	if n.from < 0 {
		return w.plain[^n.from:][:n.size]
	}
	return w.b[n.from:][:n.size]
}

// head is the first eight bytes of a text. Behind a name the document goes on, so that
// nearly always they can be read at once.
func head(text []byte) (h uint64) {
	if cap(text) >= 8 {
		h = word(text[:8])
		if len(text) < 8 {
			h &= 1<<(8*len(text)) - 1
		}
		return h
	}
	for i, c := range text {
		h |= uint64(c) << (8 * i)
	}
	return h
}
