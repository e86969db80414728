package chat

import (
	"strings"
	"unicode"
)

// Untell tells once what a server tells from the beginning with every piece of an answer, words and thoughts: MiniMax's does,
// and some gateways. The third piece gives it away: it begins with the second, which begins with the first.
func Untell(loose Stream) Stream {
	return sift(loose, func() (*[]Event, func(*Event), func([]Event) bool) {
		u := new(untelling)
		return &u.out, u.take, func([]Event) bool { return u.words.state != inPieces }
	})
}

// untelling looks at the words of the first answer, and at the thoughts before them.
type untelling struct {
	words, thoughts retold
	out             []Event
}

// Where a retold is.
const (
	unknown     = iota
	inPieces              // each has only what is new
	fromTheTop            // each has all
	mostCompare = 1 << 10 // bytes of a piece; what comes in longer ones is new
)

// retold is what is known of how one kind of text is told.
type retold struct {
	state uint8
	first string // piece, which was told
	held  *Event // the second one, where it begins with the first
	told  int    // bytes, where each piece has all
}

func (u *untelling) take(e *Event) {
	if e.Answer != 0 {
		u.out = append(u.out, *e)
		return
	}
	one, other := &u.words, &u.thoughts
	if e.Part.Kind == Thought {
		one, other = other, one
	}
	u.release(other)
	if e.Kind != Delta || e.Part.Kind != Text && e.Part.Kind != Thought || e.Part.Text == "" || !onlyWords(e) {
		u.release(one)
		u.out = append(u.out, *e)
		return
	}
	u.takeText(one, e)
}

func (u *untelling) takeText(r *retold, e *Event) {
	text := e.Part.Text
	switch {
	case r.state == fromTheTop && strings.HasPrefix(text, r.first):
		from := min(r.told, len(text))
		r.told = max(r.told, len(text))
		text = text[from:]
	case r.state != unknown || r.first != "" && !isMore(text, r.first):
		u.release(r)
		r.state = inPieces
	case r.first == "":
		if r.first = strings.Clone(text); len(text) > mostCompare || strings.IndexFunc(text, unicode.IsLetter) < 0 {
			r.state = inPieces
		}
	case r.held == nil:
		held := *e
		held.Part.Text = strings.Clone(text)
		r.held = &held
		return
	case isMore(text, r.held.Part.Text) && strings.ReplaceAll(text, r.first, "") != "": // not ha, haha, hahaha
		r.state, r.told, r.held = fromTheTop, len(text), nil
		text = text[len(r.first):]
	default:
		u.release(r)
		r.state = inPieces
	}
	if text != "" {
		told := *e
		told.Part.Text = text
		u.out = append(u.out, told)
	}
}

// release tells what was held back: nothing that follows makes it known how it is to be read.
func (u *untelling) release(r *retold) {
	if r.held != nil {
		u.out = append(u.out, *r.held)
		r.held, r.state = nil, inPieces
	}
}

// isMore reports whether a text begins with another and goes on.
func isMore(text, begun string) bool { return len(text) > len(begun) && strings.HasPrefix(text, begun) }
