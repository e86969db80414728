package vp8

// Ways to guess a block from what is above and to the left of it.
const (
	guessAverage = iota
	guessAbove
	guessLeft
	guessSlope
	guesses
	same // as in the frame before, at the same place
)

// edges are the decoded pixels around a square: corner, those above, those to the left.
type edges struct {
	corner      int32
	above, left [16]uint8
	top, side   bool // whether there are any; the figures are agreed where there are none
}

// look reads the edges of the square of a size at x, y. Before any row is 127,
// before any column 129 (RFC 6386, 12.2).
func (e *edges) look(plane []uint8, stride, x, y, size int) {
	e.top, e.side = y > 0, x > 0
	if e.top {
		copy(e.above[:size], plane[(y-1)*stride+x:])
	} else {
		fill(e.above[:size], 127)
	}
	if e.side {
		for i := range size {
			e.left[i] = plane[(y+i)*stride+x-1]
		}
	} else {
		fill(e.left[:size], 129)
	}
	switch {
	case !e.top:
		e.corner = 127
	case !e.side:
		e.corner = 129
	default:
		e.corner = int32(plane[(y-1)*stride+x-1])
	}
}

func fill(s []uint8, v uint8) {
	for i := range s {
		s[i] = v
	}
}

// guess writes a guess for the square of a size into dst, row by row.
func (e *edges) guess(how, size int, dst []uint8) {
	switch how {
	case guessAverage:
		fill(dst[:size*size], e.average(size))
	case guessAbove:
		for y := range size {
			copy(dst[y*size:(y+1)*size], e.above[:size])
		}
	case guessLeft:
		for y := range size {
			fill(dst[y*size:(y+1)*size], e.left[y])
		}
	case guessSlope:
		for y := range size {
			row, base := dst[y*size:(y+1)*size], int32(e.left[y])-e.corner
			for x := range row {
				row[x] = clip(base + int32(e.above[x]))
			}
		}
	}
}

func (e *edges) average(size int) uint8 {
	var sum, n int32
	if e.top {
		for _, v := range e.above[:size] {
			sum += int32(v)
		}
		n += int32(size)
	}
	if e.side {
		for _, v := range e.left[:size] {
			sum += int32(v)
		}
		n += int32(size)
	}
	if n == 0 {
		return 128
	}
	return uint8((sum + n/2) / n)
}

func clip(v int32) uint8 {
	if uint32(v) <= 255 {
		return uint8(v)
	}
	if v < 0 {
		return 0
	}
	return 255
}

// distance is how far a square of the plane is from a guess, pixel by pixel. It
// stops counting at the bound.
func distance(plane []uint8, stride, size int, guess []uint8, bound int32) int32 {
	var sum int32
	for y := range size {
		a, b := plane[y*stride:][:size], guess[y*size:][:size]
		for x, v := range a {
			d := int32(v) - int32(b[x])
			if d < 0 {
				d = -d
			}
			sum += d
		}
		if sum >= bound {
			return bound
		}
	}
	return sum
}
