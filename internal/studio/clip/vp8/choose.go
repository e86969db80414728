package vp8

// choose finds the best guess for a macroblock and leaves it in the work room.
func (e *Encoder) choose(p *Picture, column, row int, key bool) macroblock {
	w := &e.work
	luma := row*16*p.Stride + column*16
	best := int32(1 << 30)
	m := macroblock{}
	if !key {
		take(w.guess[:256], e.last.Y[luma:], p.Stride, 16)
		chroma := row*8*(p.Stride/2) + column*8
		take(w.guess[256:320], e.last.U[chroma:], p.Stride/2, 8)
		take(w.guess[320:], e.last.V[chroma:], p.Stride/2, 8)
		best = distance(p.Y[luma:], p.Stride, 16, w.guess[:256], best)
		m = macroblock{luma: same, chroma: same}
		if best < 256*3 {
			return m
		}
		best -= 256 // it is cheaper to say, and shakes less
	}
	how, cost := e.guessLuma(p, luma, column, row, best)
	if cost >= best {
		return m
	}
	m.luma = uint8(how)
	m.chroma = uint8(e.guessChroma(p, column, row))
	return m
}

func take(dst, plane []uint8, stride, size int) {
	for y := range size {
		copy(dst[y*size:(y+1)*size], plane[y*stride:])
	}
}

// guessLuma leaves the best guess for the brightness in the work room, if it is
// better than the bound.
func (e *Encoder) guessLuma(p *Picture, at, column, row int, bound int32) (how int, cost int32) {
	w := &e.work
	w.edges.look(e.now.Y, p.Stride, column*16, row*16, 16)
	for try := range guesses {
		w.edges.guess(try, 16, w.try[:256])
		if c := distance(p.Y[at:], p.Stride, 16, w.try[:256], bound); c < bound {
			how, bound = try, c
			copy(w.guess[:256], w.try[:256])
		}
	}
	return how, bound
}

// guessChroma does the same for the colour, of which both halves are guessed alike.
func (e *Encoder) guessChroma(p *Picture, column, row int) (how int) {
	w := &e.work
	stride := p.Stride / 2
	at := row*8*stride + column*8
	other := edges{}
	w.edges.look(e.now.U, stride, column*8, row*8, 8)
	other.look(e.now.V, stride, column*8, row*8, 8)
	bound := int32(1 << 30)
	for try := range guesses {
		w.edges.guess(try, 8, w.try[256:320])
		other.guess(try, 8, w.try[320:])
		c := distance(p.U[at:], stride, 8, w.try[256:320], bound)
		c += distance(p.V[at:], stride, 8, w.try[320:], bound)
		if c < bound {
			how, bound = try, c
			copy(w.guess[256:], w.try[256:])
		}
	}
	return how
}

// note adds the levels in the work room to the tokens. The context of a block is how
// many of its neighbours have any.
func (e *Encoder) note(column int) {
	w, above, left := &e.work, &e.above[column], &e.left
	one := func(kind, block, first, a, l int) {
		end := w.ends[block]
		e.tokens.putBlock(kind, int(above[a]+left[l]), first, end, &w.levels[block])
		var some uint8
		if end > first {
			some = 1
		}
		above[a], left[l] = some, some
	}
	one(1, 24, 0, 8, 8)
	for i := range 16 {
		one(0, i, 1, i%4, i/4)
	}
	for i := range 4 {
		one(2, 16+i, 0, 4+i%2, 4+i/2)
	}
	for i := range 4 {
		one(2, 20+i, 0, 6+i%2, 6+i/2)
	}
}

// rebuild adds the levels in the work room to the guess, as a decoder will.
func (e *Encoder) rebuild(luma, chroma int) {
	w, stride := &e.work, e.now.Stride
	y2 := &w.levels[24]
	e.y2.restore(y2)
	scatter(y2)
	for i := range 16 {
		b := &w.levels[i]
		more := w.ends[i] > 0
		if more {
			e.y1.restore(b)
		}
		b[0] = y2[i]
		add(e.now.Y[luma+i/4*4*stride+i%4*4:], stride, w.guess[i/4*64+i%4*4:], 16, b, more)
	}
	for i := range 8 {
		plane, guess := e.now.U, w.guess[256:320]
		if i >= 4 {
			plane, guess = e.now.V, w.guess[320:]
		}
		k, b := i&3, &w.levels[16+i]
		e.uv.restore(b)
		add(plane[chroma+k/2*4*(stride/2)+k%2*4:], stride/2, guess[k/2*32+k%2*4:], 8, b, w.ends[16+i] > 1)
	}
}

// add writes guess plus block. more says that the block has more than its average.
func add(plane []uint8, stride int, guess []uint8, step int, b *block, more bool) {
	if !more {
		v := (b[0] + 4) >> 3
		for y := range 4 {
			d, g := plane[y*stride:][:4], guess[y*step:][:4]
			d[0], d[1], d[2], d[3] = clip(int32(g[0])+v), clip(int32(g[1])+v), clip(int32(g[2])+v), clip(int32(g[3])+v)
		}
		return
	}
	inverse(b)
	for y := range 4 {
		d, g := plane[y*stride:][:4], guess[y*step:][:4]
		d[0], d[1] = clip(int32(g[0])+b[y*4]), clip(int32(g[1])+b[y*4+1])
		d[2], d[3] = clip(int32(g[2])+b[y*4+2]), clip(int32(g[3])+b[y*4+3])
	}
}
