package retouch

import (
	"context"
	"image"
	"math"

	"stele/internal/studio/ink"
)

// Blur softens the picture by a bell curve of sigma pixels.
func Blur(ctx context.Context, m *image.RGBA, sigma float64) (*image.RGBA, error) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	// What is blurred widely has no detail: a small copy of it is as good.
	const plenty = 4
	k := max(1, math.Floor(sigma/plenty))
	if k == 1 {
		return resample(ctx, m, w, h, bell(sigma))
	}
	sw, sh := max(1, int(math.Round(float64(w)/k))), max(1, int(math.Round(float64(h)/k)))
	small, err := resample(ctx, m, sw, sh, bell(0.5))
	if err != nil {
		return nil, err
	}
	if small, err = resample(ctx, small, sw, sh, bell(sigma/k)); err != nil {
		return nil, err
	}
	return Resize(ctx, small, w, h)
}

// Sharpen brings edges out: what a slight blur takes away is added so many times.
func Sharpen(ctx context.Context, m *image.RGBA, amount float64) (*image.RGBA, error) {
	soft, err := Blur(ctx, m, 1.1)
	if err != nil {
		return nil, err
	}
	k := int32(math.Round(amount * 256))
	err = ink.Bands(ctx, m.Rect.Dy(), func(from, to int) {
		a, b := m.Pix[from*m.Stride:to*m.Stride], soft.Pix[from*soft.Stride:to*soft.Stride]
		for i := 0; i < len(a); i += 4 {
			top := int32(a[i+3])
			for c := range 3 {
				v := int32(a[i+c])
				b[i+c] = uint8(min(top, max(0, v+(v-int32(b[i+c]))*k>>8)))
			}
			b[i+3] = a[i+3]
		}
	})
	return soft, err
}
