package clip

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// waves is a sea, or hills, in layers under a sun that rises behind them.
type waves struct {
	script Script
	title  *title
	layers []layer
	sunX   float64
}

type layer struct {
	colour                 ink.Color
	base                   float64 // of the height
	tall, long, speed, off [3]float64
}

const waveLayers = 6

func newWaves(s Script) Scene {
	v := &waves{script: s}
	w, h := float64(s.Width), float64(s.Height)
	chance := s.chance(2)
	v.title = newTitle(s, Box{w * 0.1, h * 0.08, w * 0.8, h * 0.34}, Type{Face: lettering.Bold, Lines: 3 + s.Height/s.Width*2, Most: s.shorterSide() * 0.15, Align: 0.5})
	v.sunX = w * (0.3 + 0.4*chance.Float64())
	for i := range waveLayers {
		f := float64(i) / (waveLayers - 1)
		k := layer{base: 0.6 + 0.32*f}
		if s.Palette.Light {
			k.colour = s.Palette.Soft.Mix(s.Palette.Accent, 0.25+0.75*f)
		} else {
			k.colour = s.Palette.Mid.Mix(s.Palette.Back, 0.15+0.85*f)
		}
		for j := range 3 {
			k.tall[j] = s.shorterSide() * (0.035 - 0.009*float64(j)) * (0.8 + 0.5*chance.Float64()) * (0.7 + 0.5*f)
			k.long[j] = w * (0.75 - 0.22*float64(j)) * (0.7 + 0.6*chance.Float64()) * (0.8 + 0.5*f)
			k.speed[j] = (0.035 + 0.05*f) * (1 + 0.5*float64(j)) * sign(chance.Float64()-0.4)
			k.off[j] = chance.Float64()
		}
		v.layers = append(v.layers, k)
	}
	return v
}

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

func (v *waves) Draw(s *Sheet, at float64) {
	p := v.script.Palette
	low := p.Mid
	if p.Light {
		low = p.Soft
	}
	s.field(func(_, y float64) ink.Color {
		if y > 0.38 {
			return blend(p.Deep, low, smooth((y-0.38)/0.34))
		}
		return blend(p.Back, p.Deep, smooth(y/0.38))
	})
	v.drawSun(s, at)
	v.paint(s, at)
	v.title.rise(s, at, p.Ink)
}

func (v *waves) drawSun(s *Sheet, at float64) {
	p := v.script.Palette
	up := easeOut(at / max(v.script.Seconds*0.9, 1))
	y := s.h*0.76 - s.h*0.15*up
	r := v.script.shorterSide() * 0.13
	if !p.Light {
		s.glow(v.sunX, y, r*4, p.Soft.Mix(p.Accent, 0.3), 0.75)
		s.disc(v.sunX, y, r, p.Accent, 1)
		return
	}
	s.disc(v.sunX, y, r*1.5, p.Mid, 0.25)
	s.disc(v.sunX, y, r, p.Accent, 1)
}

// paint fills the layers, the last in front: each as far down as the next one leaves it
// to be seen.
func (v *waves) paint(s *Sheet, at float64) {
	crests, lowest := make([][]ink.Point, len(v.layers)), make([]float64, len(v.layers)+1)
	for i := range v.layers {
		crests[i], lowest[i] = v.layers[i].crest(s, at)
	}
	lowest[len(v.layers)] = s.h
	for i, k := range v.layers {
		foot := math.Ceil(max(lowest[i], lowest[i+1]))
		s.polygon(append(crests[i], ink.Point{X: s.w + 8, Y: foot}, ink.Point{Y: foot}), k.colour, 1)
	}
}

// crest is the upper edge of a layer at every eighth column, since a swell is smooth, and
// its lowest point.
func (k *layer) crest(s *Sheet, at float64) (points []ink.Point, lowest float64) {
	for x := 0.0; x < s.w+8; x += 8 {
		y := k.base * s.h
		for j := range 3 {
			y += k.tall[j] * turn(x/k.long[j]+at*k.speed[j]+k.off[j])
		}
		points, lowest = append(points, ink.Point{X: x, Y: y}), max(lowest, y)
	}
	return points, lowest
}
