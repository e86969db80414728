package jsonscan

import (
	"unicode/utf16"
	"unicode/utf8"
)

// walker is a walk under way. Its methods take the place where something begins and
// give the place behind it, or -1 where it is wrong.
type walker struct {
	b       []byte
	allow   Allow
	needles *Needles
	told    func(name string, text Value) // nil: none is

	member  string   // the name of the innermost member
	first   [32]name // of the names of all objects that are open, the innermost's last
	rest    []name   // of them
	open    int      // how many there are
	plain   []byte   // holds those that were written with escapes
	values  int
	escaped int
	found   uint64
	hidden  uint64
	hashed  int // names of open objects that are in sets
	mistake
}

func (w *walker) fail(at int) int {
	w.at = at
	return -1
}

func (w *walker) value(i, depth int) int {
	if i >= len(w.b) {
		return w.fail(i)
	}
	if w.b[i] == '"' {
		end, _ := w.text(i)
		if w.told != nil && end >= 0 {
			w.told(w.member, Value{w.b[i:end], i})
		}
		return end
	}
	switch w.b[i] {
	case '{':
		return w.object(i, depth, nil)
	case '[':
		return w.array(i, depth)
	case 't':
		return w.literal(i, "true")
	case 'f':
		return w.literal(i, "false")
	case 'n':
		return w.literal(i, "null")
	}
	return w.number(i)
}

func (w *walker) literal(i int, literal string) int {
	if end := i + len(literal); end <= len(w.b) && string(w.b[i:end]) == literal {
		return end
	}
	return w.fail(i)
}

func (w *walker) array(i, depth int) int {
	if depth > MostDepth {
		return w.fail(i)
	}
	b := w.b
	w.values++
	if i = skipBlank(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = w.value(i, depth+1); i < 0 {
			return i
		}
		switch i = skipBlank(b, i); {
		case i >= len(b):
			return w.fail(i)
		case b[i] == ']':
			return i + 1
		case b[i] != ',':
			return w.fail(i)
		}
		w.values++
		i = skipBlank(b, i+1)
	}
}

func (w *walker) object(i, depth int, member func(Key, Value)) int {
	if depth > MostDepth {
		return w.fail(i)
	}
	b := w.b
	w.values++
	known, outer := siblings{from: w.open}, w.member
	if i = skipBlank(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		key, from := w.key(i, &known)
		if from < 0 {
			return from
		}
		w.member = key.Name
		to := w.value(from, depth+1)
		if to < 0 {
			return to
		}
		if member != nil {
			member(key, Value{b[from:to], from})
		}
		switch i = skipBlank(b, to); {
		case i >= len(b):
			return w.fail(i)
		case b[i] == '}':
			w.open, w.member = known.from, outer
			w.hashed -= len(known.set)
			return i + 1
		case b[i] != ',':
			return w.fail(i)
		}
		w.values++
		i = skipBlank(b, i+1)
	}
}

// key goes over a member's name and the colon behind it.
func (w *walker) key(i int, known *siblings) (key Key, from int) {
	b := w.b
	if i >= len(b) || b[i] != '"' {
		return key, w.fail(i)
	}
	end, escaped := w.text(i)
	if end < 0 {
		return key, end
	}
	name := b[i+1 : end-1]
	if escaped {
		name = unquote(name)
	}
	if w.allow&(BadUTF8|Duplicates) == BadUTF8 && !utf8.Valid(name) { // what is wrong in two ways is read as one
		name, escaped = []byte(string([]rune(string(name)))), true
	}
	if w.allow&Duplicates == 0 && !w.add(known, name, i+1, escaped) {
		w.twice = !w.many
		return key, w.fail(i)
	}
	colon := skipBlank(b, end)
	if colon >= len(b) || b[colon] != ':' {
		return key, w.fail(colon)
	}
	return Key{view(name), i, end}, skipBlank(b, colon+1)
}

// text goes over a string, and reports whether it has escapes.
func (w *walker) text(i int) (end int, escaped bool) {
	b, from := w.b, i
	for i++; ; {
		if rest := b[i:]; len(rest) >= 8 && ends(word(rest)) != 0 { // most names
			i += first(ends(word(rest)))
		} else if i = plainEnd(b, i); i >= len(b) {
			return w.fail(i), false
		}
		switch c := b[i]; {
		case c == '"':
			if escaped {
				w.escaped += i - from - 1
			}
			if w.needles != nil {
				w.look(b[from:i+1], escaped)
			}
			return i + 1, escaped
		case c == '\\':
			if i, escaped = w.escape(i), true; i < 0 {
				return i, true
			}
			i = pastEscapes(b, i) // a text that has one has more
		case c < ' ':
			return w.fail(i), escaped
		default:
			if n, escapes := pastText(b[i:]); n > 0 {
				i, escaped = i+n, escaped || escapes
				continue
			}
			run := i
			i = unescapedEnd(b, i)
			if w.allow&BadUTF8 == 0 && !utf8.Valid(b[run:i]) {
				return w.fail(run), escaped
			}
		}
	}
}

// look looks for needles in a string.
func (w *walker) look(quoted []byte, escaped bool) {
	found := w.needles.begin(quoted)
	w.found |= found
	if escaped {
		w.hidden |= w.needles.findDisguised(quoted) &^ found
	}
}

func (w *walker) escape(i int) int {
	if i+1 >= len(w.b) {
		return w.fail(i)
	}
	if shortEscape[w.b[i+1]] {
		return i + 2
	}
	r := hex(w.b[i:])
	if r < 0 {
		return w.fail(i)
	}
	if !utf16.IsSurrogate(r) || w.allow&LoneSurrogates != 0 {
		return i + 6
	}
	if utf16.DecodeRune(r, hex(w.b[i+6:])) == utf8.RuneError {
		return w.fail(i)
	}
	return i + 12
}

func (w *walker) number(i int) int {
	start := i
	if w.b[i] == '-' {
		i++
	}
	switch d := w.digits(i); {
	case d == i, w.b[i] == '0' && d > i+1: // none, or one too many
		return w.fail(start)
	default:
		i = d
	}
	if i < len(w.b) && w.b[i] == '.' {
		d := w.digits(i + 1)
		if d == i+1 {
			return w.fail(d)
		}
		i = d
	}
	if i < len(w.b) && w.b[i]|0x20 == 'e' {
		if i++; i < len(w.b) && (w.b[i] == '+' || w.b[i] == '-') {
			i++
		}
		d := w.digits(i)
		if d == i {
			return w.fail(d)
		}
		i = d
	}
	return i
}

func (w *walker) digits(i int) int {
	for i < len(w.b) && w.b[i] >= '0' && w.b[i] <= '9' {
		i++
	}
	return i
}
