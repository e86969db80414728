package canvas

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/studio/lettering"
)

// wording is the words of a picture, as an art director would take them from a prompt.
type wording struct {
	title, sub string
	quoted     bool   // the prompt gave the words in quotation marks
	cut        bool   // title and subtitle are one sentence
	whole      string // that sentence
}

var (
	quotation = regexp.MustCompile(`“([^“”]{2,160})”`)
	// "Create a vintage poster of …": an order to the one who draws, not words to set.
	order = regexp.MustCompile(`(?i)^(please |can you |i want |i need )?((create|make|draw|design|generate|paint|render|show)( me)? )?` +
		`((an?|the|some|my) )?([\pL-]+ ){0,3}?(picture|image|photo|photograph|poster|illustration|painting|drawing|artwork|wallpaper|` +
		`banner|cover|graphic|sketch|portrait|scene),? (of|showing|about|with|for|depicting|that says|saying|titled|called|reading) `)
	// What is asked of a renderer says nothing to a reader.
	jargon = regexp.MustCompile(`(?i)^(\d+k|u?hd|hdr|(ultra|highly|hyper|super|very|extremely)[ -]?(detailed|realistic)|` +
		`photo-?realis(m|tic)|masterpiece|(best|high) quality|(octane|unreal|blender)( render| engine( \d)?)?|trending on .*|` +
		`award[ -]winning|sharp focus|cinematic( lighting)?|volumetric lighting|.*--\w+ .*)$`)
	strong = []string{" — ", " – ", "—", ": ", " | "}
	weak   = []string{". ", "; ", ", "}
)

const (
	titleRunes = 46 // a title of more is a sentence
	titleWords = 8
)

// wordsOf takes title and subtitle from a prompt.
func wordsOf(prompt string) wording {
	text := lettering.Polish(prompt)
	if m := quotation.FindStringSubmatch(text); m != nil && letters(m[1]) > 1 {
		said := tidy(m[1])
		return wording{title: said, quoted: true, sub: attribution(text, m[0])}
	}
	if !strings.Contains(text, "\n") {
		if loc := order.FindStringIndex(text); loc != nil && loc[1] < len(text) {
			text = text[loc[1]:]
		}
		text = withoutJargon(text)
	}
	return split(text)
}

// takeWords takes them from a text that was meant to be set: nothing is left out.
func takeWords(text string) wording { return split(lettering.Polish(text)) }

func split(text string) wording {
	if first, rest, ok := strings.Cut(text, "\n"); ok {
		return wording{title: tidy(first), sub: strings.ReplaceAll(rest, "\n", " ")}
	}
	for _, by := range strong {
		if c, ok := splitBy(text, by); ok {
			return c
		}
	}
	if utf8.RuneCountInString(text) <= titleRunes && len(strings.Fields(text)) <= titleWords {
		return wording{title: tidy(text)}
	}
	whole := capital(text)
	for _, by := range weak {
		if c, ok := splitBy(text, by); ok {
			c.cut, c.whole = true, whole
			return c
		}
	}
	head, rest := clause(text)
	return wording{title: tidy(head), sub: rest, cut: rest != "", whole: whole}
}

// splitBy splits at a sign if what is before it makes a title.
func splitBy(text, by string) (wording, bool) {
	head, rest, ok := strings.Cut(text, by)
	if !ok || strings.TrimSpace(rest) == "" || letters(head) < 2 || utf8.RuneCountInString(head) > titleRunes+14 {
		return wording{}, false
	}
	return wording{title: tidy(head), sub: capital(strings.TrimSpace(rest))}, true
}

// clause splits a long sentence where a speaker would draw breath.
func clause(text string) (head, rest string) {
	words := strings.Fields(text)
	if len(words) <= 3 {
		return text, ""
	}
	best := min(len(words), titleWords-2)
	for i := 3; i < min(len(words)-1, titleWords+2); i++ {
		switch strings.ToLower(words[i]) {
		case "with", "in", "at", "on", "under", "over", "where", "while", "that", "who", "which", "as", "by", "near", "through", "during",
			"beneath", "behind", "above", "between", "and", "against", "inside", "from", "into":
			return strings.Join(words[:i], " "), strings.Join(words[i:], " ")
		}
	}
	for best > 2 && lettering.Leaning(words[best-1]) {
		best--
	}
	return strings.Join(words[:best], " "), strings.Join(words[best:], " ")
}

func withoutJargon(text string) string {
	parts := strings.Split(text, ", ")
	kept := parts[:0]
	for i, part := range parts {
		if i == 0 || !jargon.MatchString(strings.Trim(part, " .")) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}

// attribution is who said it: what follows a quotation after a dash.
func attribution(text, said string) string {
	_, after, _ := strings.Cut(text, said)
	after = strings.TrimSpace(after)
	for _, dash := range []string{"—", "–", "- "} {
		if who, ok := strings.CutPrefix(after, dash); ok {
			return strings.TrimSpace(who)
		}
	}
	return ""
}

func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			n++
		}
	}
	return n
}

// tidy makes a title: a capital at the beginning, no stop at the end.
func tidy(text string) string {
	text = strings.Trim(text, " ,;:")
	if strings.HasSuffix(text, ".") && strings.Count(text, ".") == 1 {
		text = strings.TrimSuffix(text, ".")
	}
	return capital(text)
}

func capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return text
	}
	return string(unicode.ToTitle(r)) + text[n:]
}
