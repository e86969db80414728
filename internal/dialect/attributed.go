package dialect

import (
	"slices"
	"strings"

	"stele/internal/chat"
)

// attribution is how the line begins by which Claude Code tells Anthropic what a request is billed as. It has the
// form of a header, stands at the beginning of the system prompt and is another one with each request: to an
// upstream that keeps prompts, each conversation would begin anew.
const attribution = "x-anthropic-billing-header:"

// WithoutAttribution is a conversation without the line that only Anthropic reads, for an upstream of another dialect.
func WithoutAttribution(talk *chat.Conversation, upstream string) (*chat.Conversation, []chat.Loss) {
	if upstream == "anthropic" || !slices.ContainsFunc(talk.System, isAttributed) {
		return talk, nil
	}
	plain := *talk
	plain.System = nil
	var losses []chat.Loss
	for _, p := range talk.System {
		if isAttributed(p) {
			_, p.Text, _ = strings.Cut(p.Text, "\n")
			losses = append(losses, chat.Loss{Field: chat.FieldSystem, Message: -1, Part: p.At, Verb: chat.Ignored, Note: "Anthropic's line for billing"})
		}
		if p.Text != "" || p.Kind != chat.Text {
			plain.System = append(plain.System, p)
		}
	}
	return &plain, losses
}

func isAttributed(p chat.Part) bool {
	return p.Kind == chat.Text && strings.HasPrefix(p.Text, attribution)
}
