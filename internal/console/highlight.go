package console

import (
	"html/template"
	"regexp"
	"strings"
)

var tokens = regexp.MustCompile(`("(?:[^"\\]|\\.)*")(\s*:)?|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\btrue\b|\bfalse\b|\bnull\b)`)

// highlight marks the names, strings and values of JSON, wherever in the text
// it stands: alone, in an event stream or in a command.
func highlight(source string) template.HTML {
	var b strings.Builder
	last := 0
	for _, m := range tokens.FindAllStringSubmatchIndex(source, -1) {
		class, end := "v", m[1]
		switch {
		case m[4] >= 0:
			class, end = "k", m[3]
		case m[2] >= 0:
			class = "s"
		case !valueAt(source, m[0]):
			continue
		}
		b.WriteString(escape(source[last:m[0]]))
		b.WriteString(`<span class="` + class + `">` + escape(source[m[0]:end]) + `</span>`)
		last = end
	}
	b.WriteString(escape(source[last:]))
	return template.HTML(b.String()) //nolint:gosec // every piece went through escape
}

// valueAt tells a value of JSON from the digits of an address or a date.
func valueAt(source string, i int) bool {
	before := source[:i]
	return before == "" || strings.HasSuffix(before, `":`) || strings.ContainsAny(before[i-1:], " \n[,")
}
