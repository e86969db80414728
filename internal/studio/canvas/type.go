package canvas

import (
	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// setting is how a title and its subtitle stand in a box.
type setting struct {
	face    lettering.Face
	sub     lettering.Face
	caps    bool
	track   float64
	leading float64
	align   float64   // 0 left, 0.5 centre, 1 right
	anchor  float64   // 0 top, 0.5 middle, 1 bottom
	most    float64   // size of the title, in parts of the text measure
	lines   int       // of the title
	subs    int       // lines of the subtitle; 0 for none
	color   ink.Color // of the title, where it can be read
}

// plan is words that know their place but are not drawn yet: what is drawn before
// them can keep out of their way.
type plan struct {
	setting
	title, sub lettering.Block
	gap        float64
	room       box // that they were given
	box            // that they take
}

// plan finds the place of the picture's words in a box.
func (s *sheet) plan(b box, t setting) plan {
	p := plan{setting: t, room: b, box: box{b.x, b.y + b.h*t.anchor, 0, 0}}
	if s.words.title == "" || b.w <= 0 || b.h <= 0 {
		return p
	}
	least := max(9, 0.026*s.t)
	style := lettering.Style{
		Face: t.face, Caps: t.caps, Tracking: t.track, Leading: t.leading, Align: t.align, Lines: t.lines,
		Min: least, Max: max(least, t.most*s.t),
	}
	room := b.h
	if s.words.sub != "" && t.subs > 0 {
		room *= 0.74
	}
	p.title = s.hand.Fit(s.words.title, b.w, room, style)
	p.sub, p.gap = s.setSubtitle(b, p.title, t)
	high, wide := p.title.H+p.gap+p.sub.H, max(p.title.W, p.sub.W)
	p.box = box{b.x + (b.w-wide)*t.align, b.y + (b.h-high)*t.anchor, wide, high}
	return p
}

// setSubtitle sets the subtitle, where there is one and room for it.
func (s *sheet) setSubtitle(b box, title lettering.Block, t setting) (lettering.Block, float64) {
	least := max(8.5, 0.021*s.t)
	size := max(least, min(title.Size*0.4, 0.034*s.t))
	gap := max(size*0.95, title.Size*0.36)
	room := b.h - title.H - gap
	if s.words.sub == "" || t.subs == 0 || room < least || title.Empty() {
		return lettering.Block{}, 0
	}
	sub := s.hand.Fit(s.words.sub, min(b.w, max(title.W, size*24)), room, lettering.Style{
		Face: t.sub, Leading: 1.36, Align: t.align, Lines: t.subs, Min: least, Max: size,
	})
	if sub.Empty() {
		return sub, 0
	}
	return sub, gap
}

// print draws planned words in a colour that can be read where they stand.
func (s *sheet) print(p plan) {
	if s.err != nil || p.title.Empty() {
		return
	}
	boxes := []box{p.of(p.title, p.y)}
	if !p.sub.Empty() {
		boxes = append(boxes, p.of(p.sub, p.y+p.title.H+p.gap))
	}
	color := s.findLegible(p.color, boxes...)
	s.set(p.title, p.room.x, p.y, p.room.w, color)
	s.set(p.sub, p.room.x, p.y+p.title.H+p.gap, p.room.w, color)
}

// of is the part of the room that a block takes at a height.
func (p plan) of(b lettering.Block, y float64) box {
	return box{p.room.x + (p.room.w-b.W)*p.align, y, b.W, b.H}
}

// set draws words whose box begins at a point and is w wide.
func (s *sheet) set(b lettering.Block, x, y, w float64, c ink.Color) {
	if s.err != nil || b.Empty() {
		return
	}
	path := b.Path(x, y, w)
	if s.watch != nil {
		low, high := path.Box()
		s.watch(box{low.X, low.Y, high.X - low.X, high.Y - low.Y}, c)
	}
	s.lay(path, c)
}

// letter plans and prints at once.
func (s *sheet) letter(b box, t setting) { s.print(s.plan(b, t)) }
