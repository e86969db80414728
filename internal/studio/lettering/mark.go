package lettering

import "stele/internal/studio/ink"

// mark draws a character of a script that no font here has: a small sign built from
// quarter discs and bars, always the same for the same character. It reads as
// writing where an empty box would read as a fault.
func mark(r rune) *glyph {
	const (
		tall = 0.7
		cell = tall / 2
		side = 0.08
	)
	h := uint32(r)*2654435761 + 0x9e3779b9
	g := &glyph{advance: tall + 2*side}
	for i := range 4 {
		h ^= h >> 13
		h *= 0x5bd1e995
		x, y := side+float64(i%2)*cell, -tall+float64(i/2)*cell
		tile(&g.path, int(h>>28)%7, x, y, cell)
	}
	return g
}

// tile draws one quarter of a mark.
func tile(p *ink.Path, kind int, x, y, s float64) {
	switch kind {
	case 0:
		p.Wedge(x, y, s, 0, 90)
	case 1:
		p.Wedge(x+s, y, s, 90, 180)
	case 2:
		p.Wedge(x+s, y+s, s, 180, 270)
	case 3:
		p.Wedge(x, y+s, s, 270, 360)
	case 4:
		p.Rect(x, y, s, s)
	case 5:
		p.Circle(x+s/2, y+s/2, s*0.32)
	case 6:
		p.Rect(x, y+s*0.35, s, s*0.3)
	}
}
