package canvas

import (
	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawQuote draws a speaker's words, with room around them.
func drawQuote(s *sheet) {
	r := s.chance("quote")
	if r.IntN(3) == 0 {
		s.pal.tint()
	}
	s.flood(ink.Solid(s.pal.paper))
	inner := s.inner().inset(0.02 * s.u)
	mark := s.hand.Fit("“", inner.w, inner.h, lettering.Style{Face: lettering.Bold, Leading: 1, Min: 8, Max: 0.62 * s.t})
	head := mark.H * 0.62
	if s.wideness() > 1.5 { // the mark beside the words
		left, right := inner.columns(min(0.3, (mark.W+0.06*s.u)/inner.w))
		s.lay(mark.Path(left.x, left.y, left.w), s.pal.accent(0))
		inner = right
		head = 0
	} else {
		s.lay(mark.Path(inner.x, inner.y, inner.w), s.pal.accent(0))
	}
	s.step(0.3)
	if s.words.cut { // a sentence is quoted whole
		s.words = wording{title: s.words.whole}
	}
	head += 0.06 * s.u * min(1, head)
	room := box{inner.x, inner.y + head, inner.w, inner.h - head}
	t := setting{face: lettering.Medium, leading: 1.16, track: -0.012, most: 0.125, lines: 9, anchor: 0.4}
	foot := s.planSource(room)
	words := s.plan(box{room.x, room.y, room.w, room.h - foot.room}, t)
	if kind := r.IntN(3); kind == 2 || words.right() < s.w-0.38*s.u || words.bottom()+foot.room < s.h-0.38*s.u {
		s.drawCorner(kind)
	}
	s.step(0.5)
	s.print(words)
	foot.set(s, words)
}

// source is who said it.
type source struct {
	name lettering.Block
	room float64 // with a rule above it
}

// planSource plans the source, where there is one.
func (s *sheet) planSource(room box) source {
	if s.words.sub == "" || s.words.title == "" {
		return source{}
	}
	least := max(8.5, 0.022*s.t)
	style := lettering.Style{Face: lettering.Italic, Leading: 1.3, Lines: 3, Min: least, Max: max(least, 0.04*s.t)}
	name := s.hand.Fit(s.words.sub, room.w*0.9, room.h*0.3, style)
	return source{name, name.H + 0.1*s.u}
}

// set draws the source below the words.
func (f source) set(s *sheet, words plan) {
	if f.name.Empty() {
		return
	}
	rule, x, y := new(ink.Path), words.room.x, words.bottom()+0.06*s.u
	rule.Rect(x, y, 0.09*s.u, max(1.5, 0.006*s.u))
	s.lay(rule, s.pal.accent(0))
	y += 0.035 * s.u
	s.set(f.name, x, y, words.room.w, s.findLegible(s.pal.ink, box{x, y, f.name.W, f.name.H}))
}

// drawCorner draws something quiet where the words are not.
func (s *sheet) drawCorner(kind int) {
	soft := s.pal.paper.Mix(s.pal.accent(1), 0.22)
	p := new(ink.Path)
	switch kind {
	case 0:
		p.Wedge(s.w, s.h, 0.34*s.u, 180, 270)
	case 1:
		for i := range 4 {
			p.Ring(s.w, s.h, s.u*(0.12+0.07*float64(i)), s.u*0.012)
		}
	default:
		p.Rect(s.w-0.045*s.u, 0, 0.045*s.u, s.h)
		soft = s.pal.accent(1)
	}
	s.lay(p, soft)
}
