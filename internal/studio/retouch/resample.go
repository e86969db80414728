// Package retouch edits pictures: their size, shape, light and colour, what is
// written on them and how several become one. Everything works in bands and stops
// between them when it is told to, and never needs more memory than a few copies of
// the picture. It must not know requests, files or formats.
package retouch

import (
	"context"
	"image"
	"image/draw"
	"math"
	"slices"

	"stele/internal/studio/ink"
)

// kernel says how much a neighbour at a distance counts.
type kernel struct {
	reach float64
	at    func(d float64) float64
}

// cubic is Catmull and Rom's: sharp, with little ringing.
var cubic = kernel{2, func(d float64) float64 {
	d = math.Abs(d)
	switch {
	case d < 1:
		return (1.5*d-2.5)*d*d + 1
	case d < 2:
		return ((-0.5*d+2.5)*d-4)*d + 2
	}
	return 0
}}

func bell(sigma float64) kernel {
	return kernel{3 * sigma, func(d float64) float64 { return math.Exp(-d * d / (2 * sigma * sigma)) }}
}

// taps are the neighbours of one pixel along an axis.
type taps struct {
	first   int
	weights []float32
}

// spread finds the neighbours of each of n pixels among from pixels.
func spread(n, from int, k kernel) []taps {
	scale := float64(from) / float64(n)
	wide := max(1, scale) // when it shrinks, more neighbours count
	list := make([]taps, n)
	for i := range list {
		centre := (float64(i)+0.5)*scale - 0.5
		low := max(0, int(math.Ceil(centre-k.reach*wide)))
		high := min(from-1, int(math.Floor(centre+k.reach*wide)))
		t := taps{first: low, weights: make([]float32, 0, high-low+1)}
		sum := 0.0
		for j := low; j <= high; j++ {
			sum += k.at((float64(j) - centre) / wide)
		}
		for j := low; j <= high; j++ {
			t.weights = append(t.weights, float32(k.at((float64(j)-centre)/wide)/sum))
		}
		list[i] = t
	}
	return list
}

// Resize is the picture in another size.
func Resize(ctx context.Context, src image.Image, w, h int) (*image.RGBA, error) {
	return resample(ctx, src, w, h, cubic)
}

// resample takes each pixel from its neighbours, first along the rows and then down
// the columns. The source may be of any kind: its rows are converted as they are
// needed, so that no second copy of a large one is made.
func resample(ctx context.Context, src image.Image, w, h int, k kernel) (*image.RGBA, error) {
	from := src.Bounds()
	across, down := spread(w, from.Dx(), k), spread(h, from.Dy(), k)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	err := ink.Bands(ctx, h, func(top, bottom int) {
		var lines []float32
		sums := make([]float32, 4*w)
		strip := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
		for ; top < bottom; top += rowsAtOnce {
			end := min(top+rowsAtOnce, bottom)
			last := down[end-1]
			first := down[top].first
			rows := last.first + len(last.weights) - first
			lines = slices.Grow(lines[:0], rows*w*4)[:rows*w*4]
			for r := range rows {
				draw.Draw(strip, strip.Rect, src, image.Pt(from.Min.X, from.Min.Y+first+r), draw.Src)
				shrinkRow(lines[r*w*4:(r+1)*w*4], strip.Pix, across)
			}
			for y := top; y < end; y++ {
				sumRows(out.Pix[y*out.Stride:y*out.Stride+4*w], lines, sums, down[y], first)
			}
		}
	})
	return out, err
}

// rowsAtOnce is how many rows are made of what was filtered along the rows: all of it
// would be four times the picture.
const rowsAtOnce = 64

// shrinkRow filters one row.
func shrinkRow(out []float32, row []uint8, across []taps) {
	for x, t := range across {
		var r, g, b, a float32
		at := t.first * 4
		for _, weight := range t.weights {
			p := row[at : at+4 : at+4]
			r += weight * float32(p[0])
			g += weight * float32(p[1])
			b += weight * float32(p[2])
			a += weight * float32(p[3])
			at += 4
		}
		o := out[4*x : 4*x+4 : 4*x+4]
		o[0], o[1], o[2], o[3] = r, g, b, a
	}
}

// sumRows filters down the columns.
func sumRows(out []uint8, lines, sums []float32, t taps, first int) {
	clear(sums)
	for i, weight := range t.weights {
		line := lines[(t.first-first+i)*len(sums):][:len(sums)]
		for x, v := range line {
			sums[x] += weight * v
		}
	}
	for x := 0; x < len(sums); x += 4 {
		a := level(sums[x+3])
		out[x+3] = a
		for c := range 3 {
			out[x+c] = min(a, level(sums[x+c])) // colours are premultiplied: none above alpha
		}
	}
}

func level(v float32) uint8 { return uint8(min(255, max(0, v+0.5))) }
