package sandbox

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// eachWord yields the pieces that a text is streamed in, each one token; joined
// they are the text again. A piece is a word with the white space before it.
// Scripts that need no spaces are cut at every character; no character is ever
// parted from the marks that belong to it.
func eachWord(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, within, single, joined := 0, false, false, false
		for at, r := range text {
			cut := false
			switch {
			case within && (joined || unicode.Is(unicode.M, r) || r == joiner):
			case unicode.IsSpace(r):
				cut, within, single = within, false, false
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				cut, within, single = within, true, true
			default:
				cut = single && !unicode.IsPunct(r)
				within, single = true, single && !cut
			}
			joined = r == joiner
			if cut {
				if !yield(text[start:at]) {
					return
				}
				start = at
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// joiner makes one character of those beside it, as in emoji of families.
const joiner = '\u200d'

func words(text string) []string { return slices.Collect(eachWord(text)) }

func countWords(text string) int64 {
	n := int64(0)
	for range eachWord(text) {
		n++
	}
	return n
}

// cutBites cuts JSON into pieces of about a token: anywhere, but not in a character.
func cutBites(text string) []string {
	const size = 4
	list := make([]string, 0, len(text)/size+1)
	for len(text) > 0 {
		end := min(size, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		list = append(list, text[:end])
		text = text[end:]
	}
	return list
}

// clip shortens a text to some words and characters, and shows that it did.
func clip(text string, mostWords, mostRunes int) string {
	end, n := 0, 0
	for w := range eachWord(text) {
		if n++; n > mostWords || utf8.RuneCountInString(text[:end+len(w)]) > mostRunes {
			break
		}
		end += len(w)
	}
	if end == len(text) {
		return text
	}
	if end == 0 { // one endless word
		for at := range text {
			if utf8.RuneCountInString(text[:at]) > mostRunes {
				break
			}
			if r, _ := utf8.DecodeRuneInString(text[at:]); !unicode.Is(unicode.M, r) {
				end = at
			}
		}
	}
	return strings.TrimRightFunc(text[:end], unicode.IsSpace) + "…"
}

// quote is a text, shortened, in quotation marks.
func quote(text string) string { return "“" + clip(strings.TrimSpace(text), 60, 400) + "”" }

// sentences are what there is to say when nothing is asked.
var sentences = []string{
	"The quick brown fox jumps over the lazy dog.",
	"A stone keeps what is written on it, and asks for nothing.",
	"Every word here is free, and every word is the same each time.",
	"Whoever reads this far is testing something, and rightly so.",
}

// filler is what answers of an ordered length are filled up with.
var filler = words(" " + strings.Join(sentences, " "))

// makeLong makes a text n words long: cut off, or filled up.
func makeLong(text string, n int) []string {
	list := words(text)
	for i := 0; len(list) < n; i++ {
		list = append(list, filler[i%len(filler)])
	}
	if len(list) > 0 && len(text) == 0 {
		list[0] = strings.TrimLeft(list[0], " ")
	}
	return list[:n]
}
