package relay

import (
	"strings"
	"testing"
	"unsafe"

	"stele/internal/catalog"
	"stele/internal/chat"
)

// What is kept of a turn does not keep the answer that it was a part of.
func TestATurnHasItsTextsToItself(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("0123456789abcdef", 1<<10)
	thoughts := []chat.Placed{{Part: chat.Part{Kind: chat.Thought, Text: body[10:20], Proof: body[30:40]}}}
	turn := newTurn(catalog.Target{}, thoughts, []chat.Part{{Kind: chat.ToolCall, ID: body[50:60], Proof: body[70:80]}})
	from := uintptr(unsafe.Pointer(unsafe.StringData(body)))
	own := func(text string) {
		if at := uintptr(unsafe.Pointer(unsafe.StringData(text))); at >= from && at < from+uintptr(len(body)) {
			t.Errorf("%q is a part of the answer", text)
		}
	}
	own(turn.before[0].Text)
	own(turn.before[0].Proof)
	for id, proof := range turn.proofs {
		own(id)
		own(proof)
	}
}

// A turn that thinks for ever is not remembered, and its answer goes on.
func TestAnEndlessTurnIsNotRemembered(t *testing.T) {
	t.Parallel()
	var h hearing
	h.take(&chat.Event{Kind: chat.Open, Part: chat.Part{Kind: chat.Thought}})
	piece := strings.Repeat("x", 1<<10)
	for range mostHeard>>10 + 1 {
		h.take(&chat.Event{Kind: chat.Delta, Part: chat.Part{Kind: chat.Thought, Text: piece}})
	}
	h.take(&chat.Event{Kind: chat.Close})
	h.take(&chat.Event{Kind: chat.Open, Part: chat.Part{Kind: chat.ToolCall, ID: "c"}})
	if h.words.Len() > 0 || len(h.thoughts)+len(h.calls) > 0 {
		t.Errorf("%d bytes, %d thoughts, %d calls are held", h.words.Len(), len(h.thoughts), len(h.calls))
	}
}
