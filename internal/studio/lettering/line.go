package lettering

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"

	"stele/internal/studio/ink"
)

// Style is how words are set. Zero values are sensible but for Leading.
type Style struct {
	Face     Face
	Tracking float64 // room added between letters, in parts of the size
	Leading  float64 // from line to line, in parts of the size
	Caps     bool
	Align    float64 // of the lines in their box: 0 left, 0.5 centre, 1 right
	Lines    int     // at most; 0 for as many as fit
	Min, Max float64 // sizes
}

// run is a line set at a size of 1 from 0 on the baseline.
type run struct {
	path      ink.Path
	low, high ink.Point // the box around its ink
	width     float64   // of the ink
	advance   float64   // of the pen
}

// set sets one line. The ink begins at 0: large type that starts with its side
// bearing looks indented.
func (h *Hand) set(text string, s Style) run {
	var r run
	var before *glyph
	pen, empty := 0.0, true
	for _, c := range visual(text) {
		g := h.glyph(s.Face, c)
		if g == nil {
			continue
		}
		if before != nil {
			pen += s.Tracking
			if s.Face != Mono && s.Face != MonoBold && !spaceless(before, g) {
				pen += kern(before, g)
			}
		}
		r.path.Append(&g.path, 1, pen, 0)
		if !g.path.Empty() {
			low, high := ink.Point{X: pen + g.low.X, Y: g.low.Y}, ink.Point{X: pen + g.high.X, Y: g.high.Y}
			if empty {
				r.low, r.high, empty = low, high, false
			}
			r.low = ink.Point{X: min(r.low.X, low.X), Y: min(r.low.Y, low.Y)}
			r.high = ink.Point{X: max(r.high.X, high.X), Y: max(r.high.Y, high.Y)}
		}
		pen += g.advance
		before = g
	}
	r.width, r.advance = r.high.X-r.low.X, pen
	return r
}

// spaceless reports whether one of the two has no ink to stand close to.
func spaceless(a, b *glyph) bool { return a.path.Empty() || b.path.Empty() }

// width is that of a line's ink at a size of 1.
func (h *Hand) width(text string, s Style) float64 { return h.set(text, s).width }

// capitals has some for ß, which has none of its own in most faces, and leaves letters
// alone that are never written so, such as the Georgian.
func capitals(text string) string { return strings.ToTitle(strings.ReplaceAll(text, "ß", "ss")) }

// visual is a line in the order it is written on paper: Hebrew runs from the right.
func visual(text string) string {
	if !strings.ContainsFunc(text, isRightToLeft) {
		return text
	}
	var p bidi.Paragraph
	if _, err := p.SetString(text); err != nil {
		return text
	}
	order, err := p.Order()
	if err != nil {
		return text
	}
	runs := make([]string, order.NumRuns())
	for i := range runs {
		r := order.Run(i)
		if runs[i] = r.String(); r.Direction() == bidi.RightToLeft {
			runs[i] = bidi.ReverseString(runs[i])
		}
	}
	if order.Direction() == bidi.RightToLeft { // they come in the order they are read
		slices.Reverse(runs)
	}
	return strings.Join(runs, "")
}

func isRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana)
}
