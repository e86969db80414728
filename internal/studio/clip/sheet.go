package clip

import (
	"context"
	"image"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// Sheet is what a frame is drawn on. Each worker has its own.
type Sheet struct {
	*ink.Page

	w, h  float64
	frame *image.RGBA
}

// NewSheet makes a sheet of a size.
func NewSheet(width, height int) *Sheet {
	return &Sheet{
		Page: ink.New(width, height, ink.Black), w: float64(width), h: float64(height),
		frame: image.NewRGBA(image.Rect(0, 0, width, height)),
	}
}

// Frame is the sheet in 8 bits. It holds until the next call.
func (s *Sheet) Frame() *image.RGBA {
	_ = s.Thin(context.Background(), s.frame) // it fails only when its context ends
	return s.frame
}

// lay fills a path. A frame takes little time: whether it is still wanted is asked
// between frames.
func (s *Sheet) lay(p *ink.Path, c ink.Color, alpha float64) {
	_ = s.LayColor(context.Background(), p, c, alpha)
}

// bar paints a rectangle; its edges may lie between pixels.
func (s *Sheet) bar(x0, y0, x1, y1 float64, c ink.Color, alpha float64) {
	var p ink.Path
	p.Rect(x0, y0, x1-x0, y1-y0)
	s.lay(&p, c, alpha)
}

func (s *Sheet) disc(x, y, r float64, c ink.Color, alpha float64) {
	var p ink.Path
	p.Circle(x, y, max(r, 0))
	s.lay(&p, c, alpha)
}

func (s *Sheet) polygon(points []ink.Point, c ink.Color, alpha float64) {
	var p ink.Path
	p.Polygon(points...)
	s.lay(&p, c, alpha)
}

// line paints a straight line of a width.
func (s *Sheet) line(a, b ink.Point, width float64, c ink.Color, alpha float64) {
	if alpha <= 0.01 {
		return
	}
	var p ink.Path
	p.Stroke([]ink.Point{a, b}, width)
	s.lay(&p, c, alpha)
}

// glow adds light around a point.
func (s *Sheet) glow(x, y, r float64, c ink.Color, strength float64) {
	_ = s.Glow(context.Background(), ink.Point{X: x, Y: y}, r, c, strength)
}

// write draws a word with its beginning at a point, scaled from there.
func (s *Sheet) write(w *lettering.Word, x, y, scale float64, c ink.Color, alpha float64) {
	s.lay(w.Path(x, y, scale), c, alpha)
}

// blob is a soft spot of colour.
type blob struct {
	x, y, size float64 // by the sheet's width and height; size by its shorter side
	strength   float64
	colour     ink.Color
}

// blobs paints spots of colour that run into each other on a ground. much says how much
// of them there is at a point; nil for all.
func (s *Sheet) blobs(ground ink.Color, list []blob, much func(x, y float64) float64) {
	wide, tall := s.w/min(s.w, s.h), s.h/min(s.w, s.h)
	s.field(func(x, y float64) ink.Color {
		c := ground
		for _, k := range list {
			dx, dy := (x-k.x)*wide, (y-k.y)*tall
			if f := 1 - (dx*dx+dy*dy)/(k.size*k.size); f > 0 {
				c = blend(c, k.colour, smooth(f)*k.strength)
			}
		}
		if much == nil {
			return c
		}
		return blend(ground, c, much(x, y))
	})
}

func (s *Sheet) field(at func(x, y float64) ink.Color) { _ = s.Field(context.Background(), at) }

// blend mixes light as a screen does. Color.Mix goes by the eye, and costs more than what
// is reckoned for every frame may.
func blend(a, b ink.Color, t float64) ink.Color {
	return ink.Color{R: lerp(a.R, b.R, t), G: lerp(a.G, b.G, t), B: lerp(a.B, b.B, t)}
}
