package chat

import (
	"slices"
	"strings"
)

// Servers of DeepSeek's models leave the mark with which a call begins in the model's own language at the end of the words
// before a call that they tell as one; most without its last character.
var callMarks = []string{"<｜DSML｜function_calls>", "<｜DSML｜tool_calls>"}

// Unmark leaves such marks out of a loose stream. Words that are no mark, or behind which no call follows, stay.
func Unmark(loose Stream) Stream {
	return sift(loose, func() (*[]Event, func(*Event), func([]Event) bool) {
		u := new(unmarker)
		return &u.out, u.take, func(events []Event) bool { return u.held.Part.Text != "" || slices.ContainsFunc(events, mayMark) }
	})
}

// Unmark is Unmark for a whole answer, and reports whether there was one.
func (a *Answer) Unmark() (found bool) {
	for i := len(a.Parts) - 2; i >= 0; i-- {
		p := &a.Parts[i]
		at := markAt(p.Text)
		if p.Kind != Text || a.Parts[i+1].Kind != ToolCall || !isMark(p.Text[at:]) {
			continue
		}
		found = true
		if p.Text = p.Text[:at]; empty(p) {
			a.Parts = slices.Delete(a.Parts, i, i+1)
		}
	}
	return found
}

// LossOfMark tells that a mark was left out.
func LossOfMark() Loss { return Lost(FieldAnswer, Ignored, "the mark of a call, which is told as one") }

// unmarker holds back words that may be a mark.
type unmarker struct {
	held Event
	out  []Event
}

func (u *unmarker) take(e *Event) {
	same := u.held.Part.Text == "" || e.Answer == u.held.Answer && e.Block == u.held.Block
	switch {
	case e.Kind == Delta && e.Part.Kind == Text && same && onlyWords(e) && e.Notes == nil:
		said := *e
		said.Part.Text = u.held.Part.Text + e.Part.Text
		at := markAt(said.Part.Text)
		u.held = said
		u.held.Part.Text = said.Part.Text[at:]
		if said.Part.Text = said.Part.Text[:at]; at > 0 {
			u.out = append(u.out, said)
		}
		return
	case e.Kind == Delta && e.Part.Kind == ToolCall && e.Answer == u.held.Answer && isMark(u.held.Part.Text):
		e.Notes = append(e.Notes, LossOfMark())
	case u.held.Part.Text != "" && (e.Kind == Delta || e.Kind == Finish):
		u.out = append(u.out, u.held)
	default:
		u.out = append(u.out, *e)
		return
	}
	u.held = Event{}
	u.out = append(u.out, *e)
}

// mayMark reports whether an event has words that may end with a mark, or the beginning of one.
func mayMark(e Event) bool {
	return e.Kind == Delta && e.Part.Kind == Text && markAt(e.Part.Text) < len(e.Part.Text)
}

// markAt is where the mark begins that words end with, or a part of one; their end where there is none.
func markAt(text string) int {
	at := strings.LastIndexByte(text, '<')
	if at < 0 {
		return len(text)
	}
	for _, mark := range callMarks {
		if strings.HasPrefix(mark, text[at:]) || isMark(text[at:]) {
			return at
		}
	}
	return len(text)
}

// isMark reports whether words are a mark, and the end of its line.
func isMark(text string) bool {
	text = strings.TrimSuffix(strings.TrimRight(text, "\r\n"), ">")
	return text != "" && slices.Contains(callMarks, text+">")
}
