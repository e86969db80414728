package label

import "strings"

// Lower lowers the letters of ASCII and no others, as hosts are compared: a Kelvin sign is no k.
func Lower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
