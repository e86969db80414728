package retouch

import (
	"context"
	"image"
	"image/color"
	"image/draw"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// Caption is words on a picture.
type Caption struct {
	Text   string
	At     Anchor
	Size   float64     // of the letters, in parts of the shorter side
	Color  *color.RGBA // nil for black or white, whichever can be read
	Shadow bool
}

// Write sets words on a picture, in place. They are wrapped, and made smaller where
// they would not fit.
func Write(ctx context.Context, m *image.RGBA, c Caption) error {
	w, h := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	u := min(w, h)
	margin := 0.05 * u
	size := max(6, c.Size*u)
	block := lettering.New().Fit(lettering.Polish(c.Text), w-2*margin, h-2*margin, lettering.Style{
		Face: lettering.Bold, Leading: 1.15, Align: c.At.X, Min: min(6, size), Max: size,
	})
	if block.Empty() {
		return ctx.Err()
	}
	y := margin + (h-2*margin-block.H)*c.At.Y
	path := block.Path(margin, y, w-2*margin)
	low, high := path.Box()
	dark := luminance(m, image.Rect(int(low.X), int(low.Y), int(high.X)+1, int(high.Y)+1)) < 0.36
	words := color.RGBA{0x12, 0x12, 0x14, 0xff}
	if dark {
		words = color.RGBA{0xff, 0xff, 0xff, 0xff}
	}
	if c.Color != nil {
		words = *c.Color
	}
	if c.Shadow {
		shade := color.Gray{Y: 0xff}
		if bright(words) {
			shade.Y = 0
		}
		d := max(1, 0.05*block.Size)
		fall := new(ink.Path)
		fall.Append(path, 1, 0.6*d, 0.6*d)
		blurred := soft(fall, m.Rect, d)
		draw.DrawMask(m, blurred.Rect, image.NewUniform(shade), image.Point{}, blurred, blurred.Rect.Min, draw.Over)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	lay(m, path, words, 1)
	return ctx.Err()
}

// soft is the blurred shape of a path.
func soft(p *ink.Path, within image.Rectangle, blur float64) *image.Alpha {
	low, high := p.Box()
	reach := int(3*blur) + 2
	area := image.Rect(int(low.X)-reach, int(low.Y)-reach, int(high.X)+reach, int(high.Y)+reach).Intersect(within)
	mask, sharp := image.NewAlpha(area), p.Mask(within)
	draw.Draw(mask, sharp.Rect, sharp, sharp.Rect.Min, draw.Src)
	ink.Soften(mask, blur)
	return mask
}

// lay fills a path on a picture.
func lay(m *image.RGBA, p *ink.Path, c color.RGBA, opacity float64) {
	mask := p.Mask(m.Rect)
	tone := color.NRGBA{c.R, c.G, c.B, uint8(float64(c.A)*opacity + 0.5)}
	draw.DrawMask(m, mask.Rect, image.NewUniform(tone), image.Point{}, mask, mask.Rect.Min, draw.Over)
}

func bright(c color.RGBA) bool {
	return ink.Color{R: float64(c.R) / 255, G: float64(c.G) / 255, B: float64(c.B) / 255}.Luminance() > 0.2
}

// luminance is how light a part of a picture is, from 0 to 1.
func luminance(m *image.RGBA, area image.Rectangle) float64 {
	area = area.Intersect(m.Rect)
	step := max(1, max(area.Dx(), area.Dy())/48)
	sum, n := 0.0, 0
	for y := area.Min.Y; y < area.Max.Y; y += step {
		for x := area.Min.X; x < area.Max.X; x += step {
			p := m.Pix[y*m.Stride+4*x:]
			sum += ink.Color{R: float64(p[0]) / 255, G: float64(p[1]) / 255, B: float64(p[2]) / 255}.Luminance()
			n++
		}
	}
	return sum / float64(max(1, n))
}

// Mark is a watermark.
type Mark struct {
	Text    string
	At      Anchor
	Tiled   bool // all over the picture, slanting
	Opacity float64
}

// Stamp puts a watermark on a picture, in place.
func Stamp(ctx context.Context, m *image.RGBA, k Mark) error {
	w, h := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	u := min(w, h)
	size := max(8, 0.032*u)
	hand := lettering.New()
	style := lettering.Style{Face: lettering.Medium, Leading: 1.2, Lines: 1, Tracking: 0.03, Min: min(5, size), Max: size}
	margin := 0.035 * u
	block := hand.Fit(lettering.Polish(k.Text), w-2*margin, h-2*margin, style)
	if block.Empty() {
		return ctx.Err()
	}
	path := new(ink.Path)
	if !k.Tiled {
		path = block.Path(margin+(w-2*margin-block.W)*k.At.X, margin+(h-2*margin-block.H)*k.At.Y, block.W)
	} else {
		across, down := block.W+0.16*u, block.H+0.15*u
		for row, y := 0, -h; y < 2*h; row, y = row+1, y+down {
			for x := -w - float64(row%2)*across/2; x < 2*w; x += across {
				path.Append(block.Path(x, y, block.W), 1, 0, 0)
			}
		}
		path.Turn(-30, ink.Point{X: w / 2, Y: h / 2})
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	low, high := path.Box()
	words := color.RGBA{0, 0, 0, 0xff}
	if luminance(m, image.Rect(int(low.X), int(low.Y), int(high.X)+1, int(high.Y)+1)) < 0.4 {
		words = color.RGBA{0xff, 0xff, 0xff, 0xff}
	}
	lay(m, path, words, k.Opacity)
	return ctx.Err()
}
