package canvas

import (
	"context"
	"image"
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// sheet is a picture while it is composed. The first error stays, and everything
// after it does nothing: layouts need not look.
type sheet struct {
	ctx    context.Context //nolint:containedctx // that of one call of Draw
	err    error
	order  Order
	style  string
	words  wording
	mood   mood
	pal    palette
	page   *ink.Page
	hand   *lettering.Hand
	w, h   float64
	u      float64 // the shorter side: the measure of shapes
	t      float64 // the measure of type, which may be larger on a wide page
	done   float64
	report func(float64)
	watch  func(words box, c ink.Color) // told of all words before they are drawn; for tests
}

// step tells how far the picture is.
func (s *sheet) step(progress float64) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err == nil && progress > s.done {
		s.done = progress
		s.report(progress)
	}
}

// lay fills a path with a colour.
func (s *sheet) lay(p *ink.Path, c ink.Color) {
	if s.err == nil {
		s.err = s.page.LayColor(s.ctx, p, c, 1)
	}
}

func (s *sheet) paint(p *ink.Path, paint ink.Paint, opacity float64) {
	if s.err == nil {
		s.err = s.page.Lay(s.ctx, p, paint, opacity)
	}
}

func (s *sheet) flood(paint ink.Paint) {
	if s.err == nil {
		s.err = s.page.Flood(s.ctx, paint)
	}
}

func (s *sheet) wash(area image.Rectangle, wash func(x, y int) (ink.Tone, float64)) {
	if s.err == nil {
		s.err = s.page.Wash(s.ctx, area, wash)
	}
}

func (s *sheet) shadow(p *ink.Path, c ink.Color, blur float64, d ink.Point, opacity float64) {
	if s.err == nil {
		s.err = s.page.Shadow(s.ctx, p, c, blur, d, opacity)
	}
}

// grain roughens the page a little, as paper and film do.
func (s *sheet) grain(strength float64) {
	noise := ink.NewNoise(s.order.Seed)
	s.wash(s.page.Bounds(), func(x, y int) (ink.Tone, float64) {
		g := noise.Grain(x, y) * strength
		if g < 0 {
			return ink.Tone{}, -g
		}
		return ink.Tone{65535, 65535, 65535}, g
	})
}

// wideness is above 1 for landscape formats and below for portrait ones.
func (s *sheet) wideness() float64 { return s.w / s.h }

// margin is the room kept free along the edges.
func (s *sheet) margin() float64 { return 0.075 * s.u }

// drawInside draws with everything outside a box kept as it is.
func (s *sheet) drawInside(b box, draw func()) {
	defer s.page.Clip(b.pixels())()
	draw()
}

// box is a part of the page.
type box struct{ x, y, w, h float64 }

// pageBox is the page with its margins.
func (s *sheet) pageBox() box { return box{0, 0, s.w, s.h} }

// inner is the page without its margins.
func (s *sheet) inner() box {
	m := s.margin()
	return box{m, m, s.w - 2*m, s.h - 2*m}
}

func (b box) inset(d float64) box { return box{b.x + d, b.y + d, b.w - 2*d, b.h - 2*d} }

// pixels are those the box touches.
func (b box) pixels() image.Rectangle {
	return image.Rect(int(math.Floor(b.x)), int(math.Floor(b.y)), int(math.Ceil(b.x+b.w)), int(math.Ceil(b.y+b.h)))
}

func (b box) right() float64  { return b.x + b.w }
func (b box) bottom() float64 { return b.y + b.h }

func (b box) path() *ink.Path {
	p := new(ink.Path)
	p.Rect(b.x, b.y, b.w, b.h)
	return p
}

// rows and columns cut a box at a share of its height or width.
func (b box) rows(share float64) (above, below box) {
	return box{b.x, b.y, b.w, b.h * share}, box{b.x, b.y + b.h*share, b.w, b.h * (1 - share)}
}

func (b box) columns(share float64) (left, right box) {
	return box{b.x, b.y, b.w * share, b.h}, box{b.x + b.w*share, b.y, b.w * (1 - share), b.h}
}
