package dialect

import "bytes"

// valueWeight is about how many bytes a value takes once it is read: a part of a
// conversation, an element of a list, a member of an object.
const valueWeight = 256

// Weight is about how much memory a JSON text takes once it is understood, beside its
// own bytes: every value a little, and texts with escapes as much again. A text that
// is short and made of nothing but small values takes a hundred times its length.
func Weight(body []byte) int64 {
	values, copied := int64(1), int64(0)
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case ',', '{', '[':
			values++
		case '"':
			end := closing(body, i+1)
			if text := body[i+1 : end]; bytes.IndexByte(text, '\\') >= 0 {
				copied += int64(len(text))
			}
			i = end
		}
	}
	return values*valueWeight + copied
}

// closing is where the quote stands that ends a string, or the end of the text.
func closing(body []byte, from int) int {
	for at := from; ; at++ {
		n := bytes.IndexByte(body[at:], '"')
		if n < 0 {
			return len(body)
		}
		at += n
		escapes := 0
		for at-1-escapes >= from && body[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}
