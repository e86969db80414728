package chat

import (
	"errors"
	"testing"
)

// What is held back is bounded by how many pieces it has as well: they may be empty.
func TestTidyBoundsThePiecesItHolds(t *testing.T) {
	t.Parallel()
	endless := func(first, again Event) Stream {
		return func(yield func(Chunk, error) bool) {
			if !yield(Chunk{Events: []Event{first}}, nil) {
				return
			}
			for n := 0; n < 2*mostPieces; n++ {
				if !yield(Chunk{Events: []Event{again}}, nil) {
					return
				}
			}
		}
	}
	for name, stream := range map[string]Stream{
		"another call": endless(call(0, "a", "f", `{"x":"`), call(1, "b", "g", "")),
		"no name":      endless(call(0, "a", "", `{"x":"`), call(0, "", "", "y")),
	} {
		var got error
		for _, err := range Tidy(stream) {
			got = err
		}
		if !errors.Is(got, ErrHeld) {
			t.Errorf("%s: it ends with %v", name, got)
		}
	}
}

// Blanks that may come before a tag or a mark are not put together without end.
func TestBlanksAreNotHeldBackForLong(t *testing.T) {
	t.Parallel()
	blanks := func(yield func(Chunk, error) bool) {
		for range 100_000 {
			if !yield(Chunk{Events: []Event{text(0, "\n")}}, nil) {
				return
			}
		}
	}
	for name, stream := range map[string]Stream{"tags": Untag(blanks), "marks": Unfence(blanks)} {
		said, longest := 0, 0
		for chunk := range stream {
			for _, e := range chunk.Events {
				said, longest = said+len(e.Part.Text), max(longest, len(e.Part.Text))
			}
		}
		if said < 90_000 || longest > 2*mostBlank {
			t.Errorf("%s: %d bytes are told, %d at once", name, said, longest)
		}
	}
}
