package jsonscan

import (
	"bytes"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Kind is what a value is.
type Kind byte

// The kinds of values. A value that is not there has the kind Missing.
const (
	Missing Kind = 0
	Object  Kind = '{'
	Array   Kind = '['
	String  Kind = '"'
	Number  Kind = '0'
	True    Kind = 't'
	False   Kind = 'f'
	Null    Kind = 'n'
)

// Value is a value in its place in a document. The zero Value is one that is not
// there. A Value shares the document's bytes, which must not change while it is in use.
type Value struct {
	raw []byte // its capacity ends with the document: so words can be read beyond its end
	at  int
}

// Key is a member's name, and where it stands in the document with its quotes. A name
// without escapes shares the document's bytes: clone it to keep it.
type Key struct {
	Name     string
	From, To int
}

// At is the value that begins at or after a place in a document. The document is
// trusted to be valid; where it is not, values are cut short, and loops over them end.
func At(doc []byte, at int) Value {
	doc = slices.Clip(doc)
	at = skipBlank(doc, at)
	return Value{doc[at:skip(doc, at)], at}
}

// Root is the value of a document that is known to be valid, found without a walk over it.
func Root(doc []byte) Value {
	doc = slices.Clip(doc)
	from := skipBlank(doc, 0)
	return Value{doc[from:max(from, skipBlankBefore(doc, len(doc)))], from}
}

// Find is At(doc, at).Get(path...), without a look at what stands behind it.
func Find(doc []byte, at int, path ...string) Value {
	doc = slices.Clip(doc)
	at = skipBlank(doc, at)
	return Value{doc[at:], at}.Get(path...)
}

// Kind tells what v is by its first byte.
func (v Value) Kind() Kind {
	if len(v.raw) == 0 {
		return Missing
	}
	switch c := v.raw[0]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return Kind(c)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Number
	}
	return Missing
}

// Exists reports whether v is there.
func (v Value) Exists() bool { return len(v.raw) > 0 }

// Absent reports whether v is null or not there.
func (v Value) Absent() bool { return len(v.raw) == 0 || v.raw[0] == 'n' }

// From is where v begins in the document.
func (v Value) From() int { return v.at }

// To is where v ends in the document.
func (v Value) To() int { return v.at + len(v.raw) }

// Raw is v as it is written. It shares the document's bytes.
func (v Value) Raw() []byte { return slices.Clip(v.raw) }

// Text is a string as it is meant, in memory of its own.
func (v Value) Text() (text string, ok bool) {
	if v.Kind() != String {
		return "", false
	}
	in := inner(v.raw)
	if bytes.IndexByte(in, '\\') < 0 {
		return string(in), true
	}
	return view(appendUnquoted(make([]byte, 0, len(in)), in)), true
}

// Piece is Text for a string that may have been cut anywhere and goes on in another: half a
// surrogate pair stays a half, as the three bytes that would be its UTF-8 if it had one.
func (v Value) Piece() (text string, ok bool) {
	text, ok = v.Text()
	if !ok || !strings.Contains(text, "\uFFFD") {
		return text, ok
	}
	in := inner(v.raw)
	return view(appendPiece(make([]byte, 0, len(in)), in)), true
}

// View is a string as it is meant, or "". Without escapes it shares the document's bytes.
func (v Value) View() string { return view(v.Bytes()) }

// Bytes are a string as it is meant, or nil. Without escapes they are the document's.
func (v Value) Bytes() []byte {
	if v.Kind() != String {
		return nil
	}
	return unquote(inner(v.raw))
}

// Bool is true or false.
func (v Value) Bool() (yes, ok bool) {
	k := v.Kind()
	return k == True, k == True || k == False
}

// Number is a number as it is written, or "". It shares the document's bytes.
func (v Value) Number() string {
	if v.Kind() != Number {
		return ""
	}
	return view(v.raw)
}

// Int is a whole number, also one that is written as 40.0 or 4e1.
func (v Value) Int() (int64, bool) { return Int(v.Number()) }

