package picture

import (
	"image"
	"image/draw"
)

// Shrink is a picture whose longer side has at most so many pixels: each is the mean of
// those it stands for. It takes a strip of the picture and the result, no more.
func Shrink(m image.Image, most int) *image.RGBA {
	from := m.Bounds()
	width, height := fit(from.Dx(), from.Dy(), most)
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	strip := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
	sums := make([]uint32, 4*width)
	for y := range height {
		top, end := y*from.Dy()/height, (y+1)*from.Dy()/height
		clear(sums)
		for row := top; row < end; row++ {
			draw.Draw(strip, strip.Rect, m, image.Pt(from.Min.X, from.Min.Y+row), draw.Src)
			addRow(sums, strip.Pix, width)
		}
		line := out.Pix[y*out.Stride:]
		for x := range width {
			n := uint32((x+1)*from.Dx()/width-x*from.Dx()/width) * uint32(end-top) //nolint:gosec // sides of a picture
			for c := range 4 {
				line[4*x+c] = uint8((sums[4*x+c] + n/2) / n) //nolint:gosec // a mean of bytes
			}
		}
	}
	return out
}

// addRow adds a row of pixels to the sums of those that stand for them.
func addRow(sums []uint32, row []byte, width int) {
	all := len(row) / 4
	for x := range width {
		s := sums[4*x : 4*x+4 : 4*x+4]
		for i := x * all / width; i < (x+1)*all/width; i++ {
			p := row[4*i : 4*i+4 : 4*i+4]
			s[0] += uint32(p[0])
			s[1] += uint32(p[1])
			s[2] += uint32(p[2])
			s[3] += uint32(p[3])
		}
	}
}

// fit gives a size scaled so that its longer side is most, and never enlarged.
func fit(width, height, most int) (w, h int) {
	longer := max(width, height)
	if longer <= most {
		return width, height
	}
	return max(1, width*most/longer), max(1, height*most/longer)
}
