package canvas

import (
	"cmp"
	"math"
	"slices"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawField draws colours that flow into each other, and few words.
func drawField(s *sheet) {
	r := s.chance("field")
	s.floodRun(r.Uint32(), s.neighbours(r.IntN(4)))
	s.step(0.6)
	s.grain(0.03)
	t := setting{face: lettering.Medium, sub: lettering.Regular, leading: 1.04, track: -0.018, most: 0.135, lines: 4, subs: 3, anchor: 1}
	if r.IntN(3) == 0 {
		t.align, t.anchor = 0.5, 0.5
	}
	s.letter(s.inner(), t)
}

// neighbours are the palette's colours by hue, from one on: side by side they mix
// without turning grey.
func (s *sheet) neighbours(from int) []ink.Color {
	list := slices.Clone(s.pal.accents)
	slices.SortFunc(list, func(a, b ink.Color) int { return cmp.Compare(a.LCH().H, b.LCH().H) })
	list = append(list[from:], list[:from]...)[:3]
	end := list[2].LCH()
	if end.L > 0.6 {
		end.L, end.C = end.L-0.28, end.C*1.1
	} else {
		end.L += 0.3
	}
	return append(list, end.Color())
}

// floodRun floods the page with a warped run of colours.
func (s *sheet) floodRun(seed uint32, colors []ink.Color) {
	ramp := ink.NewRamp(colors...)
	noise := ink.NewNoise(seed)
	k := 1 / math.Sqrt(s.w*s.h)
	angle := float64(seed%360) * math.Pi / 180
	sin, cos := math.Sincos(angle)
	s.flood(func(px, py int) ink.Tone {
		x, y := float64(px)*k, float64(py)*k
		wx := x + 0.42*noise.At(x*1.1+3, y*1.1)
		wy := y + 0.42*noise.At(x*1.1+40, y*1.1+7)
		along := (wx-0.5)*cos + (wy-0.5)*sin
		fold := 0.5 + 0.5*math.Sin(along*3.4+1.8*noise.At(wx*0.9+11, wy*0.9+5))
		return ramp.At(fold)
	})
}
