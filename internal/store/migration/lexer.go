package migration

import "strings"

// word is a piece of SQL: a name or keyword, a literal, or a sign. A statement's text
// is what lies between its first and its last word.
type word struct {
	text       string // a name without its quotes, anything else as it was written
	literal    bool   // a string
	start, end int    // where it lies in the source
	source     string
}

// is compares a word with a keyword.
func (w word) is(keyword string) bool { return !w.literal && strings.EqualFold(w.text, keyword) }

// split gives the words of each statement of a file, without comments.
func split(source string) [][]word {
	var all [][]word
	var words []word
	for at := 0; at < len(source); {
		next := skip(source, at)
		switch {
		case next > at:
		case source[at] == ';':
			if len(words) > 0 {
				all, words = append(all, words), nil
			}
			next = at + 1
		default:
			w := take(source, at)
			words, next = append(words, w), w.end
		}
		at = next
	}
	if len(words) > 0 {
		all = append(all, words)
	}
	return all
}

// skip goes over blanks and comments.
func skip(source string, at int) int {
	rest := source[at:]
	switch {
	case strings.HasPrefix(rest, "--"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return at + end + 1
		}
		return len(source)
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest, "*/"); end >= 0 {
			return at + end + 2
		}
		return len(source)
	case strings.ContainsRune(" \t\r\n", rune(rest[0])):
		return at + 1
	}
	return at
}

func take(source string, at int) word {
	w := word{start: at, end: at + 1, source: source}
	switch first := source[at]; {
	case first == '\'' || first == '"':
		for w.end < len(source) {
			if source[w.end] == first {
				if w.end++; w.end == len(source) || source[w.end] != first {
					break // two quotes are one that is meant
				}
			}
			w.end++
		}
		w.literal = first == '\''
		w.text = strings.Trim(source[at:w.end], `"`)
		return w
	case wordy(first):
		for w.end < len(source) && wordy(source[w.end]) {
			w.end++
		}
	}
	w.text = source[at:w.end]
	return w
}

func wordy(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
