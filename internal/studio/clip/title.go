package clip

import (
	"math"

	"stele/internal/studio/ink"
)

// title is text that comes, stays and goes: in one card, or in several when there is
// too much of it to read at once.
type title struct {
	cards []card
	box   Box // around all of them
}

type card struct {
	*Setting
	from, to float64
	last     bool
}

// newTitle sets a text within a box for the time of the script.
func newTitle(s Script, box Box, t Type) *title {
	if s.Text == "" {
		return &title{}
	}
	parts := []string{s.Text}
	words := len(Phrases(s.Text, 1))
	if room := int(s.Seconds / 1.6); words > 14 && room > 1 {
		n := max(4, (words+room-1)/room)
		parts = Phrases(s.Text, min(max(n, 7), 14))
		if len(parts) > room {
			parts = Phrases(s.Text, (words+room-1)/room+2)
		}
	}
	out := &title{}
	total := 0.0
	for _, p := range parts {
		total += weight(p)
	}
	at := 0.0
	for i, p := range parts {
		c := card{Setting: Set(p, box, t), from: at, last: i == len(parts)-1}
		at += s.Seconds * weight(p) / total
		c.to = at
		out.cards = append(out.cards, c)
		if i == 0 {
			out.box = c.Box
		}
		out.box = out.box.and(c.Box)
	}
	return out
}

func (b Box) and(c Box) Box {
	right, low := max(b.X+b.W, c.X+c.W), max(b.Y+b.H, c.Y+c.H)
	x, y := min(b.X, c.X), min(b.Y, c.Y)
	return Box{x, y, right - x, low - y}
}

// quiet is 1 away from the text and falls to least on it, within a reach.
func (t *title) quiet(x, y, reach, least float64) float64 {
	if t.cards == nil {
		return 1
	}
	b := t.box
	dx, dy := max(b.X-x, x-b.X-b.W, 0), max(b.Y-y, y-b.Y-b.H, 0)
	return lerp(least, 1, smooth(math.Hypot(dx, dy)/reach))
}

// weight is how long a text takes to read, by its letters.
func weight(text string) float64 { return 12 + float64(len(text)) }

// at is the card of a time, how far it has come (0 to 1), and how far it has gone.
func (t *title) at(now float64) (c *card, came, gone float64) {
	for i := range t.cards {
		c = &t.cards[i]
		if now < c.to || c.last {
			break
		}
	}
	if c == nil {
		return nil, 0, 0
	}
	length := c.to - c.from
	gone = span(now, c.to-min(0.35, length*0.15), c.to)
	return c, (now - c.from) / min(1.5, max(length*0.5, 0.3)), gone
}

// rise draws the words one after the other, each coming up from below.
func (t *title) rise(s *Sheet, now float64, colour ink.Color) {
	c, came, gone := t.at(now)
	if c == nil {
		return
	}
	n := float64(len(c.Words))
	for i := range c.Words {
		w := &c.Words[i]
		start := 0.5 * float64(i) / max(n, 4)
		in := easeOut((came - start) / 0.5)
		s.write(w, w.X, w.Y+(1-in)*c.Size*0.45-easeIn(gone)*c.Size*0.2, 1, colour, in*(1-gone))
	}
}

// fade draws the words together, coming out of the ground and growing a little.
func (t *title) fade(s *Sheet, now float64, colour ink.Color) {
	c, came, gone := t.at(now)
	if c == nil {
		return
	}
	in := smooth(came)
	scale := 0.94 + 0.06*easeOut(came) + 0.03*easeIn(gone)
	cx, cy := c.Box.X+c.Box.W/2, c.Box.Y+c.Box.H/2
	for i := range c.Words {
		w := &c.Words[i]
		s.write(w, cx+(w.X-cx)*scale, cy+(w.Y-cy)*scale, scale, colour, in*(1-gone))
	}
}
