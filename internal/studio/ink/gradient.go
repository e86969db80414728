package ink

import (
	"cmp"
	"math"
)

// Ramp is a run of colours, evenly spaced to the eye.
type Ramp []Tone

const rampSteps = 4096

// NewRamp runs through colours from first to last.
func NewRamp(colors ...Color) Ramp {
	ramp := make(Ramp, rampSteps)
	if len(colors) == 1 {
		colors = append(colors, colors[0])
	}
	stops := make([]lab, len(colors))
	for i, c := range colors {
		stops[i] = c.lab()
	}
	for i := range ramp {
		t := float64(i) / (rampSteps - 1) * float64(len(stops)-1)
		at := min(int(t), len(stops)-2)
		ramp[i] = stops[at].mix(stops[at+1], t-float64(at)).Tone()
	}
	return ramp
}

// At is the colour at t, from 0 to 1.
func (r Ramp) At(t float64) Tone {
	return r[int(min(1, max(0, t))*(rampSteps-1)+0.5)]
}

// Linear paints a ramp from one point to another.
func (r Ramp) Linear(from, to Point) Paint {
	dx, dy := to.X-from.X, to.Y-from.Y
	length := cmp.Or(dx*dx+dy*dy, 1)
	return func(x, y int) Tone {
		return r.At(((float64(x)+0.5-from.X)*dx + (float64(y)+0.5-from.Y)*dy) / length)
	}
}

// Radial paints a ramp from a point outwards.
func (r Ramp) Radial(at Point, radius float64) Paint {
	return func(x, y int) Tone {
		return r.At(math.Hypot(float64(x)+0.5-at.X, float64(y)+0.5-at.Y) / radius)
	}
}

// Smooth goes from 0 to 1 between two edges, gently.
func Smooth(from, to, v float64) float64 {
	t := min(1, max(0, (v-from)/(to-from)))
	return t * t * (3 - 2*t)
}

// Mix is the tone t of the way from a to b, on the scale of the page.
func (t Tone) Mix(other Tone, share float64) Tone {
	a := uint64(min(1, max(0, share)) * 65536)
	var out Tone
	for i := range out {
		out[i] = uint16((uint64(t[i])*(65536-a) + uint64(other[i])*a) >> 16)
	}
	return out
}
