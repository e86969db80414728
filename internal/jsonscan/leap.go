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
)

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// first is the place of the first byte that a test has found.
func first(found uint64) int { return bits.TrailingZeros64(found) >> 3 }

// ends tests for what ends a run of plain text: quotes, backslashes, control
// characters, and all that is not ASCII.
func ends(w uint64) uint64 {
	return (((w ^ quotes) - ones) | ((w ^ slashes) - ones) | (w - blanks) | w) & highs
}

// escapes is ends, but passes over what is not ASCII.
func escapes(w uint64) uint64 {
	return (((w ^ quotes) - ones) | ((w ^ slashes) - ones) | (w - blanks)) &^ w & highs
}

// plainEnd is where a run of plain ASCII ends that begins at i.
func plainEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := ends(word(b, i)); m != 0 {
			return i + first(m)
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' && b[i] < 0x80 {
		i++
	}
	return i
}

// unescapedEnd is where a run of text without quotes, escapes and control characters
// ends that begins at i.
func unescapedEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := escapes(word(b, i)); m != 0 {
			return i + first(m)
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// blank is the first place from i on that is not white space, or the end.
func blank(b []byte, i int) int {
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
		switch b[i] {
		case '"':
			i, _ = skipText(b, i)
			i--
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(b)
}

// skipText leaps over the string that begins at i, and reports whether it has escapes.
func skipText(b []byte, i int) (end int, escaped bool) {
	const near = 32 // most names and words end within; pictures are worth a call
	from := i + 1
	i = from
	for stop := min(from+near, len(b)-8); i <= stop; i += 8 {
		w := word(b, i)
		m := (((w ^ quotes) - ones) | ((w ^ slashes) - ones)) &^ w & highs
		if m == 0 {
			continue
		}
		if i += first(m); b[i] == '"' {
			return i + 1, false
		}
		break
	}
	for ; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b), true
		}
		i += n
		odd := false
		for at := i - 1; at >= from && b[at] == '\\'; at-- {
			odd = !odd
		}
		if !odd {
			return i + 1, bytes.IndexByte(b[from:i], '\\') >= 0
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
