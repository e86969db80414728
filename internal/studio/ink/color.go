// Package ink is a sheet of paper and what can be put on it: colours that are
// chosen by how they look, paths, washes and shadows. Everything is computed with
// more depth than a file holds and thinned out once, at the end. It must not know
// words, layouts or requests.
package ink

import "math"

// Color is a colour of the screen: sRGB, each part from 0 to 1.
type Color struct{ R, G, B float64 }

// Black and White are the ends of the scale.
var (
	Black = Color{}
	White = Color{1, 1, 1}
)

// LCH is a colour by how it looks, in OKLCH: lightness from 0 to 1, chroma from 0
// to about 0.35, hue in degrees.
type LCH struct{ L, C, H float64 }

// Color is the nearest colour that a screen shows: lightness and hue are kept,
// chroma gives way.
func (c LCH) Color() Color {
	if rgb, ok := c.rgb(); ok {
		return rgb
	}
	low, high := 0.0, c.C
	for range 18 {
		middle := (low + high) / 2
		if _, ok := (LCH{c.L, middle, c.H}).rgb(); ok {
			low = middle
		} else {
			high = middle
		}
	}
	rgb, _ := LCH{c.L, low, c.H}.rgb()
	return rgb
}

func (c LCH) rgb() (Color, bool) {
	sin, cos := math.Sincos(c.H * math.Pi / 180)
	return lab{c.L, c.C * cos, c.C * sin}.rgb()
}

// LCH is the colour by how it looks.
func (c Color) LCH() LCH {
	v := c.lab()
	h := math.Atan2(v.b, v.a) * 180 / math.Pi
	if h < 0 {
		h += 360
	}
	return LCH{v.l, math.Hypot(v.a, v.b), h}
}

// Mix is the colour t of the way from c to other, evenly to the eye.
func (c Color) Mix(other Color, t float64) Color {
	return c.lab().mix(other.lab(), t)
}

// Lighter moves the lightness by d.
func (c Color) Lighter(d float64) Color {
	v := c.LCH()
	v.L = min(1, max(0, v.L+d))
	return v.Color()
}

// Luminance is the relative luminance of WCAG, from 0 to 1.
func (c Color) Luminance() float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// Contrast is the contrast ratio of WCAG, from 1 to 21.
func Contrast(a, b Color) float64 { return ratio(a.Luminance(), b.Luminance()) }

func ratio(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// Readable moves c away from paper, no further than it must, until the two have
// at least the contrast asked for.
func (c Color) Readable(paper Color, contrast float64) Color {
	if Contrast(c, paper) >= contrast {
		return c
	}
	best := c
	for _, end := range []Color{Black, White} {
		for t := 0.05; t <= 1.001; t += 0.05 {
			moved := c.Mix(end, min(t, 1))
			if Contrast(moved, paper) >= contrast {
				return moved
			}
			if Contrast(moved, paper) > Contrast(best, paper) {
				best = moved
			}
		}
	}
	return best
}

// lab is OKLab.
type lab struct{ l, a, b float64 }

func (c Color) lab() lab {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return lab{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func (v lab) mix(other lab, t float64) Color {
	rgb, _ := lab{v.l + (other.l-v.l)*t, v.a + (other.a-v.a)*t, v.b + (other.b-v.b)*t}.rgb()
	return rgb
}

// rgb is the colour on the screen, and whether a screen has it.
func (v lab) rgb() (Color, bool) {
	l := cube(v.l + 0.3963377774*v.a + 0.2158037573*v.b)
	m := cube(v.l - 0.1055613458*v.a - 0.0638541728*v.b)
	s := cube(v.l - 0.0894841775*v.a - 1.2914855480*v.b)
	r := 4.0767416621*l - 3.3077115913*m + 0.2309699292*s
	g := -1.2684380046*l + 2.6097574011*m - 0.3413193965*s
	b := -0.0041960863*l - 0.7034186147*m + 1.7076147010*s
	const slack = 1e-4
	inside := min(r, g, b) >= -slack && max(r, g, b) <= 1+slack
	return Color{encode(r), encode(g), encode(b)}, inside
}

func cube(x float64) float64 { return x * x * x }

func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func encode(v float64) float64 {
	v = min(1, max(0, v))
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
