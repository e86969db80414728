// Package label says which texts of a client's may become a name that is kept: in
// a row, an index, a map, a log line or an address. It must not know what is named.
package label

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest is the most bytes of a model's id, and of any such name in a message.
const Longest = 256

// IsModelID reports whether text can be the id of a model: 1 to 256 bytes of
// printable characters in valid UTF-8, without a part between slashes that is
// empty, "." or "..", however often it is percent-encoded. Such an id changes no
// path that it is put into.
func IsModelID(text string) bool {
	if text == "" || len(text) > Longest {
		return false
	}
	plain := true // most are: letters, digits and a few signs
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c == 0x7f {
			return false
		}
		plain = plain && c < utf8.RuneSelf && c != '%' && c != '\\'
	}
	if !plain && !isPrintable(text) {
		return false
	}
	return keepsPath(text)
}

func isPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// IsLine reports whether text is one line of at most so many characters that all can be seen.
func IsLine(text string, most int) bool {
	return len(text) <= utf8.UTFMax*most && utf8.RuneCountInString(text) <= most && isPrintable(text)
}

// keepsPath reports whether no part of text is tidied away in a path, as it stands
// or decoded by a server on the way. A backslash is a slash to some, and what
// follows a semicolon is no part of the name to others.
func keepsPath(text string) bool {
	for {
		for part := range strings.SplitSeq(strings.ReplaceAll(text, "\\", "/"), "/") {
			name, _, _ := strings.Cut(part, ";")
			switch strings.TrimSpace(name) {
			case "", ".", "..":
				return false
			}
		}
		if strings.IndexByte(text, '%') < 0 {
			return true
		}
		decoded, err := url.PathUnescape(text)
		if err != nil || decoded == text {
			return true
		}
		if !isPrintable(decoded) {
			return false
		}
		text = decoded // shorter each time
	}
}

// Clean is text fit for a row, a log line or a message: at most so many bytes,
// valid UTF-8, with U+FFFD for what cannot be printed. A text that was cut ends in "…".
func Clean(text string, most int) string {
	cut := len(text) > most
	if cut {
		text = Cut(text, max(most-len("…"), 0))
	}
	if !isPrintable(text) {
		text = strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return utf8.RuneError
			}
			return r
		}, text)
		if len(text) > most { // U+FFFD has three bytes
			return Clean(text, most)
		}
	}
	if cut {
		text += "…"
	}
	return text
}

// Storable is text as any database takes it: valid UTF-8 without NUL, at most so
// many bytes. What is fine already is not copied.
func Storable(text string, most int) string {
	text = Cut(text, most)
	if strings.IndexByte(text, 0) < 0 && utf8.ValidString(text) {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
}

// Cut is the first bytes of text, at most so many, without half a character at the end.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:most]
	for n := 1; n < utf8.UTFMax && len(text) > 0; n++ {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size > 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}
