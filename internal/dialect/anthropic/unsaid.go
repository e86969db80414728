package anthropic

import (
	"stele/internal/chat"
	"stele/internal/dialect"
)

// Unsaid lists what of an answer has no place in this API, or only a few words in
// its place.
func (Codec) Unsaid(_ *chat.Request, r *chat.Response) []chat.Loss {
	var list []chat.Loss
	say := func(verb chat.Verb, what string) { list = append(list, chat.Lost(chat.FieldAnswer, verb, what)) }
	if len(r.Answers) > 1 {
		say(chat.Dropped, "all answers but the first")
	}
	if len(r.Answers) == 0 {
		return nil
	}
	if len(r.Answers[0].Logprobs) > 0 {
		say(chat.Dropped, "log-probabilities")
	}
	for i := range r.Answers[0].Parts {
		p := &r.Answers[0].Parts[i]
		switch {
		case formOf(p) == asNote && p.Text != "":
			say(chat.Approximated, "a sound as its words")
		case formOf(p) == asNote:
			say(chat.Approximated, note(p))
		case p.Kind == chat.Opaque && formOf(p) != asRaw:
			say(chat.Approximated, p.Name+" as text")
		case p.Kind == chat.ToolCall && !p.Custom && cutOff(p.Text):
			say(chat.Approximated, "arguments that were cut off, under _raw")
		}
	}
	return list
}

// cutOff reports whether arguments began and are not whole.
func cutOff(arguments string) bool {
	_, odd := dialect.Arguments(arguments)
	return odd
}
