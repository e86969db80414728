package lettering

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longest is how many characters of a text are looked at.
const longest = 4000

// Polish makes a text ready to be set: composed letters, one kind of space, real
// quotation marks and dashes, nothing invisible. Line breaks stay.
func Polish(text string) string {
	runes := []rune(norm.NFC.String(cut(text, longest)))
	var b strings.Builder
	before := ' '
	put := func(r rune) {
		b.WriteRune(r)
		before = r
	}
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\n', r == '\u2028', r == '\u2029':
			put('\n')
		case unicode.IsSpace(r):
			if before != ' ' && before != '\n' {
				put(' ')
			}
		case unicode.Is(unicode.Other, r), pictograph(r), r == unicode.ReplacementChar:
		case r == '"':
			put(quote(before, '“', '”'))
		case r == '\'':
			put(quote(before, '‘', '’'))
		case r == '.' && at(runes, i+1) == '.' && at(runes, i+2) == '.':
			put('…')
			i += 2
		case r == '-' && at(runes, i+1) == '-':
			put('—')
			i++
		case r == '-' && before == ' ' && at(runes, i+1) == ' ':
			put('–')
		default:
			put(r)
		}
	}
	lines := strings.Split(b.String(), "\n")
	kept := lines[:0]
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// cut is the beginning of a text, in whole characters.
func cut(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

func at(runes []rune, i int) rune {
	if i < len(runes) {
		return runes[i]
	}
	return 0
}

func quote(before, opening, closing rune) rune {
	if before == ' ' || before == '\n' || strings.ContainsRune("([{“‘—–", before) {
		return opening
	}
	return closing
}

// pictograph reports whether r is an emoji or changes the look of one.
func pictograph(r rune) bool {
	return r >= 0x1f000 && r <= 0x1fbff || r >= 0xfe00 && r <= 0xfe0f || r >= 0x2600 && r <= 0x27bf
}

// token is what is never broken: a word, or a character of a script that is written
// without spaces.
type token struct {
	text   string
	space  bool // before it
	forced bool // a line begins with it
}

// tokens takes a text apart.
func tokens(text string) []token {
	var list []token
	for i, line := range strings.Split(text, "\n") {
		for j, word := range tieArticles(strings.Fields(line)) {
			first := true
			for _, part := range pieces(word) {
				list = append(list, token{text: part, space: first && j > 0, forced: first && j == 0 && i > 0})
				first = false
			}
		}
	}
	return list
}

// tieArticles ties an article to the word after it: alone on its line it would look lost.
func tieArticles(words []string) []string {
	out := make([]string, 0, len(words))
	for i := 0; i < len(words); i++ {
		if w := strings.ToLower(words[i]); (w == "a" || w == "an" || w == "&") && i+1 < len(words) && len(words[i+1]) <= 14 {
			out = append(out, words[i]+"\u00a0"+words[i+1])
			i++
			continue
		}
		out = append(out, words[i])
	}
	return out
}

// pieces are the parts of a word between which a line may break: Chinese and
// Japanese break anywhere, but not before a closing sign or after an opening one.
func pieces(word string) []string {
	var parts []string
	start := 0
	runes := []rune(word)
	for i := 1; i < len(runes); i++ {
		if (wide(runes[i-1]) || wide(runes[i])) && !closing(runes[i]) && !opening(runes[i-1]) {
			parts = append(parts, string(runes[start:i]))
			start = i
		}
	}
	return append(parts, string(runes[start:]))
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

func closing(r rune) bool {
	//nolint:gosmopolitan // signs of Chinese and Japanese
	return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune("、。，．！？：；ー々ゝっゃゅょッャュョ,.!?:;…”’", r)
}

func opening(r rune) bool {
	return unicode.In(r, unicode.Ps, unicode.Pi) || strings.ContainsRune("“‘", r)
}
