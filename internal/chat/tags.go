package chat

import (
	"bytes"
	"slices"
	"strings"
)

// Servers of open models leave thoughts in the words of an answer where nothing told them
// how the model marks thoughts: the answer begins with them, between two of these.
type tagPair struct {
	begins, ends string
	last         string // what the model writes behind its words, where that is told as well
}

// tagPairs are those of most models, of Google's server of OpenAI's dialect, Mistral, ByteDance, Kimi-VL, gpt-oss and Gemma. None
// begins as a whole other one does. <thinking> is not among them, although Amazon's Nova writes it: prompts of agents ask for
// it, and look for it in the words.
var tagPairs = []tagPair{
	{begins: "<think>", ends: "</think>"}, {begins: "<thought>", ends: "</thought>"}, {begins: "[THINK]", ends: "[/THINK]"},
	{begins: "<seed:think>", ends: "</seed:think>"}, {begins: "◁think▷", ends: "◁/think▷"}, {begins: "<|channel>thought\n", ends: "<channel|>"},
	{begins: "<|channel|>analysis<|message|>", ends: "<|end|><|start|>assistant<|channel|>final<|message|>", last: "<|return|>"},
}

const blank = " \t\r\n" // what may stand before them

// tagOf is the pair whose first one words begin with, or nil.
func tagOf(words string) *tagPair {
	for i := range tagPairs {
		if strings.HasPrefix(words, tagPairs[i].begins) {
			return &tagPairs[i]
		}
	}
	return nil
}

// mayBecomeTag reports whether words are the beginning of a tag that begins thoughts.
func mayBecomeTag(words string) bool {
	return slices.ContainsFunc(tagPairs, func(t tagPair) bool { return strings.HasPrefix(t.begins, words) })
}

// mostBlank is how much white space is held back for what may follow it: a model that says
// nothing else says it for long, and each piece is put to those before it.
const mostBlank = 4 << 10

// blockTagged is the block of thoughts that were found in words; decoders have no such.
const blockTagged = -1

// Untag makes thoughts of what a loose stream tells as words between tags at its
// beginning. Other words pass as they are.
func Untag(loose Stream) Stream {
	return sift(loose, func() (*[]Event, func(*Event), func([]Event) bool) {
		u := new(untagger)
		return &u.out, u.take, func([]Event) bool { return u.state != allSaid }
	})
}

