package sandbox

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// opening is how orders begin in a text; they end with ]].
var opening = regexp.MustCompile(`(?i)\[\[\s*sandbox\s*:`)

// read obeys all the orders in a text, a later one before an earlier of the same
// name, and returns the text without them.
func (o *orders) read(text string) (rest string, err error) {
	for marks := 0; ; marks++ {
		at := opening.FindStringIndex(text)
		if at == nil {
			break
		}
		if marks == mostMarks {
			return "", refuseField("messages", "There are more than %d orders to the sandbox.", mostMarks)
		}
		s := scanner{text: text[at[1]:]}
		if err := s.obeyAll(o); err != nil {
			return "", err
		}
		rest = tack(rest, text[:at[0]])
		text = s.text
	}
	if rest == "" {
		return strings.TrimSpace(text), nil
	}
	return strings.TrimSpace(tack(rest, text)), nil
}

// tack joins what was around an order, with the white space of one side.
func tack(before, after string) string {
	if strings.TrimSpace(before) == "" {
		return after
	}
	left := strings.TrimRightFunc(before, unicode.IsSpace)
	right := strings.TrimLeftFunc(after, unicode.IsSpace)
	space := before[len(left):]
	if gap := after[:len(after)-len(right)]; strings.Contains(gap, "\n") || space == "" {
		space = gap
	}
	return left + space + right
}

// scanner reads what stands between the brackets.
type scanner struct{ text string }

// obeyAll obeys orders up to the closing brackets, which are taken off.
func (s *scanner) obeyAll(o *orders) error {
	for {
		s.text = strings.TrimLeftFunc(s.text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' })
		if rest, closed := strings.CutPrefix(s.text, "]]"); closed {
			s.text = rest
			return nil
		}
		if s.text == "" {
			return refuseField("messages", "The orders to the sandbox are not closed: they end with ]].")
		}
		name := strings.ToLower(s.readWord("="))
		value := ""
		if rest, given := strings.CutPrefix(s.text, "="); given {
			s.text = rest
			var err error
			if value, err = s.readValue(name); err != nil {
				return err
			}
		}
		if err := o.obey(name, value); err != nil {
			return err
		}
	}
}

// readValue reads what follows an equals sign: quoted, a list, or a word.
func (s *scanner) readValue(name string) (string, error) {
	for open, end := range map[string]string{`"`: `"`, "“": "”"} {
		if rest, quoted := strings.CutPrefix(s.text, open); quoted {
			s.text = rest
			return s.readQuoted(end)
		}
	}
	list := []string{s.readWord("")}
	for name == "tools" && s.goesOn() {
		s.text = strings.TrimLeftFunc(s.text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
		list = append(list, s.readWord(""))
	}
	return strings.Join(list, ","), nil
}

// goesOn reports whether a list has another name: a comma and a word that is no
// order of its own.
func (s *scanner) goesOn() bool {
	rest, comma := strings.CutPrefix(s.text, ",")
	if !comma {
		return false
	}
	peek := scanner{text: strings.TrimLeftFunc(rest, unicode.IsSpace)}
	spaced := len(peek.text) < len(rest)
	word := peek.readWord("=")
	if word == "" || strings.HasPrefix(peek.text, "=") {
		return false
	}
	return !spaced || !slices.Contains(orderNames(), strings.ToLower(word))
}

// readWord takes off everything up to white space, a comma, the closing brackets or
// one of stops. It takes at least a character of what is not one of those.
func (s *scanner) readWord(stops string) string {
	end := 0
	for end < len(s.text) && !strings.HasPrefix(s.text[end:], "]]") {
		r, size := utf8.DecodeRuneInString(s.text[end:])
		if unicode.IsSpace(r) || r == ',' || r == ';' || strings.ContainsRune(stops, r) && r != utf8.RuneError {
			break
		}
		end += size
	}
	word := s.text[:end]
	s.text = s.text[end:]
	return word
}

// readQuoted reads up to the closing quote. A backslash keeps a quote or itself, and
// makes n and t a line break and a tab.
func (s *scanner) readQuoted(end string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s.text); i++ {
		if strings.HasPrefix(s.text[i:], end) {
			s.text = s.text[i+len(end):]
			return b.String(), nil
		}
		if s.text[i] == '\\' && i+1 < len(s.text) {
			if at := strings.IndexByte(`"\nt`, s.text[i+1]); at >= 0 {
				b.WriteByte("\"\\\n\t"[at])
				i++
				continue
			}
		}
		b.WriteByte(s.text[i])
	}
	return "", refuseField("messages", "The orders to the sandbox have a quote that is not closed.")
}
