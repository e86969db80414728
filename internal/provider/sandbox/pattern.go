package sandbox

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// patterns makes strings that patterns match, and remembers them: an instance is
// tried many times over.
type patterns struct {
	read map[string]*pattern
	made map[string]made
	left int // steps that may still be made
}

type made struct {
	text string
	ok   bool
}

type pattern struct {
	tree    *syntax.Regexp
	re      *regexp.Regexp
	steps   int
	classes map[*syntax.Regexp][]rune // characters of each, some
}

func newPatterns() *patterns {
	return &patterns{read: make(map[string]*pattern), made: make(map[string]made), left: mostChecking}
}

// of reads a pattern; nil where Go cannot, as with a look-ahead, or will no more.
func (p *patterns) of(text string) *pattern {
	known, ok := p.read[text]
	if ok {
		return known
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err == nil && len(p.read) < mostPatterns {
		if re, err := regexp.Compile(text); err == nil {
			known = &pattern{tree, re, steps(text), make(map[*syntax.Regexp][]rune)}
		}
	}
	p.read[text] = known
	return known
}

// writeMatch writes the nth string that a pattern matches, of a length between least
// and most.
func (p *patterns) writeMatch(text string, least, most, nth int) (string, bool) {
	key := fmt.Sprintln(least, most, nth) + text
	m, known := p.made[key]
	if !known {
		if known := p.of(text); known != nil {
			m.text, m.ok = known.writeMatch(least, most, nth, &p.left)
		}
		p.made[key] = m
	}
	return m.text, m.ok
}

func (p *pattern) writeMatch(least, most, nth int, left *int) (string, bool) {
	last := ""
	for extra := nth; extra < nth+40 && *left > 0; extra++ {
		w := writer{pattern: p, extra: min(extra, most), nth: nth}
		if extra >= nth+32 { // the length asked for may be far away
			w.extra = max(least, 1) << (extra - nth - 32) / 2
		}
		w.write(p.tree)
		v := w.b.String()
		if v == last && extra > nth {
			break // nothing in it can be repeated any more
		}
		last = v
		if short := least - utf8.RuneCountInString(v); short > 0 {
			v += strings.Repeat("x", short) // for patterns that end where they like
		}
		*left -= len(v) * p.steps
		if utf8.RuneCountInString(v) <= most && p.re.MatchString(v) {
			return v, true
		}
	}
	return "", false
}

// writer writes what a pattern matches, as short as may be and some repetitions more.
type writer struct {
	pattern *pattern
	b       strings.Builder
	extra   int
	nth     int
}

func (w *writer) write(re *syntax.Regexp) {
	if w.b.Len() > mostRunes {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		w.b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		fits, known := w.pattern.classes[re]
		if !known {
			fits = ofClass(re.Rune)
			w.pattern.classes[re] = fits
		}
		w.b.WriteRune(fits[w.nth%len(fits)])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.b.WriteByte('a')
	case syntax.OpStar:
		w.repeat(re.Sub[0], w.extra)
	case syntax.OpPlus:
		w.repeat(re.Sub[0], 1+w.extra)
	case syntax.OpQuest:
		w.repeat(re.Sub[0], min(1, w.extra))
	case syntax.OpRepeat:
		n := re.Min + w.extra
		if re.Max >= 0 {
			n = min(n, re.Max)
		}
		w.repeat(re.Sub[0], n)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(re.Sub[w.nth%len(re.Sub)])
	}
}

// repeat writes the same again: a pattern does not mind.
func (w *writer) repeat(re *syntax.Regexp, n int) {
	start := w.b.Len()
	if n > 0 {
		w.write(re)
	}
	if once := w.b.String()[start:]; once != "" && n > 1 {
		w.b.WriteString(strings.Repeat(once, min(n-1, mostRunes/len(once))))
	}
}

// ofClass is characters of a class, given as pairs of bounds: plain ones if there
// are any.
func ofClass(bounds []rune) []rune {
	within := func(r rune) bool {
		for i := 0; i+1 < len(bounds); i += 2 {
			if r >= bounds[i] && r <= bounds[i+1] {
				return true
			}
		}
		return false
	}
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890_-. /"
	var fits []rune
	for _, r := range plain {
		if within(r) {
			fits = append(fits, r)
		}
	}
	if len(fits) > 0 {
		return fits
	}
	for i := 0; i+1 < len(bounds); i += 2 {
		for r := bounds[i]; r <= bounds[i+1] && r < bounds[i]+64; r++ {
			if unicode.IsPrint(r) {
				return []rune{r}
			}
		}
	}
	if len(bounds) > 0 {
		return bounds[:1]
	}
	return []rune{'x'} // a class of nothing: no string matches it
}