// Untag is Untag for a whole answer.
func (a *Answer) Untag() {
	a.dropRepeated()
	if len(a.Parts) == 0 || a.Parts[0].Kind != Text || tagOf(strings.TrimLeft(a.Parts[0].Text, blank)) == nil {
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

// dropRepeated leaves thoughts out of the words of an answer that has told them before: MiniMax says them in both places.
func (a *Answer) dropRepeated() {
	var told strings.Builder
	at := 0
	for ; at < len(a.Parts) && a.Parts[at].Kind == Thought; at++ {
		told.WriteString(a.Parts[at].Text)
	}
	if at == 0 || at == len(a.Parts) || a.Parts[at].Kind != Text {
		return
	}
	begun := strings.TrimLeft(a.Parts[at].Text, blank)
	tag := tagOf(begun)
	if tag == nil {
		return
	}
	again, words, whole := strings.Cut(begun[len(tag.begins):], tag.ends)
	if !whole || !repeats(again, told.String()) {
		return
	}
	if a.Parts[at].Text = strings.TrimLeft(words, "\r\n"); empty(&a.Parts[at]) {
		a.Parts = append(a.Parts[:at], a.Parts[at+1:]...)
	}
}

// repeats reports whether a thought is one that was told before, or its beginning.
func repeats(thought, told string) bool {
	return strings.HasPrefix(strings.TrimSpace(told), strings.TrimSpace(thought))
}

// Where an untagger is.
const (
	mayThink = iota // no words were said yet
	again           // words that may be thoughts which were told before
	begins          // a thought begins, and new lines are not of it
	thinking
	ended   // the same, behind it
	closing // words behind a thought, of which the last may be a mark
	allSaid // the rest is as it is told
)

// mostTold is how much of thoughts is kept for those that follow in the words.
const mostTold = 256 << 10

type untagger struct {
	state        uint8
	tag          *tagPair // that the words begin with
	told         []byte   // thoughts that stand in their own place, before all words
	words        []byte   // that may be the same once more: so much of them was looked at, and is so much of those
	looked, same int
	held         string // words that may be a tag, or the beginning of one
	block        int    // whose words those are
	out          []Event
}

func (u *untagger) take(e *Event) {
	said := e.Kind == Delta && e.Answer == 0
	switch {
	case u.state == allSaid || e.Answer != 0 || e.Kind != Delta && e.Kind != Finish:
	case said && e.Part.Kind == Thought && u.state <= again && u.held == "" && len(u.told) < mostTold:
		if u.told = append(u.told, e.Part.Text...); u.same == 0 {
			u.told = bytes.TrimLeft(u.told, blank)
		}
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
	if u.state == again {
		u.held = string(u.words)
	}
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
		u.tag = tagOf(begun)
		switch {
		case u.tag != nil && len(u.told) > 0:
			u.state, u.looked = again, len(text)-len(begun)+len(u.tag.begins)
			u.takeAgain(e, text)
			return
		case u.tag != nil:
			u.state, text = begins, begun[len(u.tag.begins):]
		case onlyWords(e) && mayBecomeTag(begun) && len(text) < mostBlank:
			u.held = text
			return
		default:
			u.state = allSaid
			whole := *e
			whole.Part.Text = text
			u.out = append(u.out, whole)
			return
		}
	case again:
		u.takeAgain(e, text)
		return
	case ended:
		u.tellBehind(e, text)
		return
	case closing:
		u.tellWords(e, text)
		return
	}
	u.tellThought(e, text)
}

// takeAgain holds back words that begin as a thought does, as long as it is one that was told before. If it is, it is
// left out; if it is another one, all of it are words.
func (u *untagger) takeAgain(e *Event, text string) {
	from := max(len(u.tag.begins), len(u.words)-len(u.tag.ends)+1)
	u.words = append(u.words, text...)
	end := len(u.words)
	if i := bytes.Index(u.words[min(from, end):], []byte(u.tag.ends)); i >= 0 {
		end = from + i
	} else {
		end -= endBegun(u.tag.ends, u.words)
	}
	if !u.repeats(end) || len(u.words) > mostTold+mostBlank {
		u.release()
		return
	}
	if words, whole := bytes.CutPrefix(u.words[end:], []byte(u.tag.ends)); whole {
		u.state = ended
		u.tellBehind(e, string(words))
	}
}

// repeats reports whether what is held back, up to an end, is what was told before. Blanks around it do not count.
func (u *untagger) repeats(end int) bool {
	for ; u.looked < end; u.looked++ {
		b := u.words[u.looked]
		switch isBlank := strings.IndexByte(blank, b) >= 0; {
		case isBlank && (u.same == 0 || u.same == len(u.told)):
		case u.same == len(u.told) || u.told[u.same] != b:
			return false
		default:
			u.same++
		}
	}
	return true
}

// endBegun is how many bytes at the end of words may be the beginning of a tag.
func endBegun[T string | []byte](tag string, words T) int {
	for n := min(len(tag)-1, len(words)); n > 0; n-- {
		if string(words[len(words)-n:]) == tag[:n] {
			return n
		}
	}
	return 0
}

// tellThought tells more of a thought, as far as that cannot be its end.
func (u *untagger) tellThought(e *Event, text string) {
	if u.state == begins {
		if text = strings.TrimLeft(text, "\r\n"); text == "" {
			return
		}
		u.state = thinking
	}
	if thought, behind, ok := strings.Cut(text, u.tag.ends); ok {
		u.tell(Thought, blockTagged, strings.TrimRight(thought, "\r\n"))
		u.state = ended
		u.tellBehind(e, behind)
		return
	}
	end := len(text) - endBegun(u.tag.ends, text)
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
	switch rest.Part.Text = strings.TrimLeft(text, "\r\n"); {
	case empty(&rest.Part):
	case u.tag.last != "":
		u.state = closing
		u.tellWords(e, rest.Part.Text)
	default:
		u.state = allSaid
		u.out = append(u.out, rest)
	}
}

// tellWords tells words without the mark at their end, as far as they cannot be the beginning of one.
func (u *untagger) tellWords(e *Event, text string) {
	rest := *e
	text = strings.ReplaceAll(text, u.tag.last, "")
	end := len(text) - endBegun(u.tag.last, text)
	if rest.Part.Text = text[:end]; !empty(&rest.Part) {
		u.out = append(u.out, rest)
	}
	u.held = text[end:]
}
