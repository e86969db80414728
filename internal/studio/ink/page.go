package ink

import (
	"context"
	"image"
	"math"
	"sync/atomic"

	"golang.org/x/image/vector"

	"stele/internal/studio/cores"
)

// Tone is a colour as a page keeps it.
type Tone [3]uint16

// Tone is the colour in 16 bits. What 8 bits can show exactly stays exact.
func (c Color) Tone() Tone { return Tone{deep(c.R), deep(c.G), deep(c.B)} }

func deep(v float64) uint16 { return uint16(math.Round(min(1, max(0, v)) * 65535)) }

// RGBA makes a Color a color.Color.
func (c Color) RGBA() (r, g, b, a uint32) {
	t := c.Tone()
	return uint32(t[0]), uint32(t[1]), uint32(t[2]), 65535
}

// Color is the tone as a colour.
func (t Tone) Color() Color {
	return Color{float64(t[0]) / 65535, float64(t[1]) / 65535, float64(t[2]) / 65535}
}

// Flat is the tone of c rounded to what a file holds, so that a plain area stays
// plain instead of being dithered.
func (c Color) Flat() Tone {
	t := c.Tone()
	for i, v := range t {
		t[i] = uint16((uint32(v) + 128) / 257 * 257)
	}
	return t
}

// Page is an opaque picture in the making. One goroutine draws at a time.
type Page struct {
	W, H int
	clip image.Rectangle
	pix  []Tone
	edge vector.Rasterizer
	mask []uint8
	step []uint16 // threshold of each pixel, once it is needed
}

// New is a page of one colour.
func New(w, h int, paper Color) *Page {
	p := &Page{W: w, H: h, clip: image.Rect(0, 0, w, h), pix: make([]Tone, w*h)}
	p.Fill(paper)
	return p
}

// Bounds is the whole page.
func (p *Page) Bounds() image.Rectangle { return image.Rect(0, 0, p.W, p.H) }

// Clip keeps what is drawn inside an area until the function it returns is called.
func (p *Page) Clip(area image.Rectangle) (whole func()) {
	before := p.clip
	p.clip = area.Intersect(before)
	return func() { p.clip = before }
}

// At is the tone of a pixel.
func (p *Page) At(x, y int) Tone { return p.pix[y*p.W+x] }

// Row is the pixels of a row, to be read or painted.
func (p *Page) Row(y int) []Tone { return p.pix[y*p.W : (y+1)*p.W] }

// Fill makes the whole page one colour.
func (p *Page) Fill(c Color) {
	tone := c.Flat()
	for i := range p.pix {
		p.pix[i] = tone
	}
}

// Paint says the colour at a pixel. It is asked from several goroutines at once.
type Paint func(x, y int) Tone

// Solid paints one colour.
func Solid(c Color) Paint {
	tone := c.Flat()
	return func(int, int) Tone { return tone }
}

// Flood paints the whole page.
func (p *Page) Flood(ctx context.Context, paint Paint) error {
	return Bands(ctx, p.H, func(from, to int) {
		for y := from; y < to; y++ {
			row := p.Row(y)
			for x := range row {
				row[x] = paint(x, y)
			}
		}
	})
}

// Wash lays colours over an area, each as thickly as it says, from 0 to 1.
func (p *Page) Wash(ctx context.Context, area image.Rectangle, wash func(x, y int) (Tone, float64)) error {
	area = area.Intersect(p.clip)
	return Bands(ctx, area.Dy(), func(from, to int) {
		for y := area.Min.Y + from; y < area.Min.Y+to; y++ {
			row := p.Row(y)
			for x := area.Min.X; x < area.Max.X; x++ {
				if tone, a := wash(x, y); a > 0 {
					row[x].lay(tone, uint32(min(1, a)*65536))
				}
			}
		}
	})
}

// Glow washes light around a point, less with the distance.
func (p *Page) Glow(ctx context.Context, at Point, radius float64, c Color, strength float64) error {
	tone := c.Tone()
	area := touchedPixels(Point{at.X - radius, at.Y - radius}, Point{at.X + radius, at.Y + radius}).Intersect(p.clip)
	return Bands(ctx, area.Dy(), func(from, to int) {
		for y := area.Min.Y + from; y < area.Min.Y+to; y++ {
			dy := float64(y) - at.Y
			half := math.Sqrt(max(0, radius*radius-dy*dy)) + 1
			row := p.Row(y)
			for x := max(area.Min.X, int(at.X-half)); x < min(area.Max.X, int(at.X+half)+1); x++ {
				if fall := 1 - math.Hypot(float64(x)-at.X, dy)/radius; fall > 0 {
					row[x].lay(tone, uint32(min(1, strength*fall*fall*fall)*65536))
				}
			}
		}
	})
}

// Image is the finished page in 8 bits.
func (p *Page) Image(ctx context.Context) (*image.RGBA, error) {
	out := image.NewRGBA(p.Bounds())
	return out, p.Thin(ctx, out)
}

// Thin writes the page in 8 bits into a picture of its size. What lies between two steps
// is dithered, so that no gradient shows bands; plain areas stay plain.
func (p *Page) Thin(ctx context.Context, out *image.RGBA) error {
	first := p.step == nil
	if first {
		p.step = make([]uint16, len(p.pix))
	}
	return Bands(ctx, p.H, func(from, to int) {
		for y := from; y < to; y++ {
			row, step := out.Pix[y*out.Stride:][:4*p.W], p.step[y*p.W:][:p.W]
			for x := 0; first && x < p.W; x++ {
				step[x] = threshold(x, y)
			}
			for x, tone := range p.Row(y) {
				t := uint32(step[x])
				px := row[4*x : 4*x+4 : 4*x+4]
				px[0], px[1], px[2], px[3] = uint8((uint32(tone[0])+t)/257), uint8((uint32(tone[1])+t)/257), uint8((uint32(tone[2])+t)/257), 0xff
			}
		}
	})
}

// lay lays another tone over this one; 65536 covers it.
func (t *Tone) lay(other Tone, a uint32) {
	if a >= 65536 {
		*t = other
		return
	}
	for i := range t {
		t[i] = uint16((uint64(t[i])*uint64(65536-a) + uint64(other[i])*uint64(a) + 32768) >> 16)
	}
}

// Bands does work on rows 0 to n, a few at a time and on every processor it may have,
// and looks at ctx in between.
func Bands(ctx context.Context, n int, work func(from, to int)) error {
	const band = 16
	var next atomic.Int64
	return cores.Share(ctx, max(1, n/band), func() (more bool) {
		from := int(next.Add(band)) - band
		if from < n {
			work(from, min(n, from+band))
		}
		return from+band < n
	})
}

// threshold is interleaved gradient noise from 0 to 256: even, and without a
// pattern that the eye finds.
func threshold(x, y int) uint16 {
	inner := 0.06711056*float64(x) + 0.00583715*float64(y)
	outer := 52.9829189 * (inner - math.Floor(inner))
	return uint16((outer - math.Floor(outer)) * 256.99)
}
