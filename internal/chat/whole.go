package chat

// whole watches pieces of JSON go by and knows when the value that began first
// is complete. It does not check the JSON: what is wrong never becomes whole.
type whole struct {
	depth   int
	begun   bool
	quoted  bool
	escaped bool
}

func (w *whole) add(text string) {
	for i := range len(text) {
		c := text[i]
		switch {
		case w.escaped:
			w.escaped = false
		case w.quoted && c == '\\':
			w.escaped = true
		case c == '"':
			w.quoted = !w.quoted
			w.begun = true
		case w.quoted:
		case c == '{' || c == '[':
			w.depth++
			w.begun = true
		case c == '}' || c == ']':
			w.depth--
		}
	}
}

// isDone reports whether an object, array or string was begun and completed.
func (w *whole) isDone() bool { return w.begun && w.depth <= 0 && !w.quoted }
