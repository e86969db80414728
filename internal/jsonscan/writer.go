package jsonscan

import (
	"math"
	"slices"
	"strconv"
)

// Writer appends JSON and sets the commas itself. The zero Writer begins with nothing.
// Its methods return it, so that a member is written in one line.
type Writer struct {
	b    []byte
	more bool // something stands before in the same object or array
}

// NewWriter appends to dst.
func NewWriter(dst []byte) *Writer { return &Writer{b: dst} }

// Bytes are what was written.
func (w *Writer) Bytes() []byte { return w.b }

// Open begins an object or an array.
func (w *Writer) Open(bracket Kind) *Writer {
	w.writeComma()
	w.b, w.more = append(w.b, byte(bracket)), false
	return w
}

// Close ends an object or an array.
func (w *Writer) Close(bracket Kind) *Writer {
	w.b, w.more = append(w.b, byte(bracket)+2), true // ] and } stand two behind [ and {
	return w
}

// Key begins a member.
func (w *Writer) Key(name string) *Writer {
	w.writeComma()
	w.b, w.more = append(AppendText(w.b, name), ':'), false
	return w
}

// PlainKey begins a member whose name needs no escapes.
func (w *Writer) PlainKey(name string) *Writer {
	w.Plain(name)
	w.b, w.more = append(w.b, ':'), false
	return w
}

// Text writes a string.
func (w *Writer) Text(text string) *Writer {
	w.writeComma()
	w.b = AppendText(w.b, text)
	return w
}

// Plain writes one string of texts that need no escapes, such as base64.
func (w *Writer) Plain(texts ...string) *Writer {
	w.writeComma()
	w.b = append(w.b, '"')
	for _, text := range texts {
		w.b = append(w.b, text...)
	}
	w.b = append(w.b, '"')
	return w
}

// Raw writes a value, or several members or elements, that are JSON already. Nothing
// is written of nothing.
func (w *Writer) Raw(json []byte) *Writer {
	if len(json) > 0 {
		w.writeComma()
		w.b = append(w.b, json...)
	}
	return w
}

// List writes an array of values that are JSON already.
func (w *Writer) List(values [][]byte) *Writer {
	size := 2 * len(values) // with commas, and what comes behind it in most cases
	for _, v := range values {
		size += len(v)
	}
	w.b = slices.Grow(w.b, size+64)
	w.Open(Array)
	for _, v := range values {
		w.Raw(v)
	}
	return w.Close(Array)
}

// WriteInside writes what is inside of an object or an array into the one that is open.
func (w *Writer) WriteInside(v Value) *Writer {
	if k := v.Kind(); (k == Object || k == Array) && len(v.raw) > 1 {
		from := skipBlank(v.raw, 1)
		to := max(from, skipBlankBefore(v.raw, len(v.raw)-1))
		w.Raw(v.raw[from:to])
	}
	return w
}

// Int writes a whole number.
func (w *Writer) Int(n int64) *Writer {
	w.writeComma()
	w.b = strconv.AppendInt(w.b, n, 10)
	return w
}

// Float writes a number; what is not finite is null.
func (w *Writer) Float(f float64) *Writer {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return w.Null()
	}
	w.writeComma()
	w.b = strconv.AppendFloat(w.b, f, 'g', -1, 64)
	return w
}

// Bool writes true or false.
func (w *Writer) Bool(yes bool) *Writer {
	w.writeComma()
	w.b = strconv.AppendBool(w.b, yes)
	return w
}

// Null writes null.
func (w *Writer) Null() *Writer {
	w.writeComma()
	w.b = append(w.b, "null"...)
	return w
}

// writeComma separates what comes from what stands before.
func (w *Writer) writeComma() {
	if w.more {
		w.b = append(w.b, ',')
	}
	w.more = true
}
