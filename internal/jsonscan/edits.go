package jsonscan

import (
	"cmp"
	"errors"
	"slices"
)

// ErrOverlap says that edits overlap, or that they lie outside of the document.
var ErrOverlap = errors.New("edits of the same bytes")

// Edits change a document that is valid, and leave every other byte as it is. The zero
// Edits change nothing. All places are those of the document as it was.
type Edits struct{ list []edit }

type edit struct {
	from, to int
	text     []byte
	kind     editKind
}

type editKind byte

const (
	spliced  editKind = iota // text in the place of some bytes
	removed                  // a member or an element, which goes with its comma
	appended                 // a member at the end of an object, which comes with its comma
)

// Splice puts text in the place of some bytes. Between equal places it is inserted,
// behind what was inserted there before.
func (e *Edits) Splice(from, to int, text []byte) { e.add(edit{from: from, to: to, text: text}) }

// Replace puts another value in the place of one.
func (e *Edits) Replace(v Value, json []byte) { e.Splice(v.From(), v.To(), json) }

// ReplaceText puts a string in the place of a value.
func (e *Edits) ReplaceText(v Value, text string) { e.Replace(v, AppendText(nil, text)) }

// Rename gives a member another name.
func (e *Edits) Rename(key Key, name string) { e.Splice(key.From, key.To, AppendText(nil, name)) }

// Remove takes a member out of its object.
func (e *Edits) Remove(key Key, v Value) { e.add(edit{from: key.From, to: v.To(), kind: removed}) }

// RemoveElement takes an element out of its array.
func (e *Edits) RemoveElement(v Value) { e.add(edit{from: v.From(), to: v.To(), kind: removed}) }

// Append puts a member at the end of an object.
func (e *Edits) Append(object Value, name string, json []byte) {
	text := append(make([]byte, 0, len(name)+len(json)+4), ',') // left out where it stands first
	text = append(append(AppendText(text, name), ':'), json...)
	e.add(edit{from: object.To() - 1, to: object.To() - 1, text: text, kind: appended})
}

func (e *Edits) add(c edit) {
	if e.list == nil {
		e.list = make([]edit, 0, 4) // a request that passes through needs no more
	}
	e.list = append(e.list, c)
}

// Len is how many edits there are.
func (e *Edits) Len() int { return len(e.list) }

// Apply is the document with all edits made, in one copy. Without edits it is the
// document itself. Edits that overlap are an error.
func (e *Edits) Apply(doc []byte) ([]byte, error) {
	if len(e.list) == 0 {
		return doc, nil
	}
	var room [9][]byte
	pieces, err := e.pieces(room[:0], doc)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	out := make([]byte, 0, size)
	for _, p := range pieces {
		out = append(out, p...)
	}
	return out, nil
}

// Pieces are what Apply puts together: of a long document nothing is copied. They share
// the document's bytes.
func (e *Edits) Pieces(doc []byte) ([][]byte, error) { return e.pieces(nil, doc) }

func (e *Edits) pieces(list [][]byte, doc []byte) ([][]byte, error) {
	slices.SortStableFunc(e.list, func(a, b edit) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var room [4]edit
	at := 0
	for _, c := range e.cuts(room[:0], doc) {
		if c.from < at || c.to < c.from || c.to > len(doc) {
			return nil, ErrOverlap
		}
		list = append(list, doc[at:c.from], c.text)
		at = c.to
	}
	return append(list, doc[at:]), nil
}

// cuts appends the edits with the commas that go and come with them.
func (e *Edits) cuts(cuts []edit, doc []byte) []edit {
	emptied := -1 // where the last member stood of an object that has lost all
	for i := 0; i < len(e.list); i++ {
		c := e.list[i]
		if c.from < 0 || c.to > len(doc) {
			return append(cuts, c) // which Apply refuses
		}
		switch c.kind {
		case removed:
			for i+1 < len(e.list) && follows(doc, c, e.list[i+1]) {
				i++
				c.to = e.list[i].to
			}
			if end := c.to; c.withComma(doc) {
				emptied = end
			}
		case appended:
			last, n := skipBlankBefore(doc, c.from), len(cuts)
			first := n == 0 || cuts[n-1].kind != appended || cuts[n-1].from != c.from
			if first && (last > 0 && doc[last-1] == '{' || last == emptied) {
				c.text = c.text[1:]
			}
		}
		cuts = append(cuts, c)
	}
	return cuts
}

// follows reports whether b is removed too and is a, or stands next to it.
func follows(doc []byte, a, b edit) bool {
	if b.kind != removed {
		return false
	}
	if b.from == a.from && b.to == a.to {
		return true
	}
	comma := skipBlank(doc, a.to)
	return comma < len(doc) && doc[comma] == ',' && skipBlank(doc, comma+1) == b.from
}

// withComma lets a run of members or elements go with the comma behind it, or else
// with the one before it. It reports whether there is neither.
func (c *edit) withComma(doc []byte) (alone bool) {
	if after := skipBlank(doc, c.to); after < len(doc) && doc[after] == ',' {
		c.to = skipBlank(doc, after+1)
		return false
	}
	if before := skipBlankBefore(doc, c.from); before > 0 && doc[before-1] == ',' {
		c.from = skipBlankBefore(doc, before-1)
		return false
	}
	return true
}

// skipBlankBefore finds where white space begins that ends at i.
func skipBlankBefore(b []byte, i int) int {
	for i > 0 && space(b[i-1]) {
		i--
	}
	return i
}

// WithText is a document with another text in the place of a value's. It comes back as it is where the value
// is no text, or its end is cut off.
func WithText(doc []byte, v Value, text string) []byte {
	raw := v.Raw()
	if v.Kind() != String || len(raw) < 2 || raw[len(raw)-1] != '"' {
		return doc
	}
	out := append(make([]byte, 0, len(doc)-len(raw)+len(text)+8), doc[:v.From()]...)
	return append(AppendText(out, text), doc[v.To():]...)
}
