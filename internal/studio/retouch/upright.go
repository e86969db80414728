package retouch

import (
	"context"
	"image"
	"image/draw"
)

// FirstFrame is the first frame on its full sheet: that of a GIF may be a part of it.
func FirstFrame(m image.Image, sheet image.Rectangle) image.Image {
	if m.Bounds() == sheet || m.Bounds().Dx() > sheet.Dx() || m.Bounds().Dy() > sheet.Dy() {
		return m
	}
	out := image.NewRGBA(sheet)
	draw.Draw(out, m.Bounds(), m, m.Bounds().Min, draw.Src)
	return out
}

// premultiply gives the picture as the tools want it. What has its pixels in the same
// places is changed where it is.
func premultiply(m image.Image) *image.RGBA {
	switch m := m.(type) {
	case *image.RGBA:
		if m.Rect.Min == (image.Point{}) {
			return m
		}
	case *image.NRGBA:
		if m.Rect.Min != (image.Point{}) {
			break
		}
		for i := 0; i+3 < len(m.Pix); i += 4 {
			p := m.Pix[i : i+4 : i+4]
			if p[3] == 255 {
				continue
			}
			a := uint32(p[3]) * 0x101
			for c := range 3 {
				p[c] = uint8((uint32(p[c]) * a / 0xff) >> 8) //nolint:gosec // no more than it was
			}
		}
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	}
	size := m.Bounds().Size()
	out := image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	return out
}

// Upright is the picture in a size, turned as the camera says it was held.
func Upright(ctx context.Context, m image.Image, size image.Point, orientation int) (*image.RGBA, error) {
	var out *image.RGBA
	if size != m.Bounds().Size() {
		small, err := Resize(ctx, m, size.X, size.Y)
		if err != nil {
			return nil, err
		}
		out = small
	} else {
		out = premultiply(m)
	}
	return orient(ctx, out, orientation)
}
