package clip

import (
	"bytes"
	"fmt"
	"image/jpeg"

	"stele/internal/studio/lettering"
)

// Cover is a square picture for a piece of sound: its name, and how loud it is from
// beginning to end (peaks from 0 to 1).
func Cover(side int, name, under string, peaks []float64, p Palette, seed uint64) ([]byte, error) {
	s := NewSheet(side, side)
	w := float64(side)
	chance := (&Script{Seed: seed}).chance(11)
	s.blobs(p.Back, []blob{
		{0.2 + 0.6*chance.Float64(), 0.1, 0.95, 0.9, p.Deep}, {0.9, 0.35 + 0.3*chance.Float64(), 0.7, 0.8, p.Mid},
		{0.75 + 0.2*chance.Float64(), 0.05, 0.5, 0.75, p.Soft}, {0.05, 0.55, 0.5, 0.35, p.Mid},
	}, func(_, y float64) float64 { return 1 - 0.85*smooth((y-0.45)/0.3) })
	bar := w * 0.84 / float64(len(peaks))
	for i, v := range peaks {
		x, h := w*0.08+bar*float64(i), max(v, 0.03)*w*0.15
		c := p.Accent
		if p.Light {
			c = p.Mid.Mix(p.Accent, 0.7)
		}
		s.bar(x+bar*0.18, w*0.52-h, x+bar*0.82, w*0.52+h, c, 1)
	}
	title := Set(Readable(name), Box{w * 0.08, w * 0.72, w * 0.84, w * 0.13}, Type{Face: lettering.Bold, Lines: 1, Most: w * 0.1})
	for i := range title.Words {
		s.write(&title.Words[i], title.Words[i].X, title.Words[i].Y, 1, p.Ink, 1)
	}
	below := Set(Readable(under), Box{w * 0.08, w * 0.86, w * 0.84, w * 0.06}, Type{Face: lettering.Mono, Lines: 1, Most: w * 0.036})
	for i := range below.Words {
		s.write(&below.Words[i], below.Words[i].X, below.Words[i].Y, 1, p.Ink, 0.75)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, s.Frame(), &jpeg.Options{Quality: 90}); err != nil {
		return nil, fmt.Errorf("write cover: %w", err)
	}
	return out.Bytes(), nil
}
