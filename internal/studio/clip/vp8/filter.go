package vp8

// filter smooths the edges between blocks as the decoder does after each frame
// (RFC 6386, 15): the result is what the next frame is compared with.
func (e *Encoder) filter(key bool) {
	if e.level == 0 {
		return
	}
	level := int32(e.level)
	f := edge{inner: level, tense: tension(e.level, key)}
	outer, middle := (level+2)*2+level, level*2+level
	for i, m := range e.blocks {
		x, y := i%e.columns*16, i/e.columns*16
		for p, plane := range [3][]uint8{e.now.Y, e.now.U, e.now.V} {
			x, y, size, stride := x, y, 16, e.now.Stride
			if p > 0 {
				x, y, size, stride = x/2, y/2, 8, stride/2
			}
			at := y*stride + x
			f.limit = outer
			if x > 0 {
				f.smoothWide(plane, at, 1, stride, size)
			}
			if !m.empty {
				f.limit = middle
				for k := 4; k < size; k += 4 {
					f.smooth(plane, at+k, 1, stride, size)
				}
			}
			f.limit = outer
			if y > 0 {
				f.smoothWide(plane, at, stride, 1, size)
			}
			if !m.empty {
				f.limit = middle
				for k := 4; k < size; k += 4 {
					f.smooth(plane, at+k*stride, stride, 1, size)
				}
			}
		}
	}
}

func tension(level int, key bool) int32 {
	switch {
	case level >= 40 && key, level >= 20 && level < 40 && !key:
		return 2
	case level >= 40:
		return 3
	case level >= 15:
		return 1
	}
	return 0
}

// edge is how strongly an edge is smoothed.
type edge struct{ limit, inner, tense int32 }

// calm reports whether the edge is small enough to come from coding and not from
// the picture, and so is smoothed; sharp whether the pixels next to it differ.
func (f *edge) calm(plane []uint8, at, across int, p1, p0, q0, q1 int32) (calm, sharp bool) {
	a, b := abs(p1-p0), abs(q1-q0)
	if abs(p0-q0)*2+abs(p1-q1)>>1 > f.limit || a > f.inner || b > f.inner {
		return false, false
	}
	p2, q2 := int32(plane[at-3*across]), int32(plane[at+2*across])
	if abs(p2-p1) > f.inner || abs(q2-q1) > f.inner ||
		abs(int32(plane[at-4*across])-p2) > f.inner || abs(int32(plane[at+3*across])-q2) > f.inner {
		return false, false
	}
	return true, a > f.tense || b > f.tense
}

// smooth treats an edge between blocks within a macroblock. across steps over the
// edge, along goes on to its next pixel.
func (f *edge) smooth(plane []uint8, at, across, along, n int) {
	for ; n > 0; n, at = n-1, at+along {
		p1, p0 := int32(plane[at-2*across]), int32(plane[at-across])
		q0, q1 := int32(plane[at]), int32(plane[at+across])
		if p0 == q0 && p1 == q1 {
			continue // nothing would change
		}
		calm, sharp := f.calm(plane, at, across, p1, p0, q0, q1)
		if !calm {
			continue
		}
		d := 3 * (q0 - p0)
		if sharp {
			d += toSigned(p1 - q1)
		}
		d = toSigned(d)
		up, down := toSigned(d+4)>>3, toSigned(d+3)>>3
		plane[at], plane[at-across] = clip(q0-up), clip(p0+down)
		if !sharp {
			d = (up + 1) >> 1
			plane[at+across], plane[at-2*across] = clip(q1-d), clip(p1+d)
		}
	}
}

// smoothWide treats an edge between macroblocks.
func (f *edge) smoothWide(plane []uint8, at, across, along, n int) {
	for ; n > 0; n, at = n-1, at+along {
		p1, p0 := int32(plane[at-2*across]), int32(plane[at-across])
		q0, q1 := int32(plane[at]), int32(plane[at+across])
		if p0 == q0 && p1 == q1 {
			continue
		}
		calm, sharp := f.calm(plane, at, across, p1, p0, q0, q1)
		if !calm {
			continue
		}
		d := toSigned(toSigned(p1-q1) + 3*(q0-p0))
		if sharp {
			plane[at], plane[at-across] = clip(q0-toSigned(d+4)>>3), clip(p0+toSigned(d+3)>>3)
			continue
		}
		p2, q2 := int32(plane[at-3*across]), int32(plane[at+2*across])
		a, b, c := (63+d*27)>>7, (63+d*18)>>7, (63+d*9)>>7
		plane[at], plane[at-across] = clip(q0-a), clip(p0+a)
		plane[at+across], plane[at-2*across] = clip(q1-b), clip(p1+b)
		plane[at+2*across], plane[at-3*across] = clip(q2-c), clip(p2+c)
	}
}

func toSigned(v int32) int32 {
	return min(max(v, -128), 127)
}

func abs(v int32) int32 {
	if v < 0 {
		return -v
	}
	return v
}
