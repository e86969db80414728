package lettering

import (
	"strings"

	"stele/internal/studio/ink"
)

// Word is a word of a block where it stands, to be moved and scaled from there.
type Word struct {
	Text          string
	X, Y          float64 // where its ink begins, on the baseline
	Width, Height float64 // of its ink; of capitals
	size          float64
	run           run
}

// Words takes a block apart. Its box begins at a point and is w wide, as for Path.
func (h *Hand) Words(b Block, x, y, w float64) []Word {
	var words []Word
	space := h.set(" ", b.style).advance + 2*b.style.Tracking
	for i, line := range b.Lines {
		r := b.runs[i]
		pen := x + (w-r.width*b.Size)*b.style.Align - r.low.X*b.Size
		for text := range strings.FieldsSeq(line) {
			set := h.set(text, b.style)
			words = append(words, Word{
				Text: text, X: pen + set.low.X*b.Size, Y: y + (b.ascent+float64(i)*b.style.Leading)*b.Size,
				Width: set.width * b.Size, Height: capital * b.Size, size: b.Size, run: set,
			})
			pen += (set.advance + space) * b.Size
		}
	}
	return words
}

const capital = 0.72 // the height of capitals at a size of 1

// Path is the word's outline with its ink from a point on, scaled from there.
func (w *Word) Path(x, y, scale float64) *ink.Path {
	p := new(ink.Path)
	p.Append(&w.run.path, w.size*scale, x-w.run.low.X*w.size*scale, y)
	return p
}

// Has reports whether a face of the program has a character of its own.
func Has(face Face, r rune) bool {
	index, err := faces[face]().GlyphIndex(nil, r)
	return err == nil && index != 0
}
