package sandbox

import (
	"slices"
	"strings"

	"stele/internal/chat"
)

// findLosses finds what of a request has no effect here beside what is known, and the refusal
// where that must not be.
func findLosses(talk *chat.Conversation, req *chat.Request, known []chat.Loss) ([]chat.Loss, error) {
	losses := slices.Concat(talk.Notes, req.Lost, known)
	for _, t := range talk.Tools {
		if t.Kind == chat.Server {
			losses = append(losses, chat.LostTool(t, chat.Dropped, "the sandbox runs no tools of its own"))
		}
	}
	for _, x := range talk.Extra {
		switch x.Effect {
		case chat.Vital:
			_, field, _ := strings.Cut(x.Name, ".")
			return nil, refuseField(field, "%s: the sandbox has nothing like it.", field)
		case chat.Harmless:
			losses = append(losses, chat.Lost(x.Name, chat.Ignored, ""))
		default:
			losses = append(losses, chat.Lost(x.Name, chat.Dropped, ""))
		}
	}
	if i := slices.IndexFunc(talk.Output, func(kind string) bool { return kind != "text" }); i >= 0 {
		if !slices.Contains(talk.Output, "text") {
			return nil, refuseField(chat.FieldOutput, "%s: the sandbox cannot answer in %s.", chat.FieldOutput, talk.Output[i])
		}
		losses = append(losses, chat.Lost(chat.FieldOutput, chat.Dropped, "the sandbox answers in text"))
	}
	if talk.Audio != nil {
		losses = append(losses, chat.Lost(chat.FieldAudio, chat.Dropped, "the sandbox answers in text"))
	}
	if talk.Logprobs != nil && req.Stream {
		losses = append(losses, chat.Lost(chat.FieldLogprobs, chat.Dropped, "not in streams"))
	}
	return losses, req.Accept(losses)
}
