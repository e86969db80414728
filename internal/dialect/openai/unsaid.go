package openai

import (
	"strconv"

	"stele/internal/chat"
)

// Unsaid lists what of an answer has no place in this API.
func (Codec) Unsaid(req *chat.Request, r *chat.Response) []chat.Loss {
	var list []chat.Loss
	say := func(what string) { list = append(list, chat.Lost(chat.FieldAnswer, chat.Dropped, what)) }
	legacy := askedBy(req).legacy
	for i := range r.Answers {
		calls, sourceless := 0, 0
		for _, p := range r.Answers[i].Parts {
			switch p.Kind {
			case chat.Video:
				say("a clip")
			case chat.Document:
				say("a document")
			case chat.Opaque:
				say(p.Name)
			case chat.ToolCall:
				calls++
			case chat.Text:
				for _, c := range p.Citations {
					if c.URL == "" {
						sourceless++
					}
				}
			case chat.Thought, chat.Redacted, chat.Refusal, chat.Image, chat.Audio, chat.ToolResult:
			}
		}
		if sourceless > 0 {
			say(strconv.Itoa(sourceless) + " citations of what has no address")
		}
		if legacy && calls > 1 {
			say("all calls but the first: function_call has place for one")
		}
	}
	return list
}
