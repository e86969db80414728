package label

import "strings"

// mostStars is how many stars a pattern may have: each costs a caller's text another walk.
const mostStars = 8

// Match reports whether text is what a pattern says, in which * stands for any run of
// characters. It crosses slashes, because slashes are ordinary letters of model ids, and
// never goes back further than the last star.
func Match(pattern, text string) bool {
	star, mark, p, t := -1, 0, 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// IsModelPattern reports whether text can be a pattern of model ids: what IsModelID takes,
// with at most eight stars that stand for more.
func IsModelPattern(text string) bool {
	return strings.Count(text, "*") <= mostStars && IsModelID(strings.ReplaceAll(text, "*", "x"))
}
