package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Path leads from the root of a file to a value. Each step is a string, the key
// in a mapping, or an int, the position in a list from 0. Keys may hold any
// character, dots and slashes included.
type Path []any

// At makes a Path: At("models", "acme/claude", "targets", 0).
func At(steps ...any) Path { return steps }

// Add returns a longer Path and leaves p as it is.
func (p Path) Add(steps ...any) Path { return append(slices.Clip(p), steps...) }

// String returns the path for people: models.acme/claude.targets[0]. A key that
// would be isMisread is quoted: models["gpt-4.1"].
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		key, ok := step.(string)
		switch {
		case !ok:
			fmt.Fprintf(&b, "[%v]", step)
		case key == "" || strings.ContainsFunc(key, isMisread):
			b.WriteString("[" + strconv.Quote(shorten(key)) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(shorten(key))
		}
	}
	return b.String()
}

func isMisread(r rune) bool {
	return r <= ' ' || strings.ContainsRune(`.[]"`, r) || !strconv.IsPrint(r)
}

// shorten keeps a report readable when a file holds an absurdly long name.
func shorten(s string) string {
	const most = 80
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
