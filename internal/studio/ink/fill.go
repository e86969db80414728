package ink

import (
	"context"
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// Lay fills a path. Opacity goes from 0 to 1.
func (p *Page) Lay(ctx context.Context, path *Path, paint Paint, opacity float64) error {
	return p.lay(ctx, path, opacity, func(x, y int, mask []uint8, full uint32) {
		row := p.Row(y)[x:]
		for i, m := range mask {
			if m != 0 {
				row[i].lay(paint(x+i, y), share(m, full))
			}
		}
	})
}

// LayColor fills a path with one colour.
func (p *Page) LayColor(ctx context.Context, path *Path, c Color, opacity float64) error {
	tone := c.Flat()
	return p.lay(ctx, path, opacity, func(x, y int, mask []uint8, full uint32) {
		row := p.Row(y)[x:]
		for i, m := range mask {
			switch {
			case m == 255 && full == 65536:
				row[i] = tone
			case m != 0:
				row[i].lay(tone, share(m, full))
			}
		}
	})
}

// share is how much of a pixel is covered, of 65536; 255 of a mask is all of it.
func share(mask uint8, full uint32) uint32 { return (uint32(mask) + uint32(mask)>>7) * full >> 8 }

// lay has rows drawn, from x on, as far as they lie inside a path.
func (p *Page) lay(ctx context.Context, path *Path, opacity float64, draw func(x, y int, mask []uint8, full uint32)) error {
	area := path.pixels().Intersect(p.clip)
	if area.Empty() || opacity <= 0 {
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	mask := p.cover(path, area)
	full := uint32(min(1, opacity) * 65536)
	return Bands(ctx, area.Dy(), func(from, to int) {
		for y := from; y < to; y++ {
			draw(area.Min.X, area.Min.Y+y, mask[y*area.Dx():][:area.Dx()], full)
		}
	})
}

// cover is how much of each pixel of an area lies inside a path. It holds until
// the next call.
func (p *Page) cover(path *Path, area image.Rectangle) []uint8 {
	n := area.Dx() * area.Dy()
	if cap(p.mask) < n {
		p.mask = make([]uint8, n)
	}
	p.mask = p.mask[:n]
	path.rasterise(&p.edge, &image.Alpha{Pix: p.mask, Stride: area.Dx(), Rect: area})
	return p.mask
}

// Mask is how much of each pixel of an area lies inside the path.
func (p *Path) Mask(area image.Rectangle) *image.Alpha {
	area = area.Intersect(p.pixels())
	mask := image.NewAlpha(area)
	if !area.Empty() {
		p.rasterise(new(vector.Rasterizer), mask)
	}
	return mask
}

// rasterise writes every pixel of the mask.
func (p *Path) rasterise(edge *vector.Rasterizer, mask *image.Alpha) {
	area := mask.Rect
	edge.Reset(area.Dx(), area.Dy())
	edge.DrawOp = draw.Src
	// An edge far outside costs a step for each row it crosses.
	near := func(at Point) (float32, float32) {
		x, y := at.X-float64(area.Min.X), at.Y-float64(area.Min.Y)
		return float32(min(1e5, max(-1e5, x))), float32(min(1e5, max(-1e5, y)))
	}
	points := p.points
	for i, v := range p.verbs {
		ax, ay := near(points[0])
		switch v {
		case moveTo:
			if i > 0 {
				edge.ClosePath()
			}
			edge.MoveTo(ax, ay)
			points = points[1:]
		case lineTo:
			edge.LineTo(ax, ay)
			points = points[1:]
		case quadTo:
			bx, by := near(points[1])
			edge.QuadTo(ax, ay, bx, by)
			points = points[2:]
		case cubeTo:
			bx, by := near(points[1])
			cx, cy := near(points[2])
			edge.CubeTo(ax, ay, bx, by, cx, cy)
			points = points[3:]
		}
	}
	edge.ClosePath()
	edge.Draw(mask, area, image.Opaque, image.Point{})
}

// Shadow lays the blurred shape of a path, moved by d.
func (p *Page) Shadow(ctx context.Context, path *Path, c Color, blur float64, d Point, opacity float64) error {
	moved := new(Path)
	moved.Append(path, 1, d.X, d.Y)
	reach := int(math.Ceil(3*blur)) + 1
	area := moved.pixels().Inset(-reach).Intersect(p.clip)
	if area.Empty() {
		return ctx.Err()
	}
	// A shadow has no detail: a quarter of the pixels is plenty for a wide one.
	step := max(1, int(blur/3))
	small := image.Rect(0, 0, area.Dx()/step+2, area.Dy()/step+2)
	shrunk := new(Path)
	shrunk.Append(moved, 1/float64(step), -float64(area.Min.X)/float64(step), -float64(area.Min.Y)/float64(step))
	mask := image.NewAlpha(small)
	shrunk.rasterise(new(vector.Rasterizer), mask)
	Soften(mask, blur/float64(step))
	tone := c.Tone()
	return p.Wash(ctx, area, func(x, y int) (Tone, float64) {
		fx, fy := (float64(x-area.Min.X)+0.5)/float64(step)-0.5, (float64(y-area.Min.Y)+0.5)/float64(step)-0.5
		return tone, opacity * readBetween(mask, fx, fy)
	})
}

// readBetween reads a mask between its pixels, from 0 to 1.
func readBetween(m *image.Alpha, x, y float64) float64 {
	x, y = min(float64(m.Rect.Max.X-1), max(0, x)), min(float64(m.Rect.Max.Y-1), max(0, y))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, m.Rect.Max.X-1), min(y0+1, m.Rect.Max.Y-1)
	fx, fy := x-float64(x0), y-float64(y0)
	at := func(x, y int) float64 { return float64(m.Pix[y*m.Stride+x]) }
	top := at(x0, y0)*(1-fx) + at(x1, y0)*fx
	low := at(x0, y1)*(1-fx) + at(x1, y1)*fx
	return (top*(1-fy) + low*fy) / 255
}

// Soften blurs a mask: three box blurs are as good as a bell curve of that width.
func Soften(m *image.Alpha, sigma float64) {
	r := int(math.Round((math.Sqrt(4*sigma*sigma+1) - 1) / 2))
	if r < 1 {
		return
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	line := make([]uint8, max(w, h))
	for range 3 {
		for y := range h {
			box(m.Pix[y*m.Stride:], line, w, 1, r)
		}
		for x := range w {
			box(m.Pix[x:], line, h, m.Stride, r)
		}
	}
}

// box averages n values that lie step apart over r neighbours on either side.
func box(pix, line []uint8, n, step, r int) {
	for i := range n {
		line[i] = pix[i*step]
	}
	sum := 0
	at := func(i int) int {
		if i < 0 || i >= n {
			return 0
		}
		return int(line[i])
	}
	for i := -r; i < r; i++ {
		sum += at(i)
	}
	for i := range n {
		sum += at(i + r)
		pix[i*step] = uint8((sum + r) / (2*r + 1))
		sum -= at(i - r)
	}
}
