package canvas

import (
	"math/rand/v2"
	"slices"

	"stele/internal/studio/ink"
)

// palette is the colours of a picture.
type palette struct {
	name    string
	paper   ink.Color
	ink     ink.Color // for words on the paper
	accents []ink.Color
	dark    bool // paper darker than ink
}

type swatch struct {
	paper, ink ink.LCH
	accents    [4]ink.LCH
}

// swatches are chosen by eye. The first accent is the loudest.
var swatches = map[string]swatch{
	"paper":    {lch(.962, .014, 85), lch(.22, .02, 60), [4]ink.LCH{lch(.63, .21, 32), lch(.46, .13, 255), lch(.80, .14, 85), lch(.55, .09, 165)}},
	"mono":     {lch(.97, 0, 0), lch(.17, 0, 0), [4]ink.LCH{lch(.20, 0, 0), lch(.46, 0, 0), lch(.70, 0, 0), lch(.85, 0, 0)}},
	"ember":    {lch(.21, .04, 28), lch(.95, .03, 80), [4]ink.LCH{lch(.69, .20, 42), lch(.57, .21, 27), lch(.83, .15, 78), lch(.40, .12, 20)}},
	"ocean":    {lch(.25, .055, 245), lch(.97, .015, 210), [4]ink.LCH{lch(.79, .13, 62), lch(.72, .12, 215), lch(.55, .13, 242), lch(.88, .07, 192)}},
	"forest":   {lch(.95, .022, 115), lch(.25, .045, 150), [4]ink.LCH{lch(.47, .10, 152), lch(.68, .15, 48), lch(.66, .13, 138), lch(.80, .12, 108)}},
	"dusk":     {lch(.27, .085, 300), lch(.96, .02, 60), [4]ink.LCH{lch(.71, .18, 25), lch(.62, .20, 345), lch(.84, .13, 70), lch(.50, .17, 295)}},
	"sand":     {lch(.93, .03, 80), lch(.29, .035, 50), [4]ink.LCH{lch(.64, .13, 45), lch(.79, .10, 75), lch(.55, .07, 205), lch(.46, .08, 35)}},
	"candy":    {lch(.965, .022, 350), lch(.32, .11, 325), [4]ink.LCH{lch(.73, .17, 358), lch(.82, .10, 205), lch(.88, .13, 95), lch(.70, .14, 300)}},
	"neon":     {lch(.16, .035, 285), lch(.97, .01, 200), [4]ink.LCH{lch(.70, .27, 335), lch(.86, .19, 155), lch(.76, .14, 218), lch(.90, .18, 108)}},
	"citrus":   {lch(.97, .04, 100), lch(.27, .05, 125), [4]ink.LCH{lch(.73, .18, 55), lch(.86, .18, 95), lch(.72, .17, 132), lch(.64, .21, 35)}},
	"primary":  {lch(.955, .02, 90), lch(.19, .01, 270), [4]ink.LCH{lch(.60, .23, 28), lch(.47, .17, 260), lch(.84, .17, 88), lch(.19, .01, 270)}},
	"ice":      {lch(.97, .012, 220), lch(.29, .06, 252), [4]ink.LCH{lch(.52, .14, 255), lch(.78, .08, 215), lch(.66, .10, 235), lch(.88, .05, 190)}},
	"rose":     {lch(.95, .02, 25), lch(.30, .09, 12), [4]ink.LCH{lch(.63, .19, 14), lch(.79, .11, 25), lch(.48, .14, 5), lch(.83, .08, 65)}},
	"midnight": {lch(.20, .05, 266), lch(.96, .02, 90), [4]ink.LCH{lch(.83, .14, 85), lch(.55, .16, 266), lch(.70, .12, 232), lch(.42, .12, 282)}},
}

func lch(l, c, h float64) ink.LCH { return ink.LCH{L: l, C: c, H: h} }

// Palettes lists the names of palettes.
func Palettes() []string { return sortedKeys(swatches) }

// chosen is a palette by name. The seed decides on the order of the quieter accents,
// and turns the hues a little where the palette was not asked for by name.
func chosen(name string, free bool, r *rand.Rand) palette {
	s := swatches[name]
	turn := 0.0
	if free {
		turn = (r.Float64() - 0.5) * 16
	}
	tone := func(c ink.LCH) ink.Color {
		c.H += turn
		return c.Color()
	}
	p := palette{name: name, paper: tone(s.paper), ink: tone(s.ink), dark: s.paper.L < s.ink.L}
	for _, c := range s.accents {
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
