package canvas

import (
	"strings"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawTypographic draws words and nothing else: every line as wide as the page.
func drawTypographic(s *sheet) {
	r := s.chance("type")
	if r.IntN(2) == 0 {
		s.pal.tint()
	}
	s.flood(ink.Solid(s.pal.paper))
	s.step(0.2)
	if s.words.title == "" {
		s.drawStripes()
		return
	}
	room := s.inner()
	foot := s.setFootnote(&room)
	face := []lettering.Face{lettering.Bold, lettering.Bold, lettering.MonoBold}[r.IntN(3)]
	lines := s.stack(s.words.title, room, lettering.Style{Face: face, Caps: true, Tracking: -0.02, Leading: 1, Lines: 1, Min: 1})
	gap := 0.035 * s.u
	high := -gap
	for _, l := range lines {
		high += l.H + gap
	}
	times := max(1, int((room.h+gap)/(high+gap)))
	spare := (room.h - float64(times)*high - float64(times-1)*gap) / float64(max(1, times*len(lines)-1))
	if times*len(lines) > 1 {
		gap += max(0, min(spare, 0.08*s.u))
	}
	y := room.y + max(0, (room.h-float64(times)*high-float64(times*len(lines)-1)*(gap-0.035*s.u)-float64(times-1)*0.035*s.u)/2)
	for time := range times {
		for i, l := range lines {
			color := s.pal.ink
			if time > 0 || i%2 == 1 && len(lines) > 2 {
				color = s.pal.accent(time+i).Readable(s.pal.paper, 2.2)
			}
			if time == 0 {
				s.set(l, room.x, y, room.w, color.Readable(s.pal.paper, readable))
			} else {
				s.lay(l.Path(room.x, y, room.w), color) // an echo
			}
			y += l.H + gap
			s.step(0.2 + 0.6*(y-room.y)/room.h)
		}
	}
	s.set(foot, room.x, s.h-s.margin()-foot.H, room.w, s.pal.ink.Readable(s.pal.paper, readable))
}

// setFootnote sets the subtitle at the foot of a box and takes its room away.
func (s *sheet) setFootnote(room *box) lettering.Block {
	if s.words.sub == "" {
		return lettering.Block{}
	}
	least := max(8.5, 0.021*s.t)
	style := lettering.Style{Face: lettering.Medium, Leading: 1.3, Lines: 3, Min: least, Max: max(least, 0.032*s.t)}
	foot := s.hand.Fit(s.words.sub, room.w, room.h*0.25, style)
	if !foot.Empty() {
		room.h -= foot.H + 0.05*s.u
	}
	return foot
}

// stack breaks a title into lines that are each set to the full width, choosing the
// breaks that fill the height best.
func (s *sheet) stack(title string, room box, style lettering.Style) []lettering.Block {
	words := strings.Fields(title)
	gap := 0.035 * s.u
	var best []lettering.Block
	fill := -1.0
	for n := 1; n <= min(7, len(words)); n++ {
		var lines []lettering.Block
		high := -gap
		for _, line := range s.hand.Balance(title, n, style) {
			b := s.hand.Fit(line, room.w, room.h, style)
			lines = append(lines, b)
			high += b.H + gap
		}
		if len(lines) != n || high > room.h {
			continue
		}
		repeated := high * float64(max(1, int((room.h+gap)/(high+gap))))
		if share := repeated/room.h + 0.02*float64(n); share > fill {
			best, fill = lines, share
		}
	}
	if best == nil {
		style.Lines = 0
		style.Leading = 1.04
		best = []lettering.Block{s.hand.Fit(title, room.w, room.h, style)}
	}
	return best
}

// drawStripes draws stripes where there are no words.
func (s *sheet) drawStripes() {
	const n = 9
	for i := range n {
		p := new(ink.Path)
		m := s.margin()
		step := (s.h - 2*m) / n
		p.Rect(m, m+float64(i)*step, s.w-2*m, step*(0.2+0.07*float64(i)))
		s.lay(p, s.pal.accent(i))
	}
}
