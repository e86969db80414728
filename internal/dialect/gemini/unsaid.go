package gemini

import (
	"slices"

	"stele/internal/chat"
)

// Unsaid lists what of an answer has no place in this API.
func (Codec) Unsaid(_ *chat.Request, r *chat.Response) []chat.Loss {
	var list []chat.Loss
	for i := range r.Answers {
		a := &r.Answers[i]
		for j, p := range a.Parts {
			switch {
			case p.Kind != chat.ToolCall && p.Kind != chat.Opaque || p.Custom:
			case p.Kind == chat.ToolCall && !partial(p.Text):
			case p.Kind == chat.ToolCall && a.Stop.Reason == chat.MaxTokens && j == len(a.Parts)-1:
				list = append(list, chat.Lost(chat.FieldAnswer, chat.Dropped, "a call whose arguments were cut off"))
			case p.Kind == chat.ToolCall:
				list = append(list, chat.Lost(chat.FieldAnswer, chat.Approximated, "arguments that are no JSON, under _raw"))
			case !slices.Contains(opaques, p.Name) && p.Text == "":
				list = append(list, chat.Lost(chat.FieldAnswer, chat.Dropped, p.Name))
			}
		}
	}
	return list
}
