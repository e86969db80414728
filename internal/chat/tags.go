package chat

import "strings"

// Servers of open models leave thoughts in the words of an answer where nothing told them
// how the model marks thoughts: the answer begins with them, between these.
const (
	thoughtBegins = "<think>"
	thoughtEnds   = "</think>"
	blank         = " \t\r\n" // what may stand before them
)

// mostBlank is how much white space is held back for what may follow it: a model that says
// nothing else says it for long, and each piece is put to those before it.
const mostBlank = 4 << 10

// blockTagged is the block of thoughts that were found in words; decoders have no such.
const blockTagged = -1

// Untag makes thoughts of what a loose stream tells as words between tags at its
// beginning. Other words pass as they are.
func Untag(loose Stream) Stream {
	return func(yield func(Chunk, error) bool) {
		var u untagger
		for chunk, err := range loose {
			if err == nil && u.state != allSaid {
				u.out = u.out[:0]
				for i := range chunk.Events {
					u.take(&chunk.Events[i])
				}
				chunk.Events = u.out
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// Untag is Untag for a whole answer.
func (a *Answer) Untag() {
	if len(a.Parts) == 0 || a.Parts[0].Kind != Text || !strings.HasPrefix(strings.TrimLeft(a.Parts[0].Text, blank), thoughtBegins) {
		return
	}
	var u untagger
	u.take(&Event{Kind: Delta, Part: Part{Kind: Text, Text: a.Parts[0].Text}})
	u.take(&Event{Kind: Finish})
	var thought, words strings.Builder
	for i := range u.out {
		if u.out[i].Part.Kind == Thought {
			thought.WriteString(u.out[i].Part.Text)
		} else {
			words.WriteString(u.out[i].Part.Text)
		}
	}
	if thought.Len() == 0 && words.Len() == len(a.Parts[0].Text) {
		return
	}
	rest := a.Parts[0]
	rest.Text = words.String()
	parts := []Part{{Kind: Thought, Text: thought.String()}}
	if thought.Len() == 0 {
		parts = nil
	}
	if rest.Text != "" || rest.Proof != "" {
		parts = append(parts, rest)
	}
	a.Parts = append(parts, a.Parts[1:]...)
}

// Where an untagger is.
const (
	mayThink = iota // nothing was said yet
	begins          // a thought begins, and new lines are not of it
	thinking
	ended   // the same, behind it
	allSaid // the rest is as it is told
)

type untagger struct {
	state uint8
	held  string // words that may be a tag, or the beginning of one
	block int    // whose words those are
	out   []Event
}

func (u *untagger) take(e *Event) {
	said := e.Kind == Delta && e.Answer == 0
	switch {
	case u.state == allSaid || e.Answer != 0 || e.Kind != Delta && e.Kind != Finish:
	case !said, e.Part.Kind != Text:
		u.release()
	default:
		u.takeWords(e)
		return
	}
	u.out = append(u.out, *e)
}

// release lets go of what was held: nothing that follows can make a tag of it.
func (u *untagger) release() {
	kind, block := Text, u.block
	if u.state == begins || u.state == thinking {
		kind, block = Thought, blockTagged
	}
	u.tell(kind, block, u.held)
	u.held, u.state = "", allSaid
}

func (u *untagger) tell(kind Kind, block int, words string) {
	if words != "" {
		u.out = append(u.out, Event{Kind: Delta, Block: block, Part: Part{Kind: kind, Text: words}})
	}
}

func (u *untagger) takeWords(e *Event) {
	u.block = e.Block
	text := u.held + e.Part.Text
	u.held = ""
	switch u.state {
	case mayThink:
		begun := strings.TrimLeft(text, blank)
		switch {
		case strings.HasPrefix(begun, thoughtBegins):
			u.state, text = begins, begun[len(thoughtBegins):]
		case onlyWords(e) && strings.HasPrefix(thoughtBegins, begun) && len(text) < mostBlank:
			u.held = text
			return
		default:
			u.state = allSaid
			whole := *e
			whole.Part.Text = text
			u.out = append(u.out, whole)
			return
		}
	case ended:
		u.tellBehind(e, text)
		return
	}
	u.tellThought(e, text)
}

// tellThought tells more of a thought, as far as that cannot be its end.
func (u *untagger) tellThought(e *Event, text string) {
	if u.state == begins {
		if text = strings.TrimLeft(text, "\r\n"); text == "" {
			return
		}
		u.state = thinking
	}
	if thought, behind, ok := strings.Cut(text, thoughtEnds); ok {
		u.tell(Thought, blockTagged, strings.TrimRight(thought, "\r\n"))
		u.state = ended
		u.tellBehind(e, behind)
		return
	}
	end := len(text)
	for n := min(len(thoughtEnds)-1, len(text)); n > 0 && end == len(text); n-- {
		if strings.HasSuffix(text, thoughtEnds[:n]) {
			end -= n
		}
	}
	end = len(strings.TrimRight(text[:end], "\r\n"))
	if len(text)-end > mostBlank {
		end = len(text)
	}
	u.tell(Thought, blockTagged, text[:end])
	u.held = text[end:]
}

// tellBehind tells the first words behind a thought.
func (u *untagger) tellBehind(e *Event, text string) {
	rest := *e
	if rest.Part.Text = strings.TrimLeft(text, "\r\n"); !empty(&rest.Part) {
		u.state = allSaid
		u.out = append(u.out, rest)
	}
}
