package dialect

import (
	"slices"
	"strings"

	"stele/internal/chat"
)

// summary is Anthropic's block that stands for all that was said before it: its API forgets that
// when it gets the block back.
const summary = "anthropic.compaction"

// WithoutCompacted is a conversation without what a summary in it stands for, for an upstream of another
// dialect than the summary's. The summary is the user's then: it tells the model what there was.
func WithoutCompacted(talk *chat.Conversation, upstream string) (*chat.Conversation, []chat.Loss) {
	if strings.HasPrefix(summary, upstream+".") {
		return talk, nil
	}
	for i, m := range slices.Backward(talk.Messages) {
		for j, p := range slices.Backward(m.Parts) {
			if p.Kind != chat.Opaque || p.Name != summary || p.Text == "" {
				continue
			}
			short := *talk
			short.Messages = []chat.Message{{Role: chat.User, Parts: m.Parts[j : j+1], At: m.At}}
			if rest := m.Parts[j+1:]; len(rest) > 0 {
				short.Messages = append(short.Messages, chat.Message{Role: m.Role, Parts: rest, Name: m.Name, At: m.At})
			}
			short.Messages = append(short.Messages, talk.Messages[i+1:]...)
			if i == 0 && j == 0 {
				return &short, nil
			}
			return &short, []chat.Loss{chat.Lost(chat.FieldMessages, chat.Ignored, "what is before a summary, which stands for it")}
		}
	}
	return talk, nil
}
