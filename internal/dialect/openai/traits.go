package openai

import (
	"strings"

	"stele/internal/dialect"
)

// traits are what a model of the author's own takes, as far as its name tells.
// The zero value is a model not known by name, which is held to take everything.
type traits struct {
	known   bool
	reasons bool // thinks before it answers
	o       bool // one of the o-series
	always  bool // cannot be told not to think; with tools it is to be had on the Responses API only
	version int  // of gpt, major and two digits of minor: 504 is gpt-5.4
}

func traitsOf(model string) traits {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	model = strings.TrimPrefix(model, "ft:")
	if len(model) > 1 && model[0] == 'o' && isDigit(model[1]) {
		return traits{known: true, reasons: true, o: true}
	}
	rest, ok := strings.CutPrefix(model, "gpt-")
	if !ok || rest == "" || !isDigit(rest[0]) {
		return traits{}
	}
	major, rest := digits(rest)
	minor := 0
	if strings.HasPrefix(rest, ".") {
		minor, rest = digits(rest[1:])
	}
	t := traits{known: true, reasons: major >= 5 && !strings.Contains(rest, "-chat"), version: major*100 + minor}
	t.always = t.version == 600 && strings.HasPrefix(rest, "-astra") || t.version == 601 && strings.HasPrefix(rest, "-sol")
	return t
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits cuts a number of at most two digits off the front.
func digits(s string) (n int, rest string) {
	i := 0
	for i < len(s) && i < 2 && isDigit(s[i]) {
		n = n*10 + int(s[i]-'0')
		i++
	}
	return n, s[i:]
}

// efforts are the levels the model takes, least first.
func (t traits) efforts() []string {
	switch {
	case t.o:
		return dialect.Efforts[2:5]
	case t.always && t.version == 601: // max is the other API's
		return dialect.Efforts[2:6]
	case t.always:
		return dialect.Efforts[2:]
	case t.version == 500:
		return dialect.Efforts[1:5]
	case t.version == 501:
		return []string{"none", "low", "medium", "high"}
	case t.version > 501 && t.version < 506:
		return []string{"none", "low", "medium", "high", "xhigh"}
	}
	return dialect.Efforts
}

// thinksWithTools reports whether the model takes tools and an effort together
// on this API. From 5.6 on tools are refused unless the effort is none.
func (t traits) thinksWithTools() bool { return t.version < 504 }

// mustSayNone reports whether the model takes tools only with the effort none.
func (t traits) mustSayNone() bool { return t.version >= 506 && !t.always }

// restsByDefault reports whether the model does not think unless it is told to.
func (t traits) restsByDefault() bool { return t.version >= 501 && !t.always }
