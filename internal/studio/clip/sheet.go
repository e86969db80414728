package clip

import (
	"image"
	"math"

	"golang.org/x/image/vector"
)

// Sheet is what a frame is drawn on. Each worker has its own.
type Sheet struct {
	*image.RGBA
	W, H   float64
	raster vector.Rasterizer
	mask   image.Alpha
	grid   []float32
}

// NewSheet makes a sheet of a size.
func NewSheet(width, height int) *Sheet {
	return &Sheet{RGBA: image.NewRGBA(image.Rect(0, 0, width, height)), W: float64(width), H: float64(height)}
}

// Fill paints everything in one colour.
func (s *Sheet) Fill(c Colour) {
	row := s.Pix[:s.Stride]
	for x := 0; x < len(row); x += 4 {
		row[x], row[x+1], row[x+2], row[x+3] = c.R, c.G, c.B, 255
	}
	for y := 1; y < s.Rect.Dy(); y++ {
		copy(s.Pix[y*s.Stride:], row)
	}
}

// blend puts a colour over the pixel at o; a is 0 to 256.
func (s *Sheet) blend(o int, c Colour, a int32) {
	px := s.Pix[o : o+3 : o+3]
	px[0] = uint8(int32(px[0]) + ((int32(c.R)-int32(px[0]))*a+128)>>8)
	px[1] = uint8(int32(px[1]) + ((int32(c.G)-int32(px[1]))*a+128)>>8)
	px[2] = uint8(int32(px[2]) + ((int32(c.B)-int32(px[2]))*a+128)>>8)
}

// Bar paints a rectangle; its edges may lie between pixels.
func (s *Sheet) Bar(x0, y0, x1, y1 float64, c Colour, alpha float64) {
	left, right := max(int(math.Floor(x0)), 0), min(int(math.Ceil(x1)), s.Rect.Dx())
	top, bottom := max(int(math.Floor(y0)), 0), min(int(math.Ceil(y1)), s.Rect.Dy())
	for y := top; y < bottom; y++ {
		high := min(float64(y+1), y1) - max(float64(y), y0)
		for x := left; x < right; x++ {
			wide := 1.0
			if x == left || x == right-1 {
				wide = min(float64(x+1), x1) - max(float64(x), x0)
			}
			s.blend(y*s.Stride+x*4, c, int32(high*wide*alpha*256))
		}
	}
}

// Disc paints a filled circle.
func (s *Sheet) Disc(cx, cy, r float64, c Colour, alpha float64) {
	s.Ring(cx, cy, 0, r, c, alpha)
}

// Ring paints what lies between two circles around a point.
func (s *Sheet) Ring(cx, cy, inner, outer float64, c Colour, alpha float64) {
	full := int32(alpha * 256)
	if full <= 0 || outer <= 0 {
		return
	}
	top, bottom := max(int(cy-outer-1), 0), min(int(cy+outer+2), s.Rect.Dy())
	for y := top; y < bottom; y++ {
		dy := float64(y) + 0.5 - cy
		reach := (outer+1)*(outer+1) - dy*dy
		if reach <= 0 {
			continue
		}
		half := math.Sqrt(reach)
		hole := -1.0
		if h := (inner-1)*(inner-1) - dy*dy; inner > 1 && h > 0 {
			hole = math.Sqrt(h)
		}
		solid := -1.0 // what is surely within
		if h := (outer-1)*(outer-1) - dy*dy; inner == 0 && outer > 1 && h > 0 {
			solid = math.Sqrt(h)
		}
		left, right := max(int(cx-half), 0), min(int(cx+half+2), s.Rect.Dx())
		o := y*s.Stride + left*4
		for x := left; x < right; x, o = x+1, o+4 {
			dx := math.Abs(float64(x) + 0.5 - cx)
			if dx < hole {
				continue
			}
			if dx < solid {
				s.blend(o, c, full)
				continue
			}
			d := math.Sqrt(dx*dx + dy*dy)
			cover := min(outer-d, 0.5) + 0.5
			if inner > 0 {
				cover = min(cover, d-inner+0.5)
			}
			if cover > 0 {
				s.blend(o, c, int32(min(cover, 1)*alpha*256))
			}
		}
	}
}

// Glow adds light around a point, less with the distance.
func (s *Sheet) Glow(cx, cy, r float64, c Colour, strength float64) {
	top, bottom := max(int(cy-r), 0), min(int(cy+r)+1, s.Rect.Dy())
	left, right := max(int(cx-r), 0), min(int(cx+r)+1, s.Rect.Dx())
	scale := 1 / (r * r)
	red, green, blue := float64(c.R)*strength, float64(c.G)*strength, float64(c.B)*strength
	for y := top; y < bottom; y++ {
		dy := float64(y) + 0.5 - cy
		o := y*s.Stride + left*4
		for x := left; x < right; x, o = x+1, o+4 {
			dx := float64(x) + 0.5 - cx
			f := 1 - (dx*dx+dy*dy)*scale
			if f <= 0 {
				continue
			}
			f *= f
			px := s.Pix[o : o+3 : o+3]
			px[0] = uint8(min(float64(px[0])+red*f, 255))
			px[1] = uint8(min(float64(px[1])+green*f, 255))
			px[2] = uint8(min(float64(px[2])+blue*f, 255))
		}
	}
}

// Polygon paints the inside of a closed line of points.
func (s *Sheet) Polygon(points [][2]float64, c Colour, alpha float64) {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range points {
		x0, y0, x1, y1 = min(x0, p[0]), min(y0, p[1]), max(x1, p[0]), max(y1, p[1])
	}
	left, top := max(int(math.Floor(x0)), 0), max(int(math.Floor(y0)), 0)
	w, h := min(int(math.Ceil(x1)), s.Rect.Dx())-left, min(int(math.Ceil(y1)), s.Rect.Dy())-top
	if w <= 0 || h <= 0 {
		return
	}
	s.raster.Reset(w, h)
	for i, p := range points {
		x, y := float32(p[0]-float64(left)), float32(p[1]-float64(top))
		if i == 0 {
			s.raster.MoveTo(x, y)
		} else {
			s.raster.LineTo(x, y)
		}
	}
	s.raster.ClosePath()
	if n := w * h; cap(s.mask.Pix) < n {
		s.mask.Pix = make([]uint8, n)
	} else {
		s.mask.Pix = s.mask.Pix[:n]
		clear(s.mask.Pix)
	}
	s.mask.Stride, s.mask.Rect = w, image.Rect(0, 0, w, h)
	s.raster.Draw(&s.mask, s.mask.Rect, image.Opaque, image.Point{})
	full := int32(alpha * 256)
	for y := range h {
		row := s.mask.Pix[y*w : (y+1)*w]
		o := (top+y)*s.Stride + left*4
		for _, m := range row {
			if m != 0 {
				s.blend(o, c, (int32(m)*full+254)/255)
			}
			o += 4
		}
	}
}
