package vp8

import "math"

// tokens is what is left to say about the blocks of a frame: bits, each with the
// place of its probability. They are written after the frame is known whole, when
// the probabilities can be fitted to it.
type tokens struct {
	list  []uint16
	seen  [probs][2]uint32
	probs [probs]uint8
}

const (
	tokenBit   = 1 << 15
	tokenFixed = 1 << 14 // the low byte is the probability itself
)

func (t *tokens) reset() {
	t.list = t.list[:0]
	t.seen = [probs][2]uint32{}
}

func (t *tokens) put(place int, bit uint16) {
	t.seen[place][bit]++
	t.list = append(t.list, uint16(place)|bit<<15)
}

func (t *tokens) putFixed(p uint8, bit uint16) {
	t.list = append(t.list, tokenFixed|uint16(p)|bit<<15)
}

// putBlock adds the levels of a block: b in its places, those from first to end in
// writing order.
func (t *tokens) putBlock(kind, context, first, end int, b *block) {
	base := kind * bands * contexts * nodes
	place := base + (int(band[first])*contexts+context)*nodes
	afterZero := false
	for i := first; i < end; {
		if !afterZero {
			t.put(place, 1) // there is more
		}
		v := b[zigzag[i]]
		i++
		next := base + int(band[i])*contexts*nodes
		if v == 0 {
			t.put(place+1, 0)
			place, afterZero = next, true
			continue
		}
		t.put(place+1, 1)
		var sign uint16
		if v < 0 {
			v, sign = -v, 1
		}
		afterZero = false
		if v == 1 {
			t.put(place+2, 0)
			t.putFixed(128, sign)
			place = next + nodes
			continue
		}
		t.put(place+2, 1)
		t.putLarge(place, v)
		t.putFixed(128, sign)
		place = next + 2*nodes
	}
	if end < 16 {
		t.put(place, 0) // the end
	}
}

// putLarge adds a level above 1.
func (t *tokens) putLarge(place int, v int32) {
	if v <= 4 {
		t.put(place+3, 0)
		if v == 2 {
			t.put(place+4, 0)
			return
		}
		t.put(place+4, 1)
		t.put(place+5, uint16(v-3))
		return
	}
	t.put(place+3, 1)
	if v <= 10 {
		t.put(place+6, 0)
		if v <= 6 {
			t.put(place+7, 0)
			t.putFixed(159, uint16(v-5))
			return
		}
		t.put(place+7, 1)
		t.putFixed(165, uint16(v-7)>>1)
		t.putFixed(145, uint16(v-7)&1)
		return
	}
	t.put(place+6, 1)
	switch {
	case v <= 18:
		t.putExtra(place, 0, 0, v-11, category3)
	case v <= 34:
		t.putExtra(place, 0, 1, v-19, category4)
	case v <= 66:
		t.putExtra(place, 1, 0, v-35, category5)
	default:
		t.putExtra(place, 1, 1, v-67, category6)
	}
}

func (t *tokens) putExtra(place int, high, low uint16, v int32, category []uint8) {
	t.put(place+8, high)
	t.put(place+9+int(high), low)
	for i, p := range category {
		t.putFixed(p, uint16(v>>(len(category)-1-i))&1)
	}
}

// fit chooses the probabilities and writes which of them are new.
func (t *tokens) fit(c *coder) {
	for i, n := range t.seen {
		p := t.probs[i]
		if total := n[0] + n[1]; total > 0 {
			best := uint8(min(max((n[0]*255+total/2)/total, 1), 255))
			gain := price(n, p) - price(n, best) - 8 - math.Log2(float64(updateProbs[i])/float64(256-uint32(updateProbs[i])))
			if gain > 0 {
				t.probs[i] = best
				c.put(1, updateProbs[i])
				c.number(int(best), 8)
				continue
			}
		}
		c.put(0, updateProbs[i])
	}
}

// price is how many bits the seen ones cost at a probability.
func price(n [2]uint32, p uint8) float64 {
	return -float64(n[0])*math.Log2(float64(p)/256) - float64(n[1])*math.Log2(1-float64(p)/256)
}

func (t *tokens) write(c *coder) {
	for _, token := range t.list {
		bit := uint8(token >> 15)
		if token&tokenFixed != 0 {
			c.put(bit, uint8(token))
		} else {
			c.put(bit, t.probs[token&0x7ff])
		}
	}
}
