package vp8

import "math/bits"

// coder writes bits so that each costs as much as it surprises (RFC 6386, 7).
type coder struct {
	buf   []byte
	low   uint32
	width uint32
	count int
}

func (c *coder) reset() {
	c.buf, c.low, c.width, c.count = c.buf[:0], 0, 255, -24
}

// put writes a bit that is 0 with the probability p/256.
func (c *coder) put(bit, p uint8) {
	split := 1 + ((c.width-1)*uint32(p))>>8
	if bit == 0 {
		c.width = split
	} else {
		c.low += split
		c.width -= split
	}
	shift := bits.LeadingZeros8(uint8(c.width))
	c.width <<= shift
	c.count += shift
	if c.count >= 0 {
		over := shift - c.count
		if (c.low<<(over-1))&0x80000000 != 0 {
			c.carry()
		}
		c.buf = append(c.buf, byte(c.low>>(24-over)))
		c.low = (c.low << over) & 0xffffff
		shift = c.count
		c.count -= 8
	}
	c.low <<= shift
}

func (c *coder) carry() {
	i := len(c.buf) - 1
	for i >= 0 && c.buf[i] == 255 {
		c.buf[i] = 0
		i--
	}
	c.buf[i]++
}

func (c *coder) flag(on bool) {
	if on {
		c.put(1, 128)
	} else {
		c.put(0, 128)
	}
}

// number writes the lowest n bits of v, the highest first.
func (c *coder) number(v, n int) {
	for n--; n >= 0; n-- {
		c.put(uint8(v>>n)&1, 128)
	}
}

// flush ends the partition.
func (c *coder) flush() []byte {
	for range 32 {
		c.put(0, 128)
	}
	return c.buf
}
