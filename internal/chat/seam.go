package chat

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// seam joins pieces of a text that were cut inside of a character: between the bytes of
// one, or between the halves of a surrogate pair, each of which comes as three bytes. A half
// that never finds the other is left out; bytes that are no character stay where they are.
type seam struct{ rest string }

// join is a piece with what was left of the one before, as far as it is characters.
func (s *seam) join(text string) string {
	if s.rest == "" && utf8.ValidString(text) {
		return text
	}
	text, s.rest = s.rest+text, ""
	var out strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		half := halfOf(text)
		switch {
		case r != utf8.RuneError || n > 1:
			out.WriteString(text[:n])
		case half == 0 && utf8.FullRuneInString(text):
			out.WriteByte(text[0])
		case half != 0 && len(text) == halfSize && half < firstLow, half == 0 && !utf8.FullRuneInString(text):
			s.rest = strings.Clone(text)
			return out.String()
		case half != 0:
			n = halfSize
			if pair := utf16.DecodeRune(half, halfOf(text[n:])); pair != utf8.RuneError {
				out.WriteRune(pair)
				n += halfSize
			}
		}
		text = text[n:]
	}
	return out.String()
}

const (
	halfSize = 3      // bytes of half a pair
	firstLow = 0xDC00 // of the halves that come second
)

// halfOf is the half of a pair that text begins with, or 0.
func halfOf(text string) rune {
	if len(text) < halfSize || text[0] != 0xED || text[1] < 0xA0 || text[1] > 0xBF || text[2] < 0x80 || text[2] > 0xBF {
		return 0
	}
	return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F)
}
