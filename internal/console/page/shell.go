package page

import (
	"regexp"
	"strings"
)

var plainShell = regexp.MustCompile(`^[A-Za-z0-9_./:@=+,-]+$`)

// QuoteShell makes one word of s for a POSIX shell.
func QuoteShell(s string) string {
	if plainShell.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
