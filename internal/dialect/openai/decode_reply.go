package openai

import (
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
)

// DecodeResponse reads a whole answer, of whatever server.
func (Codec) DecodeResponse(body []byte) (*chat.Response, error) {
	if !gjson.ValidBytes(body) {
		return nil, garbled(body)
	}
	root := gjson.Parse(view(body))
	if e := failure(root); e != nil {
		return nil, e
	}
	choices := root.Get("choices")
	if !root.IsObject() || !choices.IsArray() {
		return nil, garbled(body)
	}
	r := &chat.Response{ID: root.Get("id").String(), Model: root.Get("model").String(), Usage: readUsage(root.Get("usage"))}
	r.Tier = root.Get("service_tier").Str
	if overcounted(root.Get("usage")) {
		r.Notes = append(r.Notes, chat.Lost("usage", chat.Approximated, "more came from the cache than there was: counted as all of it"))
	}
	type numbered struct {
		index  int64
		answer chat.Answer
	}
	var answers []numbered
	choices.ForEach(func(_, v gjson.Result) bool {
		answers = append(answers, numbered{v.Get("index").Int(), readAnswer(v)})
		return true
	})
	if len(answers) == 0 {
		return nil, garbled(body)
	}
	slices.SortStableFunc(answers, func(a, b numbered) int { return int(max(min(a.index-b.index, 1), -1)) })
	for _, a := range answers {
		r.Answers = append(r.Answers, a.answer)
	}
	return r, nil
}

// garbled says that an upstream's answer cannot be understood.
func garbled(body []byte) *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(errors.New(snippet(body)))
}

// readAnswer reads one of choices.
func readAnswer(v gjson.Result) chat.Answer {
	m := readMessage(v.Get("message"))
	var calls []chat.Part
	if m.FunctionCall.IsObject() {
		calls = append(calls, readCall("function", m.FunctionCall))
	}
	m.ToolCalls.ForEach(func(_, call gjson.Result) bool {
		if p, ok := readToolCall(call); ok {
			calls = append(calls, p)
		}
		return true
	})
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = chat.NewCallID()
		}
	}
	parts := readThoughts(&m, calls)
	parts = append(parts, readSaid(m.Content)...)
	if proof := signature(m.ExtraContent); proof != "" {
		parts = sign(parts, proof)
	}
	if sources := readCitations(m.Annotations); len(sources) > 0 {
		if i := slices.IndexFunc(parts, func(p chat.Part) bool { return p.Kind == chat.Text }); i >= 0 {
			parts[i].Citations = sources
		}
	}
	refused := m.Refusal.Str != ""
	if refused {
		parts = append(parts, chat.Part{Kind: chat.Refusal, Text: m.Refusal.Str})
	}
	if m.Audio.IsObject() {
		parts = append(parts, readSound(m.Audio))
	}
	parts = append(append(parts, readPictures(m.Images)...), calls...)
	for i := range parts {
		parts[i].At = 0
	}
	a := chat.Answer{Parts: parts, Stop: chat.Settle(readFinish(v.Get("finish_reason").Str, refused), len(calls) > 0)}
	if probabilities := v.Get("logprobs"); probabilities.IsObject() {
		a.Logprobs = []byte(probabilities.Raw)
	}
	return a
}

// readSaid reads an answer's content, which some servers give in parts, their
// thoughts among them.
func readSaid(v gjson.Result) (parts []chat.Part) {
	if v.Type == gjson.String && v.Str != "" {
		return []chat.Part{{Kind: chat.Text, Text: v.Str}}
	}
	var whole strings.Builder // the text of the last part
	v.ForEach(func(_, item gjson.Result) bool {
		kind, text := chat.Text, item.Get("text").Str
		switch item.Get("type").Str {
		case "thinking":
			kind, text = chat.Thought, words(item.Get("thinking"))
		case "refusal":
			kind, text = chat.Refusal, item.Get("refusal").Str
		}
		if text == "" {
			return true
		}
		if n := len(parts) - 1; n < 0 || parts[n].Kind != kind {
			if n >= 0 {
				parts[n].Text = whole.String()
			}
			whole.Reset()
			parts = append(parts, chat.Part{Kind: kind})
		}
		whole.WriteString(text)
		return true
	})
	if n := len(parts) - 1; n >= 0 {
		parts[n].Text = whole.String()
	}
	return parts
}

// words is a text, or those of a list of parts.
func words(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	var text strings.Builder
	v.ForEach(func(_, item gjson.Result) bool {
		text.WriteString(item.Get("text").Str)
		return true
	})
	return text.String()
}
