package relay

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"stele/internal/catalog"
	"stele/internal/chat"
)

// listening is a stream whose turns are remembered while it passes.
type listening struct {
	vault     *Vault
	workspace string
	target    catalog.Target
	marks     bool // its client brings names of turns back
}

// listen remembers the turn that a stream tells while it passes. The end of a turn is
// handed on when the turn is kept: then the client may go to another server with it.
func (l *listening) listen(ctx context.Context, stream chat.Stream) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		var h hearing
		for chunk, err := range stream {
			for i := range chunk.Events {
				if e := &chunk.Events[i]; e.Kind != chat.Finish {
					l.take(ctx, &h, e)
				} else {
					l.finish(ctx, &h)
					h = hearing{}
				}
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// take hears an event. A turn is saved when its call is complete, while the upstream still
// says how the turn ends. Few turns call more than one tool: those are saved twice.
func (l *listening) take(ctx context.Context, h *hearing, e *chat.Event) {
	h.take(e)
	if e.Kind == chat.Close && h.open == chat.ToolCall && h.saving == nil {
		h.saving, h.saved = l.vault.save(ctx, l.workspace, l.turnOf(h)), len(h.calls)+len(h.thoughts)
	}
}

func (l *listening) turnOf(h *hearing) *turn { return newTurn(l.target, h.thoughts, h.calls) }

// finish keeps the turn that was heard.
func (l *listening) finish(ctx context.Context, h *hearing) {
	t := l.turnOf(h)
	l.vault.put(l.workspace, t)
	h.saving.wait()
	if h.saved != len(h.calls)+len(h.thoughts) {
		l.vault.save(ctx, l.workspace, t).wait()
	}
	if l.marks && h.mark != "" && slices.ContainsFunc(h.texts, func(proof string) bool { return proof != "" }) {
		late := &turn{texts: h.texts, mark: h.mark}
		l.vault.put(l.workspace, late)
		l.vault.save(ctx, l.workspace, late).wait()
	}
}

// hearing is what is heard of a turn while it passes: thoughts with their words, calls
// without, and of texts how long they are.
type hearing struct {
	thoughts []chat.Placed
	calls    []chat.Part
	mark     string   // the turn's name
	texts    []string // signatures of texts
	words    strings.Builder
	said     int
	before   int // of them before the open block
	open     chat.Kind

	saving *saving // of the turn as far as it was heard; nil: not begun
	saved  int     // thoughts and calls in it

	heard int  // bytes, about
	deaf  bool // the turn is too long to be remembered
}

// What is remembered of one turn at most, and about what each of its parts takes. More
// costs a loop its thoughts, and never its answer.
const (
	mostHeard  = 4 << 20
	partWeight = 512
)

// hears counts what an event takes, and reports whether the turn is short enough by now.
func (h *hearing) hears(e *chat.Event) bool {
	switch {
	case h.deaf:
		return false
	case e.Kind == chat.Open:
		h.heard += partWeight
	case e.Kind == chat.Delta && h.open != chat.Thought && h.open != chat.Redacted:
		h.heard += len(e.Part.Proof)
	case e.Kind == chat.Delta:
		h.heard += len(e.Part.Text) + len(e.Part.Proof)
	}
	if h.heard > mostHeard {
		*h = hearing{deaf: true, saving: h.saving}
	}
	return !h.deaf
}

func (h *hearing) take(e *chat.Event) {
	if !h.hears(e) {
		return
	}
	switch e.Kind {
	case chat.Start:
		h.mark = e.Turn
	case chat.Open:
		h.words.Reset()
		h.before = h.said
		switch h.open = e.Part.Kind; h.open {
		case chat.Thought, chat.Redacted:
			h.thoughts = append(h.thoughts, chat.Placed{Part: e.Part, Said: h.said, Calls: len(h.calls)})
		case chat.ToolCall:
			h.calls = append(h.calls, e.Part)
		}
	case chat.Delta:
		switch h.open {
		case chat.Thought, chat.Redacted:
			h.words.WriteString(e.Part.Text)
			p := &h.thoughts[len(h.thoughts)-1]
			p.Proof = cmp.Or(e.Part.Proof, p.Proof)
		case chat.ToolCall:
			p := &h.calls[len(h.calls)-1]
			p.Proof = cmp.Or(e.Part.Proof, p.Proof)
		case chat.Text:
			if h.said == h.before && e.Part.Text != "" {
				h.texts = append(h.texts, "")
			}
			if h.said += len(e.Part.Text); e.Part.Proof != "" && h.said > h.before {
				h.texts[len(h.texts)-1] = strings.Clone(e.Part.Proof)
			}
		}
	case chat.Close:
		if h.open == chat.Thought || h.open == chat.Redacted {
			h.thoughts[len(h.thoughts)-1].Text = h.words.String()
		}
	}
}
