package jsonscan

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
)

// Needles are texts that a walk looks for in all strings and names. They are made once and can be used by many at the same time.
type Needles struct {
	starts  [256]uint64 // those that begin with a quote, by the byte behind it
	longest int         // of them
	texts   []string
	within  []within
}

// within is a needle that may be anywhere in a string.
type within struct {
	text string
	rare int // the place of the byte in it that is looked for first
	bit  uint64
}

const (
	mostNeedles   = 64 // have a bit each
	longestNeedle = 64 // bytes, of one that begins with a quote
)

// NewNeedles makes needles of texts. One that begins with a quote is looked for where
// strings begin, and is a whole string if it ends with one. Any other is looked for
// everywhere inside of strings as they are written, which costs more.
func NewNeedles(texts ...string) *Needles {
	if len(texts) > mostNeedles || slices.Contains(texts, "") {
		panic("jsonscan: too many needles, or an empty one")
	}
	n := &Needles{texts: texts}
	for i, text := range texts {
		bit := uint64(1) << i
		if len(text) > 1 && text[0] == '"' {
			n.starts[text[1]] |= bit
			if n.longest = max(n.longest, len(text)); n.longest > longestNeedle {
				panic("jsonscan: a needle is too long")
			}
			continue
		}
		// Payloads in base64 are long: what cannot be in them is rare.
		rare := strings.IndexFunc(text, func(r rune) bool {
			return r < 0x80 && !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '+' || r == '/')
		})
		n.within = append(n.within, within{text, max(rare, 0), bit})
	}
	return n
}

// begin tells which needles are how a string begins.
func (n *Needles) begin(quoted []byte) (found uint64) {
	for left := n.starts[quoted[1]]; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		if text := n.texts[i]; len(quoted) >= len(text) && string(quoted[:len(text)]) == text {
			found |= 1 << i
		}
	}
	return found
}

// findDisguised is begin for a valid string with escapes, which may hide how it begins.
func (n *Needles) findDisguised(quoted []byte) uint64 {
	if bytes.IndexByte(quoted[:min(len(quoted), n.longest)], '\\') < 0 {
		return 0 // most have their first escape further behind
	}
	var meaning [longestNeedle]byte
	meaning[0] = '"'
	size := 1
	for i := 1; i < len(quoted) && size < n.longest; size++ {
		c := quoted[i]
		switch {
		case c != '\\':
			i++
		case quoted[i+1] != 'u':
			c = unescapeShort(quoted[i+1])
			i += 2
		default:
			c = byte(min(hex(quoted[i:]), 0xFF)) // of what is not ASCII a byte that no needle has
			i += 6
		}
		meaning[size] = c
	}
	return n.begin(meaning[:size])
}

// findInside tells which needles are inside of strings. Between strings none can be, so
// that the document is looked at as a whole.
func (n *Needles) findInside(doc []byte) (found uint64) {
	for i := range n.within {
		if w := &n.within[i]; w.in(doc) {
			found |= w.bit
		}
	}
	return found
}

func (w *within) in(doc []byte) bool {
	for len(doc) >= len(w.text) {
		i := w.next(doc[w.rare:])
		if i < 0 {
			return false
		}
		if doc = doc[i:]; len(doc) >= len(w.text) && string(doc[:len(w.text)]) == w.text {
			return true
		}
		doc = doc[1:]
	}
	return false
}

// next is where the rare byte may be, with the one behind it, or -1.
func (w *within) next(b []byte) int {
	leapt := 0
	if behind := w.rare + 1; wide && behind < len(w.text) && len(b) > step {
		leapt = pairWide(b, w.text[w.rare], w.text[behind]) // code is full of bytes that are rare elsewhere, not of two
	}
	i := bytes.IndexByte(b[leapt:], w.text[w.rare])
	if i < 0 {
		return -1
	}
	return leapt + i
}
