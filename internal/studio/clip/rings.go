package clip

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// rings is a set of arcs turning around one point, with the text beside or under it.
type rings struct {
	script Script
	title  *title
	cx, cy float64
	arcs   []arc
}

type arc struct {
	radius, width, from, length, speed float64
	colour                             ink.Color
	delay                              float64
}

func newRings(s Script) Scene {
	v := &rings{script: s}
	w, h := float64(s.Width), float64(s.Height)
	chance := s.chance(4)
	box := Box{w * 0.07, h * 0.14, w * 0.43, h * 0.72}
	v.cx, v.cy = w*0.79, h*0.5
	reach := min(h*0.56, w*0.31)
	if w < h*1.2 { // there is more room below than beside
		box = Box{w * 0.09, h * 0.6, w * 0.82, h * 0.34}
		v.cx, v.cy, reach = w*0.5, h*0.32, w*0.52
	}
	if s.Text == "" {
		v.cx, v.cy = w/2, h/2
	}
	v.title = newTitle(s, box, Type{Face: lettering.Bold, Lines: 5, Most: s.shorterSide() * 0.17})
	p := s.Palette
	colours := []ink.Color{p.Mid, p.Soft, p.Accent, p.Deep, p.Mid, p.Soft}
	r := reach * 0.16
	for i := 0; r < reach; i++ {
		width := reach * (0.018 + 0.06*chance.Float64())
		direction := 1.0
		if i%2 == 1 {
			direction = -1
		}
		v.arcs = append(v.arcs, arc{
			radius: r + width/2, width: width, from: chance.Float64(), length: 0.3 + 0.55*chance.Float64(),
			speed: direction * (0.03 + 0.09*chance.Float64()), colour: colours[(i+int(s.Seed%6))%len(colours)], delay: 0.07 * float64(i),
		})
		r += width + reach*(0.022+0.03*chance.Float64())
	}
	return v
}

func (v *rings) Draw(s *Sheet, at float64) {
	p := v.script.Palette
	s.blobs(p.Back, []blob{{v.cx / s.w, v.cy / s.h, 1.1, 0.75, p.Deep}}, nil)
	beat := 1.0
	if v.script.Beat > 0 { // a small pulse with the music
		beat = 1 + 0.06*math.Exp(-6*math.Mod(at, v.script.Beat)/v.script.Beat)
	}
	inner := v.script.shorterSide() * 0.055
	s.disc(v.cx, v.cy, inner*easeOut(at/0.8)*beat, p.Accent, 1)
	for _, a := range v.arcs {
		open := easeBoth((at - a.delay) / 1.3)
		if open <= 0 {
			continue
		}
		from := a.from + at*a.speed
		var p ink.Path
		p.Arc(v.cx, v.cy, a.radius*lerp(0.85, 1, open), a.width, from, from+a.length*open)
		s.lay(&p, a.colour, 1)
	}
	v.title.rise(s, at, p.Ink)
}
