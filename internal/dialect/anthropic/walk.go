package anthropic

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// walker walks over the members of an object without looking into them. The
// object must be known to be valid. It is what makes passing through cheap:
// most of a body is in strings, and those are leapt over.
type walker struct {
	b []byte
	i int
}

func walk(body []byte) walker { return walker{body, bytes.IndexByte(body, '{') + 1} }

// next is the next member: its name, and where its value is.
func (w *walker) next() (key []byte, from, to int, ok bool) {
	w.blank()
	if w.i >= len(w.b) || w.b[w.i] != '"' {
		return nil, 0, 0, false
	}
	start := w.i
	w.quoted()
	key = w.b[start+1 : w.i-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		key, _ = jsontext.AppendUnquote(nil, w.b[start:w.i])
	}
	w.blank()
	from = w.i
	w.value()
	return key, from, w.i, w.i <= len(w.b)
}

// blank leaps over what is between names and values.
func (w *walker) blank() {
	for w.i < len(w.b) {
		switch w.b[w.i] {
		case ' ', '\t', '\r', '\n', ',', ':':
			w.i++
		default:
			return
		}
	}
}

// quoted leaps over a string.
func (w *walker) quoted() {
	for w.i++; w.i < len(w.b); w.i++ {
		n := bytes.IndexByte(w.b[w.i:], '"')
		if n < 0 {
			break
		}
		w.i += n
		slashes := 0
		for w.b[w.i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			w.i++
			return
		}
	}
	w.i = len(w.b)
}

// value leaps over a value of any kind.
func (w *walker) value() {
	depth := 0
	for w.i < len(w.b) {
		switch w.b[w.i] {
		case '"':
			w.quoted()
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return // the end of the object itself
			}
			if depth--; depth == 0 {
				w.i++
				return
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return
			}
		}
		w.i++
	}
}
