package canvas

import (
	"math/rand/v2"
	"slices"

	"stele/internal/studio/ink"
	swatch "stele/internal/studio/palette"
)

// palette is the colours of a picture.
type palette struct {
	name    string
	paper   ink.Color
	ink     ink.Color // for words on the paper
	accents []ink.Color
	dark    bool // paper darker than ink
}

// Palettes lists the names of palettes.
func Palettes() []string { return swatch.Names() }

// paletteOf is a palette by name. The seed decides on the order of the quieter accents,
// and turns the hues a little where the palette was not asked for by name.
func paletteOf(name string, free bool, r *rand.Rand) palette {
	s, _ := swatch.FindSwatch(name)
	turn := 0.0
	if free {
		turn = (r.Float64() - 0.5) * 16
	}
	tone := func(c ink.LCH) ink.Color {
		c.H += turn
		return c.Color()
	}
	p := palette{name: name, paper: tone(s.Paper), ink: tone(s.Ink), dark: s.Paper.L < s.Ink.L}
	for _, c := range s.Accents {
		p.accents = append(p.accents, tone(c))
	}
	rest := p.accents[1:]
	r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return p
}

// accent is the i-th accent, from the beginning again when they are used up.
func (p *palette) accent(i int) ink.Color { return p.accents[i%len(p.accents)] }

// hue is the i-th accent that is a colour, not a grey, if the palette has any.
func (p *palette) hue(i int) ink.Color {
	var colors []ink.Color
	for _, c := range p.accents {
		if c.LCH().C > 0.03 {
			colors = append(colors, c)
		}
	}
	if len(colors) == 0 {
		return p.accent(i)
	}
	return colors[i%len(colors)]
}

// warmest is the accent for sunlight, or a white where all are cold.
func (p *palette) warmest() ink.Color {
	for _, c := range p.accents {
		if v := c.LCH(); v.C > 0.06 && v.H > 10 && v.H < 112 {
			return c
		}
	}
	return p.paper.Mix(ink.White, 0.7)
}

// tones are paper, accents and ink from dark to light.
func (p *palette) tones() []ink.Color {
	list := append([]ink.Color{p.paper, p.ink}, p.accents...)
	slices.SortFunc(list, func(a, b ink.Color) int {
		switch d := a.Luminance() - b.Luminance(); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	return list
}

// tint makes the loudest accent the paper.
func (p *palette) tint() {
	paper := p.accents[0]
	p.accents[0] = p.paper
	if ink.Contrast(p.paper, paper) > ink.Contrast(p.ink, paper) {
		p.ink = p.paper
	}
	p.paper, p.ink = paper, p.ink.Readable(paper, readable)
	p.dark = paper.Luminance() < p.ink.Luminance()
}
