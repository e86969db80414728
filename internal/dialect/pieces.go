package dialect

import (
	"strings"

	"stele/internal/jsonscan"
)

// Snapshots sees through servers that tell all arguments so far with every piece: Baidu's and
// other resellers' (NousResearch/hermes-agent#35718). The second piece gives them away: it begins
// with the first one, and the two in a row are no JSON.
type Snapshots struct {
	first  string // piece, while only that is there
	second string // piece, where it may be either: {"a": and {"a":1} may be an object in an object
	told   int    // bytes that the last piece had, where every piece has all; 0: it has not
	pieces bool   // each has only what is new
}

// longestKept bounds what is kept of a piece: an upstream may begin very many calls. A longer one is judged as
// it stands.
const longestKept = 1 << 10

// News is what a piece adds to those before it.
func (s *Snapshots) News(text string) string {
	switch {
	case s.pieces || strings.TrimSpace(text) == "":
		return text
	case s.told > 0:
		from := min(s.told, len(text))
		s.told = max(s.told, len(text))
		return text[from:]
	case s.second != "":
		return s.judge(text)
	case s.first == "":
		if s.pieces = len(text) > longestKept || text[0] != '{'; !s.pieces {
			s.first = strings.Clone(text)
		}
		return text
	case !strings.HasPrefix(text, s.first):
		s.pieces = true
		return text
	case wantsValue(s.first):
		if s.second = text; len(text) > longestKept {
			return s.Rest()
		}
		s.second = strings.Clone(text)
		return ""
	}
	s.told = len(text)
	return text[len(s.first):]
}

// judge tells by a third piece what the second one was.
func (s *Snapshots) judge(third string) string {
	if strings.HasPrefix(third, s.second) {
		s.told = len(third)
		return third[len(s.first):]
	}
	s.pieces = true
	return s.second + third
}

// Rest is what is still to be told of a second piece, where there is no third.
func (s *Snapshots) Rest() string {
	text := s.second
	if s.second = ""; text == "" || s.told > 0 || s.pieces {
		return ""
	}
	s.pieces = true
	var alone, both jsonscan.Pieces
	alone.Add(text)
	both.Add(s.first + text)
	if alone.HasWholeObject() && !both.HasWholeObject() {
		return text[len(s.first):]
	}
	return text
}

// wantsValue reports whether an object may follow in JSON: behind a colon, or in a list.
func wantsValue(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "[") || strings.HasSuffix(text, ",")
}
