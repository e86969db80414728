package retouch

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"

	"stele/internal/studio/ink"
)

// Anchor is where in a picture something stands: a share of the free room to its left
// and above it, from 0 to 1.
type Anchor struct{ X, Y float64 }

// Anchors are the names of anchors.
var Anchors = map[string]Anchor{
	"top_left": {0, 0}, "top": {0.5, 0}, "top_right": {1, 0},
	"left": {0, 0.5}, "center": {0.5, 0.5}, "right": {1, 0.5},
	"bottom_left": {0, 1}, "bottom": {0.5, 1}, "bottom_right": {1, 1},
}

// Busiest is the place of a part of the given shape that has the most to see in it.
func Busiest(ctx context.Context, m *image.RGBA, shape float64) (Anchor, error) {
	const side = 64
	small, err := Resize(ctx, m, side, side)
	if err != nil {
		return Anchor{}, err
	}
	// Where the picture changes from pixel to pixel, there is something.
	var across, down [side]float64
	for y := range side - 1 {
		for x := range side - 1 {
			at := small.Pix[y*small.Stride+4*x:]
			for c := range 3 {
				v := math.Abs(float64(at[c])-float64(at[c+4])) + math.Abs(float64(at[c])-float64(at[c+small.Stride]))
				across[x] += v
				down[y] += v
			}
		}
	}
	own := float64(m.Rect.Dx()) / float64(m.Rect.Dy())
	return Anchor{busiest(across[:], min(1, shape/own)), busiest(down[:], min(1, own/shape))}, nil
}

// busiest is the place of the window, this share of the whole, with the largest sum.
func busiest(values []float64, share float64) float64 {
	n := max(1, int(math.Round(share*float64(len(values)))))
	free := len(values) - n
	if free <= 0 {
		return 0.5
	}
	best, most := free/2, -1.0
	for from := range free + 1 {
		sum := 0.0
		for _, v := range values[from : from+n] {
			sum += v
		}
		if sum > most*1.001 {
			best, most = from, sum
		}
	}
	return float64(best) / float64(free)
}

// Crop cuts the picture to a shape, width over height, as large as it can be.
func Crop(m *image.RGBA, shape float64, at Anchor) *image.RGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	cw, ch := w, max(1, int(math.Round(float64(w)/shape)))
	if ch > h {
		cw, ch = max(1, min(w, int(math.Round(float64(h)*shape)))), h
	}
	from := image.Pt(int(math.Round(float64(w-cw)*at.X)), int(math.Round(float64(h-ch)*at.Y)))
	out := image.NewRGBA(image.Rect(0, 0, cw, ch))
	draw.Draw(out, out.Rect, m, from, draw.Src)
	return out
}

// Cover is the picture cut and scaled so that it fills w by h.
func Cover(ctx context.Context, m *image.RGBA, w, h int, at Anchor) (*image.RGBA, error) {
	return Resize(ctx, Crop(m, float64(w)/float64(h), at), w, h)
}

// Within is the largest size of the same shape inside w by h.
func Within(size image.Point, w, h int) image.Point {
	k := min(float64(w)/float64(size.X), float64(h)/float64(size.Y))
	return image.Pt(max(1, min(w, int(math.Round(float64(size.X)*k)))), max(1, min(h, int(math.Round(float64(size.Y)*k)))))
}

// Contain is the whole picture inside w by h, on a background.
func Contain(ctx context.Context, m *image.RGBA, w, h int, background color.RGBA) (*image.RGBA, error) {
	inner := Within(m.Rect.Size(), w, h)
	small, err := Resize(ctx, m, inner.X, inner.Y)
	if err != nil {
		return nil, err
	}
	out := sheet(w, h, background)
	at := image.Pt((w-inner.X)/2, (h-inner.Y)/2)
	draw.Draw(out, small.Rect.Add(at), small, image.Point{}, draw.Over)
	return out, ctx.Err()
}

// sheet is an empty picture.
func sheet(w, h int, background color.RGBA) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, out.Rect, image.NewUniform(background), image.Point{}, draw.Src)
	return out
}

// Round makes the corners round and clear, in place.
func Round(ctx context.Context, m *image.RGBA, radius float64) error {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	path := new(ink.Path)
	path.Round(0, 0, float64(w), float64(h), radius)
	edge := int(math.Ceil(radius))
	for _, rows := range [2]image.Rectangle{image.Rect(0, 0, w, min(h, edge)), image.Rect(0, max(0, h-edge), w, h)} {
		if err := ctx.Err(); err != nil {
			return err
		}
		mask := path.Mask(rows)
		for y := rows.Min.Y; y < rows.Max.Y; y++ {
			for x := range w {
				a := uint32(mask.AlphaAt(x, y).A)
				for c, v := range m.Pix[y*m.Stride+4*x:][:4] {
					m.Pix[y*m.Stride+4*x+c] = uint8((uint32(v)*a + 127) / 255)
				}
			}
		}
		if h <= edge { // both ends are the same rows
			break
		}
	}
	return ctx.Err()
}
