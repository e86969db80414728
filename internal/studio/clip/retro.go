package clip

import (
	"context"
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// retro is a drive into a striped sun over a grid of light.
type retro struct {
	script Script
	title  *title
	stars  [][3]float64
	ridge  []float64
	light  ink.Ramp // of the sun, from above
}

func newRetro(s Script) Scene {
	v := &retro{script: s}
	w, h := float64(s.Width), float64(s.Height)
	chance := s.chance(5)
	v.title = newTitle(s, Box{w * 0.1, h * 0.07, w * 0.8, h * 0.27}, Type{Face: lettering.Bold, Lines: 3 + s.Height/s.Width*2, Most: s.shorterSide() * 0.16, Align: 0.5})
	for range 90 {
		v.stars = append(v.stars, [3]float64{chance.Float64(), chance.Float64() * 0.5, chance.Float64()})
	}
	for range 15 {
		v.ridge = append(v.ridge, 0.02+0.075*chance.Float64())
	}
	low := s.Palette.Mid
	if s.Palette.Light {
		low = s.Palette.Soft
	}
	v.light = ink.NewRamp(s.Palette.Accent, s.Palette.Accent.Mix(low, 0.85))
	return v
}

const horizon = 0.66

func (v *retro) Draw(s *Sheet, at float64) {
	p := v.script.Palette
	ground, line, high, low := p.Back, p.Mid, p.Back, p.Mid
	if p.Light {
		ground, line, high, low = p.Deep, p.Accent, p.Back, p.Soft
	}
	s.field(func(_, y float64) ink.Color {
		f := smooth(y/horizon) * 0.9
		return blend(high, low, f*f)
	})
	for _, k := range v.stars {
		glitter := 0.35 + 0.4*turn(at*(0.2+0.5*k[2])+k[2]*7)
		s.disc(k[0]*s.w, k[1]*s.h, v.script.shorterSide()*(0.0012+0.0016*k[2]), p.Ink, max(glitter, 0)*(1-k[1]*1.6))
	}
	v.drawSun(s, at)
	v.drawHills(s)
	y := s.h * horizon
	s.bar(0, y, s.w, s.h, ground, 1)
	v.drawGrid(s, at, line)
	if !p.Light {
		for i := range 3 {
			t := v.script.shorterSide() * 0.012 * float64(i+1)
			s.bar(0, y-t, s.w, y+t, p.Soft, 0.13)
		}
	}
	s.bar(0, y-v.script.shorterSide()*0.002, s.w, y+v.script.shorterSide()*0.002, p.Soft, 1)
	v.title.rise(s, at, p.Ink)
}

// drawSun draws a disc with slits that move down and widen.
func (v *retro) drawSun(s *Sheet, at float64) {
	r := v.script.shorterSide() * 0.21
	cx, cy := s.w/2, s.h*horizon-r*0.34+(1-easeOut(at/1.6))*r*0.9
	if p := v.script.Palette; !p.Light {
		s.glow(cx, cy, r*2.6, p.Mid.Mix(p.Soft, 0.4), 0.9)
	}
	var disc ink.Path
	for y := max(math.Floor(cy-r), 0); y < min(cy+r, s.h); y++ {
		d := (y + 0.5 - cy) / r
		band := (d+0.15)*6.5 - at*0.45
		if slit := d > -0.15 && band-math.Floor(band) < 0.16+0.3*(d+0.15); slit || d < -1 || d > 1 {
			continue
		}
		half := r * math.Sqrt(1-d*d)
		disc.Rect(cx-half, y, 2*half, 1)
	}
	light := v.light.Linear(ink.Point{Y: cy - r*0.83}, ink.Point{Y: cy + r*0.83})
	_ = s.Lay(context.Background(), &disc, light, 1)
}

func (v *retro) drawHills(s *Sheet) {
	p := v.script.Palette
	colour := p.Deep.Mix(p.Back, 0.4)
	if p.Light {
		colour = p.Mid
	}
	reach := min(s.w*0.42, s.w/2-v.script.shorterSide()*0.24)
	for _, side := range []bool{false, true} {
		points := []ink.Point{{X: -2, Y: s.h*horizon + 1}}
		for i, h := range v.ridge {
			f := float64(i) / float64(len(v.ridge)-1)
			points = append(points, ink.Point{X: f * reach, Y: s.h * (horizon - h*(1-f*f))})
		}
		points = append(points, ink.Point{X: reach, Y: s.h*horizon + 1})
		if side {
			for i := range points {
				points[i].X = s.w - points[i].X*0.92
			}
		}
		s.polygon(points, colour, 1)
	}
}

func (v *retro) drawGrid(s *Sheet, at float64, line ink.Color) {
	y0, deep := s.h*horizon, s.h*(1-horizon)
	thin := max(v.script.shorterSide()/420, 1)
	var rays ink.Path
	for i := -16.0; i <= 16; i++ {
		rays.Stroke([]ink.Point{{X: s.w * (0.5 + i*0.035), Y: y0}, {X: s.w * (0.5 + i*0.21), Y: s.h + 2}}, thin)
	}
	s.lay(&rays, line, 0.85)
	move := math.Mod(at*0.9, 1)
	for i := range 14 {
		d := float64(i) + 1 - move
		y := y0 + deep/(d*0.55)*0.45
		if y > s.h {
			continue
		}
		thick := thin * (0.4 + 1.3*(y-y0)/deep)
		s.bar(0, y-thick/2, s.w, y+thick/2, line, 0.3+0.6*unit((y-y0)/deep*2))
	}
}
