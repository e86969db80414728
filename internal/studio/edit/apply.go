package edit

import (
	"context"
	"fmt"
	"image"
	"image/color"

	"stele/internal/studio/retouch"
)

// Most is how many pixels the longest side has while it is edited, and after.
const Most = 4096

// PartsKept is how many bytes of the parts of a composition are kept until it is put
// together. What is more is opened a second time.
const PartsKept = 24 << 20

// Join makes one picture of n that open gives. Each is opened once or twice.
func (e *Edit) Join(ctx context.Context, n int, open func(i int) (*image.RGBA, error), report func(float64)) (*image.RGBA, error) {
	if n < 2 {
		return nil, Refusal("Compose needs at least two pictures in image_urls.")
	}
	sizes, parts := make([]image.Point, n), make([]*image.RGBA, n)
	part := func(i int) (*image.RGBA, error) {
		m, err := open(i)
		if err != nil {
			return nil, err
		}
		return e.Shape(ctx, m)
	}
	var at retouch.Anchor
	kept := 0
	for i := range n {
		m, err := part(i)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if at, err = e.Keep(ctx, m, 1); err != nil {
				return nil, err
			}
		}
		sizes[i] = m.Rect.Size()
		if kept+len(m.Pix) <= PartsKept {
			parts[i], kept = m, kept+len(m.Pix)
		}
		report(float64(i+1) / float64(n))
	}
	return retouch.Compose(ctx, sizes, func(i int) (*image.RGBA, error) {
		if parts[i] != nil {
			return parts[i], nil
		}
		return part(i)
	}, retouch.Arrangement{Kind: e.Compose, Gap: e.Gap, Background: e.Background, At: at, Most: Most})
}

// Shape does what belongs to each picture: crop, rotate, flip.
func (e *Edit) Shape(ctx context.Context, m *image.RGBA) (*image.RGBA, error) {
	if e.Crop > 0 {
		at, err := e.Keep(ctx, m, e.Crop)
		if err != nil {
			return nil, err
		}
		m = retouch.Crop(m, e.Crop, at)
	}
	m, err := retouch.Rotate(ctx, m, e.Rotate, e.Background)
	if err != nil {
		return nil, err
	}
	return retouch.Flip(ctx, m, e.Flip == "horizontal" || e.Flip == "both", e.Flip == "vertical" || e.Flip == "both")
}

// Keep is the part of a picture that a cut keeps.
func (e *Edit) Keep(ctx context.Context, m *image.RGBA, shape float64) (retouch.Anchor, error) {
	if e.Gravity == "auto" {
		return retouch.Busiest(ctx, m, shape)
	}
	return AnchorOf(e.Gravity, "center"), nil
}

// Finish does what belongs to the finished picture: size, light, words, corners.
func (e *Edit) Finish(ctx context.Context, m *image.RGBA, report func(float64)) (*image.RGBA, error) {
	m, err := e.resize(ctx, m)
	if err != nil {
		return nil, err
	}
	report(0.25)
	if e.Light != (retouch.Light{Strength: e.Light.Strength}) {
		err = retouch.Adjust(ctx, m, e.Light)
	}
	if err == nil && e.Blur > 0 {
		m, err = retouch.Blur(ctx, m, e.Blur)
	}
	if err == nil && e.Sharpen > 0 {
		m, err = retouch.Sharpen(ctx, m, e.Sharpen)
	}
	report(0.5)
	if err == nil && e.Caption.Text != "" {
		err = retouch.Write(ctx, m, e.Caption)
	}
	if err == nil && e.Watermark.Text != "" {
		err = retouch.Stamp(ctx, m, e.Watermark)
	}
	if err == nil && e.Corners > 0 {
		err = retouch.Round(ctx, m, e.Corners*float64(min(m.Rect.Dx(), m.Rect.Dy())))
	}
	if err == nil && e.Format == "jpeg" {
		err = retouch.Flatten(ctx, m, solid(e.Background))
	}
	return m, err
}

// FormatOf is the format of the file: that of the source unless another was asked for, and
// one that knows clear pixels where there are some.
func (e *Edit) FormatOf(m *image.RGBA, source string) string {
	if e.Format != "" && e.Format != "auto" {
		return e.Format
	}
	if source == "gif" || source == "jpeg" && !m.Opaque() {
		return "png"
	}
	return source
}

// solid is a colour to lay under a picture that must not be clear.
func solid(c color.RGBA) color.RGBA {
	rest := 255 - c.A
	return color.RGBA{c.R + rest, c.G + rest, c.B + rest, 255}
}

// resize gives the picture the size that was asked for.
func (e *Edit) resize(ctx context.Context, m *image.RGBA) (*image.RGBA, error) {
	size := m.Rect.Size()
	w, h := e.Width, e.Height
	switch {
	case w == 0 && h == 0:
	case h == 0:
		size = image.Pt(w, max(1, (size.Y*w+size.X/2)/size.X))
	case w == 0:
		size = image.Pt(max(1, (size.X*h+size.Y/2)/size.Y), h)
	case e.Fit == "inside":
		size = retouch.Within(size, w, h)
	default:
		size = image.Pt(w, h)
	}
	if e.Upscale > 0 {
		size = size.Mul(e.Upscale)
	}
	if max(size.X, size.Y) > Most {
		return nil, Refusal(fmt.Sprintf("The picture would have %d by %d pixels: the longest side has at most %d.", size.X, size.Y, Most))
	}
	if size == m.Rect.Size() {
		return m, nil
	}
	switch {
	case w > 0 && h > 0 && e.Fit == "contain":
		return retouch.Contain(ctx, m, size.X, size.Y, e.Background)
	case w > 0 && h > 0 && (e.Fit == "cover" || e.Fit == ""):
		at, err := e.Keep(ctx, m, float64(size.X)/float64(size.Y))
		if err != nil {
			return nil, err
		}
		return retouch.Cover(ctx, m, size.X, size.Y, at)
	}
	m, err := retouch.Resize(ctx, m, size.X, size.Y)
	if err == nil && e.Upscale > 0 {
		m, err = retouch.Sharpen(ctx, m, 0.5) // what was stretched is soft
	}
	return m, err
}
