package lettering

import (
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"stele/internal/studio/ink"
)

// glyph is a character drawn at a size of 1, with the baseline at 0 and y down.
type glyph struct {
	path        ink.Path
	advance     float64
	low, high   ink.Point // the box around the ink
	left, right [zones]float64
}

// Zones are slices of the height in which the room between two glyphs is measured.
const (
	zones    = 48
	zoneTop  = -0.95
	zoneStep = 0.025
)

// glyph finds the shape of a character: in the face, put together from a letter and
// its accents, in a font of the machine, or as a mark. It is nil for what is better
// left out.
func (h *Hand) glyph(face Face, r rune) *glyph {
	if r == '\u00a0' {
		r = ' '
	}
	k := key{face, r}
	if g, ok := h.glyphs[k]; ok {
		return g
	}
	if h.glyphs == nil {
		h.glyphs = make(map[key]*glyph)
	}
	g := h.load(faces[face](), r)
	if g == nil {
		g = h.putTogether(face, r)
	}
	if g == nil && h.Spare != nil && upright(r) {
		for _, f := range h.Spare() {
			if g = h.load(f, r); g != nil {
				break
			}
		}
	}
	if g == nil && worthMarking(r) {
		g = mark(r)
	}
	if g != nil {
		g.measure()
	}
	h.glyphs[k] = g
	return g
}

// load reads a glyph of a font.
func (h *Hand) load(f *sfnt.Font, r rune) *glyph {
	index, err := f.GlyphIndex(&h.buf, r)
	if err != nil || index == 0 {
		return nil
	}
	em := fixed.Int26_6(f.UnitsPerEm()) << 6
	unit := 1 / float64(em)
	advance, err := f.GlyphAdvance(&h.buf, index, em, font.HintingNone)
	if err != nil {
		return nil
	}
	segments, err := f.LoadGlyph(&h.buf, index, em, nil)
	if err != nil {
		return nil
	}
	g := &glyph{advance: float64(advance) * unit}
	at := func(p fixed.Point26_6) ink.Point { return ink.Point{X: float64(p.X) * unit, Y: float64(p.Y) * unit} }
	for _, s := range segments {
		a := at(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			g.path.Move(a.X, a.Y)
		case sfnt.SegmentOpLineTo:
			g.path.Line(a.X, a.Y)
		case sfnt.SegmentOpQuadTo:
			g.path.Quad(a, at(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			g.path.Cube(a, at(s.Args[1]), at(s.Args[2]))
		}
	}
	return g
}

// measure finds the box around the ink and how far it reaches in each zone.
func (g *glyph) measure() {
	for z := range zones {
		g.left[z], g.right[z] = math.Inf(1), math.Inf(-1)
	}
	first := true
	g.path.Flatten(func(a, b ink.Point) {
		for i := range 9 {
			t := float64(i) / 8
			x, y := a.X+(b.X-a.X)*t, a.Y+(b.Y-a.Y)*t
			if first {
				g.low, g.high, first = ink.Point{X: x, Y: y}, ink.Point{X: x, Y: y}, false
			}
			g.low = ink.Point{X: min(g.low.X, x), Y: min(g.low.Y, y)}
			g.high = ink.Point{X: max(g.high.X, x), Y: max(g.high.Y, y)}
			z := min(zones-1, max(0, int((y-zoneTop)/zoneStep)))
			g.left[z], g.right[z] = min(g.left[z], x), max(g.right[z], x)
		}
	})
}

// kern is how much closer b stands to a than their widths say. The faces have no
// kerning of their own: at the size of a title the holes in AV or To would show.
func kern(a, b *glyph) float64 {
	const usual = 0.165 // between two straight stems
	room := math.Inf(1)
	for z := range zones {
		// A glyph needs its room in the neighbouring zones as well.
		right, left := math.Inf(-1), math.Inf(1)
		for near := max(0, z-1); near <= min(zones-1, z+1); near++ {
			right, left = max(right, a.right[near]), min(left, b.left[near])
		}
		if !math.IsInf(right, 0) && !math.IsInf(left, 0) {
			room = min(room, a.advance-right+left)
		}
	}
	if math.IsInf(room, 0) || room <= usual {
		return 0
	}
	return -min(0.09, 0.75*(room-usual))
}
