// Package vp8 writes VP8 (RFC 6386), the video of WebM, quickly: for drawn frames on
// few cores. It uses a small part of the format, on purpose: macroblocks are guessed
// whole, from their neighbours or from the same place of the frame before, and never
// from elsewhere. It must not know containers or what the frames show.
package vp8

import "fmt"

// Encoder turns frames of one size into VP8. What it keeps is what a decoder has
// seen last, so frames are given in their order. It is not safe for concurrent use.
type Encoder struct {
	// Halt is asked before each row of macroblocks. Once it says yes the encoder gives
	// up: what it returns then is no frame, and nothing may be asked of it any more.
	Halt func() bool

	width, height int
	columns, rows int // of macroblocks

	now, last *Picture // as a decoder sees them
	blocks    []macroblock
	tokens    tokens
	head, res coder

	above [][9]uint8 // whether blocks of the row above have levels: 4 Y, 2 U, 2 V, 1 Y2
	left  [9]uint8

	y1, y2, uv steps
	quantiser  int
	level      int // of the filter
	work       scratch
}

// macroblock is what was decided on 16x16 pixels.
type macroblock struct {
	luma, chroma uint8
	empty        bool // nothing to add to the guess
}

// scratch is the room in which one macroblock is worked.
type scratch struct {
	edges      edges
	guess, try [384]uint8 // Y, U, V
	levels     [25]block
	ends       [25]int
}

// New makes an encoder for frames of a size.
func New(width, height int) (*Encoder, error) {
	if width < 1 || height < 1 || width > 16383 || height > 16383 {
		return nil, fmt.Errorf("vp8: no frame is %dx%d", width, height)
	}
	e := &Encoder{
		width: width, height: height, columns: (width + 15) / 16, rows: (height + 15) / 16,
		now: NewPicture(width, height), last: NewPicture(width, height),
	}
	e.blocks = make([]macroblock, e.columns*e.rows)
	e.above = make([][9]uint8, e.columns)
	return e, nil
}

// Key encodes a frame that needs no other. quantiser is 0 (best) to 127 (smallest).
// The frame is the caller's.
func (e *Encoder) Key(p *Picture, quantiser int) []byte {
	e.tokens.probs = startProbs
	return e.encode(p, quantiser, true)
}

// Next encodes a frame as the change from the one given before it.
func (e *Encoder) Next(p *Picture, quantiser int) []byte {
	return e.encode(p, quantiser, false)
}

// Decoded is the frame encoded last, as it will be seen. It is valid until the next.
func (e *Encoder) Decoded() *Picture { return e.last }

func (e *Encoder) encode(p *Picture, quantiser int, key bool) []byte {
	e.setQuantiser(quantiser)
	e.tokens.reset()
	clear(e.above)
	for y := range e.rows {
		if e.Halt != nil && e.Halt() {
			return nil
		}
		e.left = [9]uint8{}
		for x := range e.columns {
			e.blocks[y*e.columns+x] = e.macroblock(p, x, y, key)
		}
	}
	frame := e.write(key)
	e.filter(key)
	e.now, e.last = e.last, e.now
	return frame
}

func (e *Encoder) setQuantiser(q int) {
	q = min(max(q, 0), 127)
	e.quantiser = q
	e.level = min(q*3/8, 40)
	e.y1 = stepsOf(dcSteps[q], acSteps[q])
	e.y2 = stepsOf(dcSteps[q]*2, max(acSteps[q]*155/100, 8))
	e.uv = stepsOf(min(dcSteps[q], 132), acSteps[q])
}

// macroblock decides on one, notes what has to be said of it, and leaves in e.now
// what a decoder makes of it.
func (e *Encoder) macroblock(p *Picture, column, row int, key bool) macroblock {
	w := &e.work
	m := e.choose(p, column, row, key)
	luma, chroma := row*16*p.Stride+column*16, row*8*(p.Stride/2)+column*8
	some := false
	if m.luma == same && e.isUnchanged(p, luma, chroma) {
		m.empty = true
	} else {
		some = e.transform(p, luma, chroma)
		m.empty = !some
	}
	if !some {
		e.above[column], e.left = [9]uint8{}, [9]uint8{}
		put(e.now.Y[luma:], p.Stride, w.guess[:256], 16)
		put(e.now.U[chroma:], p.Stride/2, w.guess[256:320], 8)
		put(e.now.V[chroma:], p.Stride/2, w.guess[320:], 8)
		return m
	}
	e.note(column)
	e.rebuild(luma, chroma)
	return m
}

func put(plane []uint8, stride int, src []uint8, size int) {
	for y := range size {
		copy(plane[y*stride:y*stride+size], src[y*size:(y+1)*size])
	}
}

// isUnchanged reports whether an eye would miss that a macroblock is not quite the guess.
func (e *Encoder) isUnchanged(p *Picture, luma, chroma int) bool {
	return near(p.Y[luma:], p.Stride, e.work.guess[:256], 16) &&
		near(p.U[chroma:], p.Stride/2, e.work.guess[256:320], 8) && near(p.V[chroma:], p.Stride/2, e.work.guess[320:], 8)
}

// near reports whether no pixel is off by more than 1.
func near(plane []uint8, stride int, guess []uint8, size int) bool {
	for y := range size {
		a, b := plane[y*stride:][:size], guess[y*size:][:size]
		for x, v := range a {
			if d := v - b[x] + 1; d > 2 {
				return false
			}
		}
	}
	return true
}

// transform fills the work room with the levels of what the guess lacks, and reports
// whether there are any.
func (e *Encoder) transform(p *Picture, luma, chroma int) bool {
	w := &e.work
	some := 0
	y2 := &w.levels[24]
	for i := range 16 {
		b := &w.levels[i]
		subtract(b, p.Y[luma+i/4*4*p.Stride+i%4*4:], p.Stride, w.guess[i/4*64+i%4*4:], 16)
		forward(b)
		y2[i] = b[0]
		b[0] = 0
		w.ends[i] = e.y1.quantise(b, 1)
		some |= w.ends[i]
	}
	gather(y2)
	w.ends[24] = e.y2.quantise(y2, 0)
	some |= w.ends[24]
	for i := range 8 {
		b, plane, guess := &w.levels[16+i], p.U, w.guess[256:320]
		if i >= 4 {
			plane, guess = p.V, w.guess[320:]
		}
		k := i & 3
		subtract(b, plane[chroma+k/2*4*(p.Stride/2)+k%2*4:], p.Stride/2, guess[k/2*32+k%2*4:], 8)
		forward(b)
		w.ends[16+i] = e.uv.quantise(b, 0)
		some |= w.ends[16+i]
	}
	return some != 0
}

func subtract(b *block, plane []uint8, stride int, guess []uint8, step int) {
	for y := range 4 {
		s, g := plane[y*stride:][:4], guess[y*step:][:4]
		b[y*4], b[y*4+1] = int32(s[0])-int32(g[0]), int32(s[1])-int32(g[1])
		b[y*4+2], b[y*4+3] = int32(s[2])-int32(g[2]), int32(s[3])-int32(g[3])
	}
}
