package clip

import (
	"image"
	"math"
	"strings"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// kinetic is type in motion: a few words at a time, as large as they can be, each
// beat on its own ground.
type kinetic struct {
	script Script
	beats  []beat
}

type beat struct {
	*Setting
	from, to          float64
	ground, text, fig ink.Color
	enter, figure     int
}

func newKinetic(s Script) Scene {
	v := &kinetic{script: s}
	w, h := float64(s.Width), float64(s.Height)
	chance := s.chance(8)
	parts := Phrases(s.Text, 3)
	if room := max(int(s.Seconds/0.65), 1); len(parts) > room {
		parts = Phrases(strings.Map(func(r rune) rune {
			if strings.ContainsRune(".,;:!?", r) {
				return -1
			}
			return r
		}, s.Text), (len(Phrases(s.Text, 1))+room-1)/room)
	}
	if len(parts) == 0 { // no text: the grounds and figures alone
		parts = make([]string, max(int(s.Seconds/1.2), 2))
	}
	p := s.Palette
	grounds := []ink.Color{p.Back, p.Accent, p.Mid, p.Deep, p.Soft}
	first := chance.IntN(2) * 3 // dark ones at the start
	total, at := 0.0, 0.0
	for _, part := range parts {
		total += weight(part)
	}
	margin := s.shorterSide() * 0.09
	enter := chance.IntN(3)
	for i, part := range parts {
		b := beat{
			Setting: Set(part, Box{margin, margin, w - 2*margin, h - 2*margin}, Type{Face: lettering.Bold, Lines: 3, Most: s.shorterSide() * 0.42, Caps: true}),
			from:    at, ground: grounds[(first+i)%len(grounds)], enter: (enter + i) % 3, figure: chance.IntN(4),
		}
		at += s.Seconds * weight(part) / total
		if s.Beat > 0 && i+1 < len(parts) { // cut with the music
			if snapped := math.Round(at/(s.Beat/2)) * s.Beat / 2; snapped > b.from+0.3 {
				at = snapped
			}
		}
		b.to = at
		b.text, b.fig = p.textOn(b.ground)
		v.beats = append(v.beats, b)
	}
	return v
}

// textOn chooses what can be read on a ground, and what stands out less.
func (p *Palette) textOn(ground ink.Color) (text, figure ink.Color) {
	text = p.Ink
	for _, c := range []ink.Color{p.Back, p.Accent} {
		if ink.Contrast(c, ground) > ink.Contrast(text, ground) {
			text = c
		}
	}
	return text, ground.Mix(text, 0.16)
}

func (v *kinetic) Draw(s *Sheet, at float64) {
	i := 0
	for i+1 < len(v.beats) && at >= v.beats[i].to {
		i++
	}
	b := &v.beats[i]
	wipe := 1.0
	length := min(0.34, (b.to-b.from)*0.4)
	if i > 0 {
		wipe = easeBoth((at - b.from) / length)
	}
	if wipe < 1 {
		before := &v.beats[i-1]
		v.paint(s, before, at, 0)
		v.wipe(s, b, i, wipe)
		return
	}
	s.Fill(b.ground)
	late := length * 0.6
	if i == 0 {
		late = -0.08
	}
	v.paint(s, b, at, late)
}

// wipe brings the next ground over the one before.
func (v *kinetic) wipe(s *Sheet, b *beat, i int, t float64) {
	switch i % 3 {
	case 0:
		s.bar(0, s.h*(1-t), s.w, s.h, b.ground, 1)
	case 1:
		s.disc(s.w*0.5, s.h*0.5, math.Hypot(s.w, s.h)/2*t+1, b.ground, 1)
	default:
		for k := range 5 {
			x := s.w * float64(k) / 5
			w := s.w / 5 * unit(t*1.6-0.15*float64(k))
			s.bar(x, 0, x+w+0.5*t, s.h, b.ground, 1)
		}
	}
}

func (v *kinetic) paint(s *Sheet, b *beat, at, late float64) {
	if late == 0 {
		s.Fill(b.ground)
	}
	now := at - b.from - late
	length := b.to - b.from
	v.drawFigure(s, b, at, easeOut(now/0.6))
	if len(b.Words) == 0 {
		return
	}
	stagger := min(0.16, length*0.3/float64(len(b.Words)))
	drift := 1 + 0.035*unit((at-b.from)/max(length, 0.5))
	for i := range b.Words {
		w := &b.Words[i]
		t := (now - stagger*float64(i)) / min(0.5, length*0.5)
		if t <= 0 {
			continue
		}
		x := s.w*0.5 + (w.X-s.w*0.5)*drift
		y := s.h*0.5 + (w.Y-s.h*0.5)*drift
		switch b.enter {
		case 0: // out of the line below
			whole := s.Clip(image.Rect(0, int(y-b.Size*0.98*drift), s.W, int(y+b.Size*0.24*drift)))
			s.write(w, x, y+(1-easeOut(t))*b.Size*1.1, drift, b.text, 1)
			whole()
		case 1: // from the side
			s.write(w, x-(1-easeOut(t))*s.w*0.45, y, drift, b.text, unit(t*3))
		default: // at once, a little too large
			k := drift * (1 + 0.12*(1-easeOut(t)))
			s.write(w, x-w.Width*(k-drift)/2, y+w.Height*(k-drift)/2, k, b.text, unit(t*3.5))
		}
	}
}

// drawFigure draws one large plain form behind the words.
func (v *kinetic) drawFigure(s *Sheet, b *beat, at, open float64) {
	r := v.script.shorterSide()
	switch b.figure {
	case 0:
		s.disc(s.w*0.84, s.h*0.3, r*0.42*open, b.fig, 1)
	case 1:
		var p ink.Path
		p.Ring(s.w*0.8, s.h*0.74, r*0.37*open, r*0.14*open)
		s.lay(&p, b.fig, 1)
	case 2:
		for i := range 7 {
			x := s.w * (0.58 + 0.07*float64(i))
			tall := s.h * (0.25 + 0.6*chanceAt(v.script.Seed, i, b.figure)) * open * (0.9 + 0.1*turn(at*0.4+float64(i)*0.3))
			s.bar(x, s.h-tall, x+s.w*0.045, s.h, b.fig, 1)
		}
	default:
		turned := at * 0.06
		var points []ink.Point
		for i := range 3 {
			a := (turned + float64(i)/3) * 2 * math.Pi
			points = append(points, ink.Point{X: s.w*0.82 + r*0.5*open*math.Cos(a), Y: s.h*0.5 + r*0.5*open*math.Sin(a)})
		}
		s.polygon(points, b.fig, 1)
	}
}
