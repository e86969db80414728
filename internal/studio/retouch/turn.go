package retouch

import (
	"context"
	"image"
	"image/color"
	"math"

	"stele/internal/studio/ink"
)

// movePixels makes a picture of w by h whose pixels come from elsewhere in m.
func movePixels(ctx context.Context, m *image.RGBA, w, h int, from func(x, y int) (int, int)) (*image.RGBA, error) {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	err := ink.Bands(ctx, h, func(top, bottom int) {
		for y := top; y < bottom; y++ {
			row := out.Pix[y*out.Stride:]
			for x := range w {
				sx, sy := from(x, y)
				copy(row[4*x:4*x+4], m.Pix[sy*m.Stride+4*sx:])
			}
		}
	})
	return out, err
}

// orient turns the picture upright by the orientation that a camera wrote, from 1 to 8.
func orient(ctx context.Context, m *image.RGBA, orientation int) (*image.RGBA, error) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	switch orientation {
	case 2:
		return movePixels(ctx, m, w, h, func(x, y int) (int, int) { return w - 1 - x, y })
	case 3:
		return movePixels(ctx, m, w, h, func(x, y int) (int, int) { return w - 1 - x, h - 1 - y })
	case 4:
		return movePixels(ctx, m, w, h, func(x, y int) (int, int) { return x, h - 1 - y })
	case 5:
		return movePixels(ctx, m, h, w, func(x, y int) (int, int) { return y, x })
	case 6:
		return movePixels(ctx, m, h, w, func(x, y int) (int, int) { return y, h - 1 - x })
	case 7:
		return movePixels(ctx, m, h, w, func(x, y int) (int, int) { return w - 1 - y, h - 1 - x })
	case 8:
		return movePixels(ctx, m, h, w, func(x, y int) (int, int) { return w - 1 - y, x })
	}
	return m, nil
}

// Flip mirrors the picture: left and right, or top and bottom.
func Flip(ctx context.Context, m *image.RGBA, horizontal, vertical bool) (*image.RGBA, error) {
	switch {
	case horizontal && vertical:
		return orient(ctx, m, 3)
	case horizontal:
		return orient(ctx, m, 2)
	case vertical:
		return orient(ctx, m, 4)
	}
	return m, nil
}

// Rotate turns the picture clockwise. Quarter turns keep every pixel; between them
// the sheet grows, and its corners show the background.
func Rotate(ctx context.Context, m *image.RGBA, degrees float64, background color.RGBA) (*image.RGBA, error) {
	degrees = math.Mod(math.Mod(degrees, 360)+360, 360)
	switch degrees {
	case 0:
		return m, nil
	case 90:
		return orient(ctx, m, 6)
	case 180:
		return orient(ctx, m, 3)
	case 270:
		return orient(ctx, m, 8)
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	nw, nh := math.Ceil(math.Abs(w*cos)+math.Abs(h*sin)-1e-6), math.Ceil(math.Abs(w*sin)+math.Abs(h*cos)-1e-6)
	out := image.NewRGBA(image.Rect(0, 0, int(nw), int(nh)))
	err := ink.Bands(ctx, int(nh), func(top, bottom int) {
		for y := top; y < bottom; y++ {
			for x := range int(nw) {
				dx, dy := float64(x)+0.5-nw/2, float64(y)+0.5-nh/2
				p := readBetween(m, dx*cos+dy*sin+w/2-0.5, dy*cos-dx*sin+h/2-0.5)
				layUnder(&p, background)
				copy(out.Pix[y*out.Stride+4*x:], p[:])
			}
		}
	})
	return out, err
}

// readBetween reads a picture between its pixels; outside it is clear.
func readBetween(m *image.RGBA, x, y float64) (p [4]uint8) {
	x0, y0 := math.Floor(x), math.Floor(y)
	fx, fy := x-x0, y-y0
	var sum [4]float64
	for i := range 4 {
		sx, sy := int(x0)+i%2, int(y0)+i/2
		if sx < 0 || sy < 0 || sx >= m.Rect.Dx() || sy >= m.Rect.Dy() {
			continue
		}
		weight := (1 - math.Abs(float64(i%2)-fx)) * (1 - math.Abs(float64(i/2)-fy))
		for c, v := range m.Pix[sy*m.Stride+4*sx:][:4] {
			sum[c] += weight * float64(v)
		}
	}
	for c, v := range sum {
		p[c] = uint8(v + 0.5)
	}
	return p
}

// layUnder lays a background under a pixel.
func layUnder(p *[4]uint8, background color.RGBA) {
	rest := 255 - uint32(p[3])
	for c, v := range [4]uint8{background.R, background.G, background.B, background.A} {
		p[c] += uint8((uint32(v)*rest + 127) / 255)
	}
}

// Flatten lays a background under the whole picture, in place.
func Flatten(ctx context.Context, m *image.RGBA, background color.RGBA) error {
	return ink.Bands(ctx, m.Rect.Dy(), func(from, to int) {
		pix := m.Pix[from*m.Stride : to*m.Stride]
		for i := 0; i < len(pix); i += 4 {
			if pix[i+3] != 255 {
				layUnder((*[4]uint8)(pix[i:i+4]), background)
			}
		}
	})
}
