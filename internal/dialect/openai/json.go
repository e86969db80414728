package openai

import (
	"strconv"
	"unsafe"

	"stele/internal/dialect"
)

// view is b as text without a copy. Only for bytes that do not change while the
// text, or anything cut out of it, is in use.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // a copy of a body may be 32 MB
}

// writer appends JSON. It sees from what was written last whether a comma is
// needed, so that members and elements are simply written one after another.
type writer struct{ b []byte }

func (w *writer) comma() {
	if len(w.b) == 0 {
		return
	}
	switch w.b[len(w.b)-1] {
	case '{', '[', ':', ',':
	default:
		w.b = append(w.b, ',')
	}
}

// key begins a member. The name is one of the API's own and needs no escapes.
func (w *writer) key(name string) *writer {
	w.comma()
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
	return w
}

// open begins an object or an array.
func (w *writer) open(bracket byte) *writer {
	w.comma()
	w.b = append(w.b, bracket)
	return w
}

// close ends an object or an array.
func (w *writer) close(bracket byte) *writer {
	w.b = append(w.b, bracket)
	return w
}

func (w *writer) text(s string) *writer {
	w.comma()
	w.b = dialect.AppendText(w.b, s)
	return w
}

func (w *writer) raw(json []byte) {
	w.comma()
	w.b = append(w.b, json...)
}

// word writes what needs no escapes: true, null, a constant.
func (w *writer) word(s string) *writer {
	w.comma()
	w.b = append(w.b, s...)
	return w
}

func (w *writer) int(n int64) *writer {
	w.comma()
	w.b = strconv.AppendInt(w.b, n, 10)
	return w
}

func (w *writer) number(f float64) {
	w.comma()
	w.b = strconv.AppendFloat(w.b, f, 'g', -1, 64)
}

func (w *writer) bool(yes bool) *writer {
	w.comma()
	w.b = strconv.AppendBool(w.b, yes)
	return w
}
