package jsonscan

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// AppendText appends text as a JSON string. Bad UTF-8 becomes U+FFFD; < > and & stay
// as they are.
func AppendText(dst []byte, text string) []byte {
	b := unsafe.Slice(unsafe.StringData(text), len(text)) //nolint:gosec // only read
	dst = append(slices.Grow(dst, len(b)+2), '"')
	done := 0
	for i := plainEnd(b, 0); i < len(b); i = plainEnd(b, i) {
		if b[i] >= 0x80 {
			end := unescapedEnd(b, i)
			if !utf8.Valid(b[i:end]) {
				dst = append(dst, b[done:i]...)
				dst = append(dst, string([]rune(string(b[i:end])))...)
				done = end
			}
			i = end
			continue
		}
		dst = appendEscaped(append(dst, b[done:i]...), b[i])
		i++
		done = i
	}
	return append(append(dst, b[done:]...), '"')
}

const hexDigits = "0123456789abcdef"

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// unquote gives the inside of a string as it is meant.
func unquote(in []byte) []byte {
	if bytes.IndexByte(in, '\\') < 0 {
		return in
	}
	return appendUnquoted(make([]byte, 0, len(in)), in)
}

// appendUnquoted appends the inside of a string as it is meant. Half a surrogate pair
// becomes U+FFFD.
func appendUnquoted(dst, in []byte) []byte {
	for {
		n := bytes.IndexByte(in, '\\')
		if n < 0 || n+1 == len(in) {
			return append(dst, in...)
		}
		dst = append(dst, in[:n]...)
		in = in[n:]
		if in[1] == 'u' {
			r, size := escapedRune(in)
			dst = utf8.AppendRune(dst, r)
			in = in[size:]
			continue
		}
		dst = append(dst, unescapeShort(in[1]))
		in = in[2:]
	}
}

// appendPiece is appendUnquoted, but for halves of pairs, which it keeps.
func appendPiece(dst, in []byte) []byte {
	for i := 0; i < len(in); {
		end := nextEscape(in, i)
		dst = append(dst, in[i:end]...)
		if end == len(in) {
			break
		}
		if r := hex(in[end:]); utf16.IsSurrogate(r) && utf16.DecodeRune(r, hex(in[end+6:])) == utf8.RuneError {
			dst = append(dst, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			i = end + 6
			continue
		}
		i = end + 2
		if in[end+1] == 'u' {
			if i = end + 6; utf16.IsSurrogate(hex(in[end:])) {
				i = end + 12
			}
		}
		dst = appendUnquoted(dst, in[end:min(i, len(in))])
	}
	return dst
}

// nextEscape is where the next escape begins, or the end.
func nextEscape(b []byte, i int) int {
	n := bytes.IndexByte(b[i:], '\\')
	if n < 0 || i+n+1 >= len(b) {
		return len(b)
	}
	return i + n
}

// WithoutHalves is a document without escapes that are half of a surrogate pair: what was
// cut inside of a character ends before it.
func WithoutHalves(doc []byte) []byte {
	if !bytes.Contains(doc, []byte(`\ud`)) && !bytes.Contains(doc, []byte(`\uD`)) {
		return doc
	}
	var out []byte
	done := 0
	for i := nextEscape(doc, 0); i < len(doc); i = nextEscape(doc, i) {
		r := hex(doc[i:])
		switch {
		case doc[i+1] != 'u':
			i += 2
		case !utf16.IsSurrogate(r):
			i = min(i+6, len(doc))
		case utf16.DecodeRune(r, hex(doc[i+6:])) != utf8.RuneError:
			i += 12
		default:
			out = append(out, doc[done:i]...)
			i += 6
			done = i
		}
	}
	if done == 0 {
		return doc
	}
	return append(out, doc[done:]...)
}

// unescapeShort gives the character that a short escape stands for.
func unescapeShort(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// escapedRune reads an escape of four hex digits, and its other half where it is half of a pair. A half
// without the other is U+FFFD.
func escapedRune(b []byte) (r rune, size int) {
	r = hex(b)
	if r < 0 {
		return utf8.RuneError, min(len(b), 6)
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if pair := utf16.DecodeRune(r, hex(b[6:])); pair != utf8.RuneError {
		return pair, 12
	}
	return utf8.RuneError, 6
}

// hex reads an escape of four hex digits, or is -1.
func hex(b []byte) (r rune) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// WithoutMark is a text without the byte order mark that may stand before it, which JSON's
// parsers may pass over.
func WithoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }
