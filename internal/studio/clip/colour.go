package clip

import (
	"image/color"
	"math"
)

// Colour is an opaque colour of the screen.
type Colour struct{ R, G, B uint8 }

// RGBA makes a Colour a color.Color.
func (c Colour) RGBA() (r, g, b, a uint32) {
	return uint32(c.R) * 257, uint32(c.G) * 257, uint32(c.B) * 257, 65535
}

var _ color.Color = Colour{}

// lab is a colour in OKLab, where equal steps look equal.
type lab struct{ l, a, b float64 }

// LCH is the colour of a lightness (0 to 1), a strength (0 to about 0.3) and a hue in
// degrees. What a screen cannot show is made paler until it can.
func LCH(lightness, chroma, hue float64) Colour {
	angle := hue * math.Pi / 180
	for {
		c, fits := lab{lightness, chroma * math.Cos(angle), chroma * math.Sin(angle)}.screen()
		if fits || chroma < 0.005 {
			return c
		}
		chroma *= 0.95
	}
}

func (c lab) screen() (out Colour, fits bool) {
	l := cube(c.l + 0.3963377774*c.a + 0.2158037573*c.b)
	m := cube(c.l - 0.1055613458*c.a - 0.0638541728*c.b)
	s := cube(c.l - 0.0894841775*c.a - 1.2914855480*c.b)
	fits = true
	channel := func(v float64) uint8 {
		if v < -0.001 || v > 1.001 {
			fits = false
		}
		v = min(max(v, 0), 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		return uint8(v*255 + 0.5)
	}
	out = Colour{
		channel(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		channel(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		channel(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
	}
	return out, fits
}

func cube(v float64) float64 { return v * v * v }

func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func (c Colour) lab() lab {
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

// Mix goes from c to d as at goes from 0 to 1, the way an eye would.
func (c Colour) Mix(d Colour, at float64) Colour {
	p, q := c.lab(), d.lab()
	out, _ := lab{p.l + (q.l-p.l)*at, p.a + (q.a-p.a)*at, p.b + (q.b-p.b)*at}.screen()
	return out
}

// Contrast is that of WCAG: 1 for none, 21 for black on white.
func (c Colour) Contrast(d Colour) float64 {
	a, b := c.luminance()+0.05, d.luminance()+0.05
	return max(a, b) / min(a, b)
}

func (c Colour) luminance() float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}
