package page

import (
	"encoding/json"
	"html/template"
	"regexp"
	"strings"
)

// Highlight marks the names, strings and values of JSON, wherever in the text
// it stands: alone, in an event stream or in a command. It looks at each byte once.
func Highlight(source string) template.HTML {
	h := highlighter{source: source, quotes: true}
	h.b.Grow(len(source) + len(source)/2)
	for at := 0; at < len(source); {
		at = h.token(at)
	}
	h.b.WriteString(Escape(source[h.last:]))
	return template.HTML(h.b.String()) //nolint:gosec // every piece went through escape
}

type highlighter struct {
	source string
	b      strings.Builder
	last   int  // where what is not written yet begins
	quotes bool // a quote may still be closed
}

// token looks at what begins at a place, marks it if it is of JSON, and returns where
// to go on.
func (h *highlighter) token(at int) int {
	switch c := h.source[at]; {
	case c == '"' && h.quotes:
		end := endOfString(h.source, at)
		if end < 0 {
			h.quotes = false
			return at + 1
		}
		class := "s"
		if strings.HasPrefix(strings.TrimLeft(h.source[end:min(len(h.source), end+8)], " \t\r\n"), ":") {
			class = "k"
		}
		h.mark(class, at, end)
		return end
	case c == '-' || isWordy(c):
		end := at + 1
		for end < len(h.source) && (isWordy(h.source[end]) || (h.source[end] == '.' || h.source[end] == '-' || h.source[end] == '+') && numeric(h.source[at:end])) {
			end++
		}
		if word := h.source[at:end]; (word == "true" || word == "false" || word == "null" || isNumber(word)) && valueAt(h.source, at) {
			h.mark("v", at, end)
		}
		return end
	}
	return at + 1
}

func (h *highlighter) mark(class string, from, to int) {
	h.b.WriteString(Escape(h.source[h.last:from]))
	h.b.WriteString(`<span class="` + class + `">` + Escape(h.source[from:to]) + `</span>`)
	h.last = to
}

// endOfString is where the string that begins at a place ends, or -1.
func endOfString(source string, at int) int {
	for i := at + 1; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func isWordy(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// numeric reports whether a sign or a point may follow in a number.
func numeric(text string) bool {
	return len(text) < 40 && strings.Trim(text, "-+.eE0123456789") == "" && strings.ContainsAny(text, "0123456789")
}

// isNumber reports whether a word is a number of JSON.
func isNumber(word string) bool { return numeric(word) && json.Valid([]byte(word)) }

// valueAt tells a value of JSON from the digits of an address or a date.
func valueAt(source string, i int) bool {
	before := source[:i]
	return before == "" || strings.HasSuffix(before, `":`) || strings.ContainsAny(before[i-1:], " \n[,")
}

// Escape is a text as HTML.
func Escape(s string) string { return template.HTMLEscapeString(s) }

var plainShell = regexp.MustCompile(`^[A-Za-z0-9_./:@=+,-]+$`)

// IsPlain reports whether a name needs no escaping: in a shell, in quotes of any language, in
// the path of an address.
func IsPlain(name string) bool { return plainShell.MatchString(name) }

// Curl is a command that sends JSON to an address of ours, with the key that the shell has.
func Curl(address, body string) string {
	return "curl " + QuoteShell(address) + " \\\n  -H \"Authorization: Bearer $STELE_API_KEY\" \\\n" +
		"  -H 'Content-Type: application/json' \\\n  -d " + QuoteShell(body)
}

// QuoteShell makes one word of s for a POSIX shell.
func QuoteShell(s string) string {
	if IsPlain(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
