package jsonscan

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Template is a document of which some strings may differ from those of the next: frames
// of a stream are alike but for the words they bring, and what is alike need not be
// walked over again. The zero Template fits nothing.
type Template struct {
	parts [][]byte // between the strings, with their quotes
}

// mostTemplate is how long a document may be, without its strings, that is worth keeping.
const mostTemplate = 4 << 10

// Learn takes a valid document over. The strings in it, in their order, may differ.
func (t *Template) Learn(doc []byte, strings ...Value) {
	parts := slices.Grow(t.parts[:0], len(strings)+1)[:len(strings)+1]
	from, size := 0, 0
	for i := range parts {
		to := len(doc)
		if i < len(strings) {
			to = strings[i].From() + 1
		}
		parts[i] = append(parts[i][:0], doc[from:to]...)
		size += len(parts[i])
		if i < len(strings) {
			from = strings[i].To() - 1
		}
	}
	if t.parts = parts; size > mostTemplate {
		t.parts = nil
	}
}

// First is the first of the strings of a document that fits, which is as valid then as
// the one that was learned. Strings with escapes do not fit. It shares the document's bytes.
func (t *Template) First(doc []byte) (text []byte, ok bool) {
	at := 0
	for i, part := range t.parts {
		if !bytes.HasPrefix(doc[at:], part) {
			return nil, false
		}
		at += len(part)
		if i == len(t.parts)-1 {
			return text, at == len(doc)
		}
		end := plainEnd(doc, at)
		if end < len(doc) && doc[end] >= utf8.RuneSelf {
			if end = unescapedEnd(doc, at); !utf8.Valid(doc[at:end]) {
				return nil, false
			}
		}
		if i == 0 {
			text = doc[at:end]
		}
		at = end
	}
	return nil, false
}
