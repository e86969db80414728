package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Eight bytes are looked at in one step. Each test leaves the high bit of a byte set
// where it holds; above the first such byte bits may be set wrongly, below never.
const (
	ones    = 0x0101010101010101
	highs   = 0x80 * ones
	quotes  = '"' * ones
	slashes = '\\' * ones
	blanks  = ' ' * ones

	// With this bit turned over, quotes are a blank and no other byte is one, and those
	// below a blank stay below: so one test finds quotes and control characters.
	turns = ('"' ^ ' ') * ones
)

// step is how many bytes are looked at in one step where the processor can (leap_amd64.s).
const step = 64

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// first is the place of the first byte that a test has found.
func first(found uint64) int { return bits.TrailingZeros64(found) >> 3 }

// ends tests for what ends a run of plain text: quotes, backslashes, control
// characters, and all that is not ASCII.
func ends(w uint64) uint64 {
	return (((w ^ turns) - (blanks + ones)) | ((w ^ slashes) - ones) | w) & highs
}

// escapes is ends, but passes over what is not ASCII.
func escapes(w uint64) uint64 {
	return (((w ^ turns) - (blanks + ones)) | ((w ^ slashes) - ones)) &^ w & highs
}

// closes tests for quotes and backslashes.
func closes(w uint64) uint64 {
	return (((w ^ quotes) - ones) | ((w ^ slashes) - ones)) &^ w & highs
}

// plainEnd is where a run of plain ASCII ends that begins at i.
func plainEnd(b []byte, i int) int {
	rest := b[i:]
	for n := 0; len(rest) >= 8; n++ {
		if m := ends(word(rest)); m != 0 {
			return len(b) - len(rest) + first(m)
		}
		if rest = rest[8:]; n == near {
			rest = rest[longRun(rest):]
		}
	}
	for i = len(b) - len(rest); i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' && b[i] < 0x80; {
		i++
	}
	return i
}

// near is how many words most names and texts are long. What goes on is likely to be a
// payload, and worth larger steps.
const near = 4

// longRun is how much of b is surely plain ASCII.
func longRun(b []byte) int {
	if wide && len(b) >= step {
		return plainWide(b)
	}
	rest := b
	for n := 0; len(rest) >= 32 && ends(word(rest))|ends(word(rest[8:]))|ends(word(rest[16:]))|ends(word(rest[24:])) == 0; n++ {
		if rest = rest[32:]; n == far {
			rest = rest[payload(rest):]
		}
	}
	return len(b) - len(rest)
}

// far is how many steps of a long run are made before it is taken for a payload.
const far = 32

// payload is how much of b is surely plain ASCII, in blocks that stay in the nearest
// cache: looking for one byte at a time, as the standard library does, and then for what
// is left is faster than looking for all at once.
func payload(b []byte) int {
	const block = 8 << 10
	rest := b
	for len(rest) >= block && bytes.IndexByte(rest[:block], '"') < 0 && bytes.IndexByte(rest[:block], '\\') < 0 && printable(rest[:block]) {
		rest = rest[block:]
	}
	return len(b) - len(rest)
}

// printable reports whether b, of so many words, has neither control characters nor
// anything but ASCII.
func printable(b []byte) bool {
	seen := uint64(0)
	for len(b) >= 32 {
		w, x, y, z := word(b), word(b[8:]), word(b[16:]), word(b[24:])
		seen |= (w | (w - blanks)) | (x | (x - blanks)) | (y | (y - blanks)) | (z | (z - blanks))
		b = b[32:]
	}
	return seen&highs == 0
}

// pastEscapes leaps over plain ASCII and short escapes from i on, and over any UTF-8 where the processor can, as far as
// whole steps go. It ends at the latest where something else begins.
func pastEscapes(b []byte, i int) int {
	rest := b[i:]
	for n := 0; len(rest) >= 16; n++ {
		if n == near {
			end, _ := pastText(rest)
			rest = rest[end:]
			continue
		}
		m := ends(word(rest))
		if m == 0 {
			rest = rest[8:]
			continue
		}
		at := first(m)
		if rest[at] != '\\' || !shortEscape[rest[at+1]] {
			return len(b) - len(rest) + at
		}
		rest = rest[at+2:]
	}
	return len(b) - len(rest)
}

// pastText is how much of b is surely text, as far as whole steps go, and whether it has escapes.
func pastText(b []byte) (end int, escaped bool) {
	if wide && len(b) >= step {
		return textWide(b)
	}
	return 0, false
}

// shortEscape are the bytes that are an escape with the backslash before them.
var shortEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// unescapedEnd is where a run of text without quotes, escapes and control characters
// ends that begins at i.
func unescapedEnd(b []byte, i int) int {
	rest := b[i:]
	for len(rest) >= 8 {
		if m := escapes(word(rest)); m != 0 {
			return len(b) - len(rest) + first(m)
		}
		rest = rest[8:]
	}
	for i = len(b) - len(rest); i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' '; {
		i++
	}
	return i
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// skipBlank finds the first place from i on that is not white space, or the end.
func skipBlank(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && space(b[i]) {
		i++
	}
	return i
}

// skip is where the value ends that begins at i. There is none where it is i.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		end, _ := skipText(b, i)
		return end
	case '{', '[':
		return skipNested(b, i)
	}
	for i < len(b) {
		switch b[i] {
		case ',', ':', '}', ']', '{', '[', '"', ' ', '\t', '\r', '\n':
			return i
		}
		i++
	}
	return i
}

// skipNested leaps over an object or an array.
func skipNested(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			if rest := b[i+1:]; len(rest) >= 8 { // most names end here
				if m := closes(word(rest)); m != 0 && rest[first(m)] == '"' {
					i += 1 + first(m)
					continue
				}
			}
			i, _ = skipText(b, i)
			i--
		case c|0x20 == '{': // or [
			depth++
		case c|0x20 == '}': // or ]
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(b)
}

// skipText leaps over the string that begins at i, and reports whether it has escapes.
func skipText(b []byte, i int) (end int, escaped bool) {
	from := i + 1
	rest := b[from:]
	for n := 0; n < near && len(rest) >= 8; n++ {
		if m := closes(word(rest)); m != 0 {
			i = len(b) - len(rest) + first(m)
			if b[i] == '"' {
				return i + 1, false
			}
			return skipEscaped(b, from, i), true
		}
		rest = rest[8:]
	}
	end = skipEscaped(b, from, len(b)-len(rest))
	return end, bytes.IndexByte(b[from:end], '\\') >= 0
}

// skipEscaped is where the string ends whose inside begins at from, and which does not
// end before i.
func skipEscaped(b []byte, from, i int) int {
	for ; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		i += n
		odd := false
		for at := i - 1; at >= from && b[at] == '\\'; at-- {
			odd = !odd
		}
		if !odd {
			return i + 1
		}
	}
}

// inner is a string without its quotes.
func inner(quoted []byte) []byte {
	if n := len(quoted); n >= 2 && quoted[n-1] == '"' {
		return quoted[1 : n-1]
	}
	return quoted[1:] // cut short
}
