package vp8

import "image"

// Picture is a frame as the codec wants it: brightness in full, colour at half the
// size each way, both padded to whole macroblocks. Values are those of BT.601 in
// the narrow range, which is what players take VP8 for.
type Picture struct {
	Width, Height int // of what is shown
	Stride        int // of Y; U and V have half of it
	Y, U, V       []uint8
}

// NewPicture makes a picture for frames of a size.
func NewPicture(width, height int) *Picture {
	stride, rows := (width+15)&^15, (height+15)&^15
	all := make([]uint8, stride*rows*3/2)
	y, c := stride*rows, stride*rows/4
	return &Picture{
		Width: width, Height: height, Stride: stride,
		Y: all[:y:y], U: all[y : y+c : y+c], V: all[y+c:],
	}
}

// Set takes over what is drawn on src, which has the picture's size and is opaque.
func (p *Picture) Set(src *image.RGBA) {
	for y := 0; y < p.Height; y += 2 {
		top := src.Pix[y*src.Stride:]
		below := top
		if y+1 < p.Height {
			below = src.Pix[(y+1)*src.Stride:]
		}
		p.setRows(y, top, below)
	}
	p.pad()
}

// setRows converts two rows of pixels. Figures are in 16 bits after the point.
func (p *Picture) setRows(y int, top, below []uint8) {
	width := p.Width
	y0, y1 := p.Y[y*p.Stride:][:p.Stride], p.Y[(y+1)*p.Stride:][:p.Stride]
	u, v := p.U[y/2*(p.Stride/2):], p.V[y/2*(p.Stride/2):]
	for x := 0; x < width; x += 2 {
		next := x + 1
		if next >= width {
			next = x
		}
		a, b := top[x*4:x*4+3:x*4+3], top[next*4:next*4+3:next*4+3]
		c, d := below[x*4:x*4+3:x*4+3], below[next*4:next*4+3:next*4+3]
		y0[x], y0[next] = luma(a), luma(b)
		y1[x], y1[next] = luma(c), luma(d)
		red := int32(a[0]) + int32(b[0]) + int32(c[0]) + int32(d[0])
		green := int32(a[1]) + int32(b[1]) + int32(c[1]) + int32(d[1])
		blue := int32(a[2]) + int32(b[2]) + int32(c[2]) + int32(d[2])
		u[x/2] = uint8((-9719*red - 19081*green + 28800*blue + 128<<18 + 1<<17) >> 18)
		v[x/2] = uint8((28800*red - 24116*green - 4684*blue + 128<<18 + 1<<17) >> 18)
	}
}

func luma(rgb []uint8) uint8 {
	return uint8((16839*int32(rgb[0]) + 33059*int32(rgb[1]) + 6420*int32(rgb[2]) + 16<<16 + 1<<15) >> 16)
}

// pad repeats the last column and row to the whole macroblocks, where they cost least.
func (p *Picture) pad() {
	rows := len(p.Y) / p.Stride
	padPlane(p.Y, p.Stride, p.Width, p.Height, rows)
	padPlane(p.U, p.Stride/2, (p.Width+1)/2, (p.Height+1)/2, rows/2)
	padPlane(p.V, p.Stride/2, (p.Width+1)/2, (p.Height+1)/2, rows/2)
}

func padPlane(plane []uint8, stride, width, height, rows int) {
	for y := 0; y < height && width < stride; y++ {
		row := plane[y*stride : (y+1)*stride]
		for x := width; x < stride; x++ {
			row[x] = row[width-1]
		}
	}
	for y := height; y < rows; y++ {
		copy(plane[y*stride:(y+1)*stride], plane[(height-1)*stride:height*stride])
	}
}
