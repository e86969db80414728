package canvas

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawWaves draws waves that roll towards the one who looks, under a quiet sky with the words.
func drawWaves(s *sheet) {
	r := s.chance("waves")
	sky := s.pal.paper
	ramp := ink.NewRamp(sky.Mix(s.pal.hue(1), 0.22), sky)
	s.flood(ramp.Linear(ink.Point{Y: s.h * 0.75}, ink.Point{}))
	s.step(0.15)
	words := s.plan(s.skyBox(0.5), setting{face: lettering.Bold, sub: lettering.Regular, leading: 1, track: -0.02, most: 0.17, lines: 4, subs: 3})
	from := max(0.34, min(0.6, (words.bottom()+0.04*s.u)/s.h))
	if words.title.Empty() {
		from = 0.3
	}
	water := s.h * (from + 0.13)
	size := min(s.u*(0.13+0.05*r.Float64()), 0.8*(water-words.bottom()))
	x := s.w * (0.6 + 0.22*r.Float64())
	disc := new(ink.Path)
	disc.Circle(x, water-0.1*size, size)
	s.paint(disc, ink.NewRamp(s.pal.accent(0).Lighter(0.05), s.pal.accent(0)).Linear(ink.Point{Y: water - size}, ink.Point{Y: water + size}), 1)
	far, near := s.pal.hue(1), s.deepest()
	const n = 8
	for i := range n {
		depth := float64(i) / (n - 1)
		base := s.h * (from + 0.13 + (0.93-from)*math.Pow(depth, 1.15)*0.9)
		high := s.u * (0.016 + 0.05*depth)
		long := s.u * (0.28 + 0.55*depth)
		shift, second := r.Float64()*2*math.Pi, r.Float64()*2*math.Pi
		crest := func(x float64) float64 {
			v := math.Sin(x/long*2*math.Pi + shift)
			return base - high*(0.75*v+0.25*math.Abs(v)+0.45*math.Sin(x/long*3.7+second))
		}
		c := far.Mix(near, depth)
		reach := box{0, base - 2*high - 0.07*s.u, s.w, 4*high + 0.07*s.u} // further down the wave covers its own shadow
		s.drawInside(reach, func() { s.shadow(s.downFrom(crest), ink.Black, 0.02*s.u, ink.Point{Y: -0.006 * s.u}, 0.2) })
		body := ink.NewRamp(c.Lighter(0.07), c)
		s.paint(s.downFrom(crest), body.Linear(ink.Point{Y: base - high}, ink.Point{Y: base + 0.16*s.u}), 1)
		s.step(0.2 + 0.6*depth)
	}
	s.print(words)
}

// skyBox is the upper part of the page's inside.
func (s *sheet) skyBox(share float64) box {
	above, _ := s.inner().rows(share)
	return above
}

// deepest is the colour of deep water: dark, and of the palette's own hue.
func (s *sheet) deepest() ink.Color {
	tones := s.pal.tones()
	c := tones[0].LCH()
	if c.C < 0.03 && s.pal.name != "mono" {
		c.H, c.C = s.pal.hue(1).LCH().H, 0.07
	}
	c.L = max(0.2, c.L)
	return c.Color()
}

// downFrom is everything below a line that runs across the page.
func (s *sheet) downFrom(line func(x float64) float64) *ink.Path {
	p := new(ink.Path)
	step := max(2, s.w/320)
	p.Move(-step, s.h+10)
	for x := -step; x <= s.w+step; x += step {
		p.Line(x, line(x))
	}
	p.Line(s.w+step, s.h+10)
	return p
}
