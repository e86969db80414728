package jsonscan

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
)

// Needles are texts that a walk looks for in all strings and names, as they are
// written. They are made once and can be used by many at the same time.
type Needles struct {
	starts [256]uint64 // those that begin with a quote, by the byte behind it
	texts  []string
	within []within
}

// within is a needle that may be anywhere in a string.
type within struct {
	text string
	rare int // the place of the byte in it that is looked for first
	bit  uint64
}

// mostNeedles have a bit each.
const mostNeedles = 64

// NewNeedles makes needles of texts. One that begins with a quote is looked for where
// strings begin, and is a whole string if it ends with one. Any other is looked for
// everywhere inside of strings, which costs more.
func NewNeedles(texts ...string) *Needles {
	if len(texts) > mostNeedles || slices.Contains(texts, "") {
		panic("jsonscan: too many needles, or an empty one")
	}
	n := &Needles{texts: texts}
	for i, text := range texts {
		bit := uint64(1) << i
		if len(text) > 1 && text[0] == '"' {
			n.starts[text[1]] |= bit
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

// in is which needles a string has, in its quotes, beside those that were found.
func (n *Needles) in(quoted []byte, found uint64) uint64 {
	for left := n.starts[quoted[1]] &^ found; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros64(left); len(quoted) >= len(n.texts[i]) && string(quoted[:len(n.texts[i])]) == n.texts[i] {
			found |= 1 << i
		}
	}
	for i := range n.within {
		if w := &n.within[i]; found&w.bit == 0 && w.in(quoted) {
			found |= w.bit
		}
	}
	return found
}

func (w *within) in(text []byte) bool {
	for len(text) >= len(w.text) {
		i := bytes.IndexByte(text[w.rare:], w.text[w.rare])
		if i < 0 {
			return false
		}
		if text = text[i:]; len(text) >= len(w.text) && string(text[:len(w.text)]) == w.text {
			return true
		}
		text = text[min(1, len(text)):]
	}
	return false
}
