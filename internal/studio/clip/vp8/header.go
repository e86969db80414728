package vp8

// write puts the frame together: how it is coded, what was decided on each
// macroblock, and the levels (RFC 6386, 9 and 19).
func (e *Encoder) write(key bool) []byte {
	h := &e.head
	h.reset()
	if key {
		h.number(0, 2) // colours as usual, values are clamped
	}
	h.flag(false) // no segments
	h.flag(false) // the normal filter
	h.number(e.level, 6)
	h.number(0, 3)           // sharpness
	h.flag(false)            // the filter does not differ by kind of guess
	h.number(0, 2)           // one partition of levels
	h.number(e.quantiser, 7) //
	h.number(0, 5)           // no differences for the kinds of blocks
	if !key {
		h.number(0, 2) // golden and other frame stay
		h.number(0, 4) // as they are
		h.number(0, 2) // with no sign
	}
	h.flag(true) // probabilities stay for the next frame
	if !key {
		h.flag(true) // which is compared with this one
	}
	e.tokens.fit(h)
	empty, inter := e.tally()
	h.flag(true) // empty macroblocks are marked
	h.number(int(empty), 8)
	if !key {
		h.number(int(inter), 8)
		h.number(255, 8) // the last frame, never golden
		h.number(128, 8)
		h.number(0, 2) // probabilities of guesses as usual
		for _, list := range vectorUpdateProbs {
			for _, p := range list {
				h.put(0, p)
			}
		}
	}
	e.writeGuesses(key, empty, inter)
	first := h.flush()
	e.res.reset()
	e.tokens.write(&e.res)
	second := e.res.flush()
	return e.join(key, first, second)
}

func (e *Encoder) join(key bool, first, second []byte) []byte {
	frame := make([]byte, 0, len(first)+len(second)+10)
	tag := uint32(len(first))<<5 | 1<<4
	if !key {
		tag |= 1
	}
	frame = append(frame, byte(tag), byte(tag>>8), byte(tag>>16))
	if key {
		frame = append(frame, 0x9d, 0x01, 0x2a, byte(e.width), byte(e.width>>8), byte(e.height), byte(e.height>>8))
	}
	frame = append(frame, first...)
	return append(frame, second...)
}

// tally is how likely a macroblock is not empty, and how likely it is guessed from
// its neighbours.
func (e *Encoder) tally() (empty, inter uint8) {
	var full, spatial int
	for _, m := range e.blocks {
		if !m.empty {
			full++
		}
		if m.luma != same {
			spatial++
		}
	}
	chance := func(n int) uint8 { return uint8(min(max(n*256/len(e.blocks), 1), 255)) }
	return chance(full), chance(spatial)
}

func (e *Encoder) writeGuesses(key bool, empty, inter uint8) {
	h := &e.head
	for i, m := range e.blocks {
		h.put(one(m.empty), empty)
		switch {
		case key:
			writeKeyLuma(h, m.luma)
			writeChroma(h, m.chroma, 142, 114, 183)
		case m.luma == same:
			h.put(1, inter)
			h.put(0, 255)
			h.put(0, stillProbs[e.still(i)])
		default:
			h.put(0, inter)
			writeLuma(h, m.luma)
			writeChroma(h, m.chroma, 162, 101, 204)
		}
	}
}

// still counts the neighbours of a macroblock that are as they were.
func (e *Encoder) still(i int) int {
	n := 0
	x, y := i%e.columns, i/e.columns
	if y > 0 && e.blocks[i-e.columns].luma == same {
		n += 2
	}
	if x > 0 && e.blocks[i-1].luma == same {
		n += 2
	}
	if x > 0 && y > 0 && e.blocks[i-e.columns-1].luma == same {
		n++
	}
	return n
}

func writeKeyLuma(h *coder, guess uint8) {
	h.put(1, 145) // whole, not in sixteen parts
	h.put(one(guess >= guessLeft), 156)
	if guess >= guessLeft {
		h.put(one(guess == guessSlope), 128)
	} else {
		h.put(one(guess == guessAbove), 163)
	}
}

func writeLuma(h *coder, guess uint8) {
	h.put(one(guess != guessAverage), 112)
	if guess == guessAverage {
		return
	}
	h.put(one(guess == guessSlope), 86)
	if guess == guessSlope {
		h.put(0, 37)
	} else {
		h.put(one(guess == guessLeft), 140)
	}
}

func writeChroma(h *coder, guess, a, b, c uint8) {
	h.put(one(guess != guessAverage), a)
	if guess == guessAverage {
		return
	}
	h.put(one(guess != guessAbove), b)
	if guess != guessAbove {
		h.put(one(guess == guessSlope), c)
	}
}

func one(on bool) uint8 {
	if on {
		return 1
	}
	return 0
}
