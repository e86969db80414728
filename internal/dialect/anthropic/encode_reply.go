package anthropic

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// EncodeResponse writes a whole answer as the client expects it.
func (Codec) EncodeResponse(req *chat.Request, r *chat.Response) ([]byte, error) {
	answer := chat.Answer{Stop: chat.Stop{Reason: chat.EndTurn}}
	if len(r.Answers) > 0 {
		answer = r.Answers[0]
	}
	body := append(make([]byte, 0, 1024), `{"id":`...)
	body = dialect.AppendText(body, messageID(r.ID))
	body = append(body, `,"type":"message","role":"assistant","model":`...)
	body = dialect.AppendText(body, req.Model)
	body = append(body, `,"content":[`...)
	shown := wanted(req)
	for i := range answer.Parts {
		body = appendPart(body, &answer.Parts[i], shown)
	}
	body = append(bytes.TrimSuffix(body, []byte{','}), `],`...)
	body = appendStop(body, &answer.Stop)
	body = append(body, `,"container":null,"diagnostics":null,"usage":`...)
	body = appendUsage(body, r.Usage, r.Tier)
	return append(body, '}'), nil
}

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

// appendPart writes the blocks of a part, each with a comma after it. A
// signature that a text or a call came with goes before it on thoughts of its own.
func appendPart(dst []byte, p *chat.Part, shown bool) []byte {
	f := formOf(p)
	if p.Proof != "" && (f == asText || f == asCall) {
		dst = append(appendThought(dst, "", p.Proof), ',')
	}
	switch f {
	case asThought:
		words := p.Text
		if !shown {
			words = ""
		}
		if words == "" && p.Proof == "" {
			return dst
		}
		dst = appendThought(dst, words, p.Proof)
	case asSecret:
		dst = append(dst, `{"type":"redacted_thinking","data":`...)
		dst = append(dialect.AppendText(dst, p.Text), '}')
	case asCall:
		dst = append(dst, `{"type":"tool_use","id":"`+dialect.CallID(p.ID, longestID)+`","name":`...)
		dst = dialect.AppendText(dst, p.Name)
		dst = append(append(dst, `,"input":`...), input(p)...)
		dst = append(dst, '}')
	case asRaw:
		if len(p.Raw) == 0 {
			return dst
		}
		dst = append(dst, p.Raw...)
	case asNote:
		dst = appendWords(dst, note(p), nil)
	case asText:
		if p.Text == "" {
			return dst
		}
		dst = appendWords(dst, p.Text, p.Citations)
	}
	return append(dst, ',')
}

// input is a call's arguments as the object that clients expect.
func input(p *chat.Part) []byte {
	if p.Custom {
		return append(dialect.AppendText([]byte(`{"input":`), p.Text), '}')
	}
	object, _ := dialect.Arguments(p.Text)
	return object
}

func appendWords(dst []byte, words string, sources []chat.Citation) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	dst = append(dialect.AppendText(dst, words), `,"citations":`...)
	if len(sources) == 0 {
		return append(dst, "null}"...)
	}
	for i := range sources {
		between := byte(',')
		if i == 0 {
			between = '['
		}
		dst = appendCitation(append(dst, between), &sources[i])
	}
	return append(dst, "]}"...)
}

// appendCitation writes a source of an answer. One of another dialect becomes
// the kind that has an address.
func appendCitation(dst []byte, c *chat.Citation) []byte {
	if c.Dialect == dialectName && len(c.Raw) > 0 {
		return append(dst, flat(c.Raw)...)
	}
	dst = append(dst, `{"type":"web_search_result_location","cited_text":`...)
	dst = dialect.AppendText(dst, c.Quote)
	dst = append(dst, `,"encrypted_index":"","title":`...)
	if c.Title == "" {
		dst = append(dst, "null"...)
	} else {
		dst = dialect.AppendText(dst, c.Title)
	}
	dst = append(dst, `,"url":`...)
	dst = dialect.AppendText(dst, c.URL)
	return append(dst, '}')
}
