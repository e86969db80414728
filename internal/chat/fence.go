package chat

import "strings"

// fence is what models put around code.
const fence = "```"

// Unfence takes the marks of code off words that are to be JSON and nothing else, where
// their model was only asked for that. Other words pass as they are.
func Unfence(loose Stream) Stream {
	return sift(loose, func() (*[]Event, func(*Event), func([]Event) bool) {
		u := new(unfencer)
		return &u.out, u.take, func([]Event) bool { return !u.plain }
	})
}

// Unfence is Unfence for a whole answer.
func (a *Answer) Unfence() {
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Kind == Text {
			p.Text = UnfenceText(p.Text)
		}
	}
}

// UnfenceText is Unfence for a text.
func UnfenceText(text string) string {
	inside, fenced := strings.CutPrefix(strings.TrimSpace(text), fence)
	if !fenced {
		return text
	}
	_, inside, _ = strings.Cut(inside, "\n")
	return strings.TrimRight(strings.TrimSuffix(inside, fence), " \t\r\n")
}

// unfencer takes the marks off the first text of a stream.
type unfencer struct {
	plain  bool   // there are none
	inside bool   // the first ones are passed
	held   string // words that may be marks
	block  int    // whose words those are
	out    []Event
}

func (u *unfencer) take(e *Event) {
	switch {
	case u.plain || e.Answer != 0 || e.Kind != Delta && e.Kind != Finish:
	case e.Kind == Delta && e.Part.Kind == Text:
		u.takeWords(e)
		return
	case e.Kind == Finish || e.Part.Kind == ToolCall:
		u.release()
	}
	u.out = append(u.out, *e)
}

// release ends the text: marks at its end are left out, all else is told.
func (u *unfencer) release() {
	rest := u.held
	if u.inside && strings.Contains(rest, fence) {
		rest = ""
	}
	if rest != "" {
		u.out = append(u.out, Event{Kind: Delta, Block: u.block, Part: Part{Kind: Text, Text: rest}})
	}
	u.held, u.plain = "", true
}

func (u *unfencer) takeWords(e *Event) {
	u.block = e.Block
	told := *e
	text := u.held + e.Part.Text
	u.held = ""
	if !u.inside {
		begun := strings.TrimLeft(text, " \t\r\n")
		line, rest, whole := strings.Cut(begun, "\n")
		switch {
		case strings.HasPrefix(begun, fence) && whole:
			u.inside, text = true, rest
		case onlyWords(e) && (strings.HasPrefix(begun, fence) && len(line) < 64 || strings.HasPrefix(fence, begun)) && len(text) < mostBlank:
			u.held = text
			return
		default:
			u.plain, told.Part.Text = true, text
			u.out = append(u.out, told)
			return
		}
	}
	end := len(strings.TrimRight(text, " \t\r\n`"))
	if len(text)-end > mostBlank {
		end = len(text)
	}
	u.held = text[end:]
	if told.Part.Text = text[:end]; !empty(&told.Part) {
		u.out = append(u.out, told)
	}
}
