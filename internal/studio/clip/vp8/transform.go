package vp8

// block is 4x4 values, row by row.
type block [16]int32

// forward turns differences into frequencies: what inverse turns back, but for rounding.
func forward(b *block) {
	for i := 0; i < 16; i += 4 {
		a, d := (b[i]+b[i+3])<<3, (b[i]-b[i+3])<<3
		e, c := (b[i+1]+b[i+2])<<3, (b[i+1]-b[i+2])<<3
		b[i], b[i+2] = a+e, a-e
		b[i+1] = (c*2217 + d*5352 + 14500) >> 12
		b[i+3] = (d*2217 - c*5352 + 7500) >> 12
	}
	for i := range 4 {
		a, d := b[i]+b[i+12], b[i]-b[i+12]
		e, c := b[i+4]+b[i+8], b[i+4]-b[i+8]
		b[i], b[i+8] = (a+e+7)>>4, (a-e+7)>>4
		b[i+4] = (c*2217 + d*5352 + 12000) >> 16
		if d != 0 {
			b[i+4]++
		}
		b[i+12] = (d*2217 - c*5352 + 51000) >> 16
	}
}

// inverse is the decoder's way back, to the last bit (14.3).
func inverse(b *block) {
	for i := range 4 {
		a, e := b[i]+b[i+8], b[i]-b[i+8]
		c := (b[i+4]*35468)>>16 - b[i+12] - (b[i+12]*20091)>>16
		d := b[i+4] + (b[i+4]*20091)>>16 + (b[i+12]*35468)>>16
		b[i], b[i+12], b[i+4], b[i+8] = a+d, a-d, e+c, e-c
	}
	for i := 0; i < 16; i += 4 {
		a, e := b[i]+b[i+2], b[i]-b[i+2]
		c := (b[i+1]*35468)>>16 - b[i+3] - (b[i+3]*20091)>>16
		d := b[i+1] + (b[i+1]*20091)>>16 + (b[i+3]*35468)>>16
		b[i], b[i+3], b[i+1], b[i+2] = (a+d+4)>>3, (a-d+4)>>3, (e+c+4)>>3, (e-c+4)>>3
	}
}

// gather is the second transform, of the sixteen averages of a macroblock.
func gather(b *block) {
	for i := 0; i < 16; i += 4 {
		a, e := (b[i]+b[i+2])<<2, (b[i]-b[i+2])<<2
		d, c := (b[i+1]+b[i+3])<<2, (b[i+1]-b[i+3])<<2
		b[i], b[i+1], b[i+2], b[i+3] = a+d, e+c, e-c, a-d
		if a != 0 {
			b[i]++
		}
	}
	for i := range 4 {
		a, e := b[i]+b[i+8], b[i]-b[i+8]
		d, c := b[i+4]+b[i+12], b[i+4]-b[i+12]
		b[i], b[i+4], b[i+8], b[i+12] = eighth(a+d), eighth(e+c), eighth(e-c), eighth(a-d)
	}
}

func eighth(v int32) int32 {
	if v < 0 {
		v++
	}
	return (v + 3) >> 3
}

// scatter is the way back from gather, to the last bit.
func scatter(b *block) {
	for i := range 4 {
		a, d := b[i]+b[i+12], b[i]-b[i+12]
		e, c := b[i+4]+b[i+8], b[i+4]-b[i+8]
		b[i], b[i+4], b[i+8], b[i+12] = a+e, c+d, a-e, d-c
	}
	for i := 0; i < 16; i += 4 {
		a, d := b[i]+b[i+3], b[i]-b[i+3]
		e, c := b[i+1]+b[i+2], b[i+1]-b[i+2]
		b[i], b[i+1], b[i+2], b[i+3] = (a+e+3)>>3, (c+d+3)>>3, (a-e+3)>>3, (d-c+3)>>3
	}
}

// steps are the quantiser's steps for one kind of block: of the average and of the rest.
type steps struct {
	dc, ac         int32
	dcInv, acInv   int32 // 2^16 / step
	dcBias, acBias int32 // what is added before cutting off: less than a half makes small ones vanish
}

func stepsOf(dc, ac int32) steps {
	return steps{dc: dc, ac: ac, dcInv: 1 << 16 / dc, acInv: 1 << 16 / ac, dcBias: dc * 7 / 16, acBias: ac * 5 / 14}
}

// quantise replaces frequencies by levels from the place first on, and reports the
// place after the last level that is not 0, in the order they are written.
func (s *steps) quantise(b *block, first int) (end int) {
	if first == 0 && b[0] != 0 {
		if b[0] = level(b[0], s.dcInv, s.dcBias); b[0] != 0 {
			end = 1
		}
	}
	inv, bias, least := s.acInv, s.acBias, s.ac-s.acBias
	for i := 1; i < 16; i++ {
		at := zigzag[i] & 15
		v := b[at]
		if v < least && v > -least {
			b[at] = 0
			continue
		}
		if b[at] = level(v, inv, bias); b[at] != 0 {
			end = i + 1
		}
	}
	return end
}

func level(v, inv, bias int32) int32 {
	if v < 0 {
		return -min(((bias-v)*inv)>>16, 2047)
	}
	return min(((v+bias)*inv)>>16, 2047)
}

// restore turns levels back into frequencies.
func (s *steps) restore(b *block) {
	b[0] *= s.dc
	for i := 1; i < 16; i++ {
		b[i] *= s.ac
	}
}
