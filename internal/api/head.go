package api

import "net/http"

// head is the head of an answer: whole lines where its connection takes them, else fields
// of its header.
type head struct {
	room   *[]byte // nil: its connection takes none
	fields http.Header
}

// lineTaker is an answer whose head takes whole lines, where its connection can.
type lineTaker interface{ HeaderRoom() *[]byte }

// headOf finds the head that lies under an answer which is about to begin.
func headOf(w http.ResponseWriter) head {
	for at := w; ; {
		switch under := at.(type) {
		case lineTaker:
			return head{under.HeaderRoom(), w.Header()}
		case interface{ Unwrap() http.ResponseWriter }:
			at = under.Unwrap()
		default:
			return head{nil, w.Header()}
		}
	}
}

// set says a field, its name as net/http writes it. It is said once in an answer, and takes
// the place of what the header has.
func (h head) set(name, value string) {
	if _, has := h.fields[name]; has || h.room == nil || !isPlain(value) {
		h.fields.Set(name, value)
		return
	}
	*h.room = append(append(append(append(*h.room, name...), ": "...), value...), "\r\n"...)
}

// isPlain reports whether a value can stand in a line as it is.
func isPlain(value string) bool {
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	return true
}
