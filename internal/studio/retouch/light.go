package retouch

import (
	"context"
	"image"
	"image/color"
	"math"

	"stele/internal/studio/ink"
)

// Light is a change of light and colour. The zero value changes nothing.
type Light struct {
	Brightness float64 // -1 to 1
	Contrast   float64 // -1 to 1
	Saturation float64 // -1 to 1
	Gray       bool
	Tint       *color.RGBA
	Strength   float64 // of the tint, 0 to 1
}

// Adjust changes light and colour, in place.
func Adjust(ctx context.Context, m *image.RGBA, l Light) error {
	curve := l.curve()
	saturation := 1 + l.Saturation
	if l.Saturation > 0 {
		saturation = 1 + 2*l.Saturation
	}
	if l.Gray {
		saturation = 0
	}
	var ramp ink.Ramp
	if l.Tint != nil {
		c := ink.Color{R: float64(l.Tint.R) / 255, G: float64(l.Tint.G) / 255, B: float64(l.Tint.B) / 255}
		ramp = tintRamp(c)
	}
	return ink.Bands(ctx, m.Rect.Dy(), func(from, to int) {
		pix := m.Pix[from*m.Stride : to*m.Stride]
		for i := 0; i < len(pix); i += 4 {
			a := uint32(pix[i+3])
			if a == 0 {
				continue
			}
			var rgb [3]float64
			for c := range rgb {
				rgb[c] = curve[min(255, (uint32(pix[i+c])*255+a/2)/a)] // what it was before premultiplication
			}
			grey := 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
			for c, v := range rgb {
				v = grey + (v-grey)*saturation
				if ramp != nil {
					v += (float64(ramp.At(grey)[c])/65535 - v) * l.Strength
				}
				pix[i+c] = uint8(min(1, max(0, v))*float64(a) + 0.5)
			}
		}
	})
}

// curve is what brightness and contrast make of each level.
func (l Light) curve() (curve [256]float64) {
	steep := 1 + l.Contrast
	if l.Contrast > 0 {
		steep = 1 / max(0.02, 1-l.Contrast*0.9)
	}
	for i := range curve {
		v := float64(i) / 255
		// Brightness bends the curve, so that black and white stay what they are for
		// as long as they can.
		if l.Brightness >= 0 {
			v += l.Brightness * (1 - v) * (0.35 + 0.65*v)
		} else {
			v *= 1 + l.Brightness
		}
		curve[i] = min(1, max(0, 0.5+(v-0.5)*steep))
	}
	return curve
}

// tintRamp makes a ramp from black through a colour to white, with the colour where its own
// lightness is.
func tintRamp(c ink.Color) ink.Ramp {
	const n = 16
	own := min(0.9, max(0.1, 0.2126*c.R+0.7152*c.G+0.0722*c.B))
	stops := make([]ink.Color, n+1)
	for i := range stops {
		t := float64(i) / n
		if t <= own {
			stops[i] = ink.Black.Mix(c, t/own)
		} else {
			stops[i] = c.Mix(ink.White, math.Pow((t-own)/(1-own), 1.2))
		}
	}
	return ink.NewRamp(stops...)
}
