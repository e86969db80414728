package openai

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// rate puts the log-probabilities of a chunk on its text.
func (d *streamReader) rate(events []chat.Event, likely jsonscan.Value) {
	if likely.Kind() != object {
		return
	}
	for i := range slices.Backward(events) {
		if p := &events[i].Part; events[i].Kind == chat.Delta && (p.Kind == chat.Text || p.Kind == chat.Refusal) {
			p.Logprobs = slices.Clone(likely.Raw())
			return
		}
	}
	if likely.Get("content").Len() > 0 { // of a part of a character, which is no text yet
		d.tell(chat.Event{Kind: chat.Delta, Block: blockText, Part: chat.Part{Kind: chat.Text, Logprobs: slices.Clone(likely.Raw())}})
	}
}
