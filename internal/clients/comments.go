package clients

import "strings"

// withoutComments is a text in JSON with spaces in the place of its comments and of the commas that
// no value follows, which the clients that allow them leave out too. All else stays where it was.
func withoutComments(text string) string {
	b := []byte(text)
	comma := -1 // the last one, as long as nothing but spaces and comments came after it
	for i := 0; i < len(b); i++ {
		rest := text[i:]
		switch {
		case b[i] == '"':
			i, comma = len(text)-len(behindText(rest))-1, -1
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			i += blank(b[i:], len(line))
		case strings.HasPrefix(rest, "/*"):
			if inside, _, ended := strings.Cut(rest[2:], "*/"); ended {
				i += blank(b[i:], len(inside)+4)
			}
		case b[i] == ',':
			comma = i
		case b[i] == '}' || b[i] == ']':
			if comma >= 0 {
				b[comma] = ' '
			}
			comma = -1
		case !strings.ContainsRune(" \t\r\n", rune(b[i])):
			comma = -1
		}
	}
	return string(b)
}

// blank puts spaces in the place of the first n bytes, and gives back how many come behind the first.
func blank(b []byte, n int) int {
	for i := range b[:n] {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return n - 1
}
