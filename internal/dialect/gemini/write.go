package gemini

import (
	"strconv"

	"stele/internal/dialect"
)

// writer appends JSON. It sets the commas itself: before whatever does not stand
// first in an object, an array or behind a colon.
type writer struct{ b []byte }

func (w *writer) comma() {
	if n := len(w.b); n > 0 {
		switch w.b[n-1] {
		case '{', '[', ':':
		default:
			w.b = append(w.b, ',')
		}
	}
}

// open begins an object or an array.
func (w *writer) open(bracket byte) {
	w.comma()
	w.b = append(w.b, bracket)
}

// close ends an object or an array.
func (w *writer) close(bracket byte) { w.b = append(w.b, bracket) }

// key begins a member.
func (w *writer) key(name string) {
	w.comma()
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

// named begins a member whose name is somebody else's.
func (w *writer) named(name string) {
	w.text(name)
	w.b = append(w.b, ':')
}

// text writes a string.
func (w *writer) text(s string) {
	w.comma()
	w.b = dialect.AppendText(w.b, s)
}

// raw writes a value that is JSON already.
func (w *writer) raw(value []byte) {
	w.comma()
	w.b = append(w.b, value...)
}

// plain writes what needs no escaping, such as base64, as a string.
func (w *writer) plain(s string) {
	w.comma()
	w.b = append(w.b, '"')
	w.b = append(w.b, s...)
	w.b = append(w.b, '"')
}

// member writes a member that is a string.
func (w *writer) member(name, value string) {
	w.key(name)
	w.text(value)
}

// integer writes a member that is a whole number.
func (w *writer) integer(name string, n int64) {
	w.key(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

// number writes a member that is a number, if there is one.
func (w *writer) number(name string, f *float64) {
	if f != nil {
		w.key(name)
		w.b = strconv.AppendFloat(w.b, *f, 'g', -1, 64)
	}
}

// members writes an object's members into the object that is open.
func (w *writer) members(object []byte) {
	c := cursor{b: object}
	if !c.enter('{') {
		return
	}
	start := c.i
	c.i = 0
	c.skip()
	if inner := trim(object[start : c.i-1]); len(inner) > 0 {
		w.raw(inner)
	}
}

func trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}