// Float is a number that is finite.
func (v Value) Float() (float64, bool) { return Float(v.Number()) }

// Int reads a whole number.
func Int(literal string) (int64, bool) {
	whole := len(literal) > 0
	for i := range len(literal) {
		c := literal[i]
		whole = whole && (c >= '0' && c <= '9' || i == 0 && c == '-' && len(literal) > 1)
	}
	if whole {
		n, err := strconv.ParseInt(literal, 10, 64)
		return n, err == nil
	}
	f, ok := Float(literal)
	if !ok || f != math.Trunc(f) || f < -(1<<63) || f >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// Float reads a finite number.
func Float(literal string) (float64, bool) {
	if literal == "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(literal, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// Get is the member at the end of a path of names. It is the first of that name.
func (v Value) Get(path ...string) Value {
	for _, name := range path {
		v = v.member(name)
	}
	return v
}

func (v Value) member(name string) (found Value) {
	for key, value := range v.Members() {
		if key.Name == name {
			return value
		}
	}
	return Value{}
}

// Index is an element of an array.
func (v Value) Index(n int) Value {
	for i, element := range v.Elements() {
		if i == n {
			return element
		}
	}
	return Value{}
}

// Len is how many elements an array has, or an object members.
func (v Value) Len() (n int) {
	for range v.Elements() {
		n++
	}
	for range v.Members() {
		n++
	}
	return n
}

// Members are an object's, in their order. What is no object has none.
func (v Value) Members() iter.Seq2[Key, Value] { return v.MembersAround(0, 0) }

// MembersAround is Members where it is known of one value where in the document it
// begins and ends: it is not looked at. It is 0, 0 where that is not known.
func (v Value) MembersAround(from, to int) iter.Seq2[Key, Value] {
	return func(yield func(Key, Value) bool) { v.eachMember(from-v.at, to-v.at, yield) }
}

func (v Value) eachMember(knownFrom, knownTo int, yield func(Key, Value) bool) {
	if len(v.raw) == 0 || v.raw[0] != '{' {
		return
	}
	b := v.raw[:cap(v.raw)]
	for i := 1; ; i++ {
		if i = skipBlank(b, i); i >= len(b) || b[i] != '"' {
			return
		}
		end, escaped := skipText(b, i)
		name := inner(b[i:end])
		if escaped {
			name = unquote(name)
		}
		colon := skipBlank(b, end)
		if colon >= len(b) || b[colon] != ':' {
			return
		}
		from, to := skipBlank(b, colon+1), knownTo
		if from != knownFrom {
			to = skip(b, from)
		}
		if to <= from || to > len(v.raw) || !yield(Key{view(name), v.at + i, v.at + end}, Value{b[from:to], v.at + from}) {
			return
		}
		if i = skipBlank(b, to); i >= len(b) || b[i] != ',' {
			return
		}
	}
}

// Elements are an array's, with their indexes. What is no array has none.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) { v.eachElement(yield) }
}

func (v Value) eachElement(yield func(int, Value) bool) {
	if len(v.raw) == 0 || v.raw[0] != '[' {
		return
	}
	b := v.raw[:cap(v.raw)]
	for i, n := 1, 0; ; i, n = i+1, n+1 {
		from := skipBlank(b, i)
		to := skip(b, from)
		if to == from || to > len(v.raw) || !yield(n, Value{b[from:to], v.at + from}) {
			return
		}
		if i = skipBlank(b, to); i >= len(b) || b[i] != ',' {
			return
		}
	}
}

// AppendCompact appends v without the white space between its tokens. Numbers and
// strings stay as they are written.
func (v Value) AppendCompact(dst []byte) []byte {
	for i := 0; i < len(v.raw); {
		end := i + 1
		switch c := v.raw[i]; {
		case c == '"':
			end, _ = skipText(v.raw, i)
		case space(c):
			i++
			continue
		}
		dst = append(dst, v.raw[i:end]...)
		i = end
	}
	return dst
}

// view is b as text without a copy.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // a copy of a body may be 32 MB
}
