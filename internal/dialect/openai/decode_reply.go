package openai

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// DecodeResponse reads a whole answer, of whatever server.
func (Codec) DecodeResponse(body []byte) (*chat.Response, error) {
	reply, err := openReply(body)
	if err != nil {
		return nil, err
	}
	r := &chat.Response{
		ID: anyText(reply.id), Model: anyText(reply.model), Tier: reply.tier.View(), Usage: reply.used(),
	}
	if overcounted(reply.usage) {
		r.Notes = append(r.Notes, chat.Lost("usage", chat.Approximated, "more came from the cache than there was: counted as all of it"))
	}
	type numbered struct {
		index  int64
		answer chat.Answer
	}
	var answers []numbered
	for _, v := range reply.choices.Elements() {
		if e := broken(v); e != nil {
			return nil, e
		}
		if v.Get("finish_reason").View() == "" {
			r.Notes = append(r.Notes, dialect.Unended())
		}
		answers = append(answers, numbered{count(v.Get("index")), readAnswer(v)})
	}
	if len(answers) == 0 {
		return nil, dialect.Unreadable(body)
	}
	slices.SortStableFunc(answers, func(a, b numbered) int { return cmp.Compare(a.index, b.index) })
	for _, a := range answers {
		r.Answers = append(r.Answers, a.answer)
	}
	return r, nil
}

// broken is why one of choices is no answer, or nil: routers tell so of an upstream that
// failed after it had begun.
func broken(choice jsonscan.Value) error {
	if e := failure(choice); e != nil {
		return e
	}
	if choice.Get("finish_reason").View() != "error" {
		return nil
	}
	return fault.New(fault.UpstreamError, "The model's provider broke off in its answer.").Because(dialect.Cause(0, choice.Raw()))
}

// CountResponse reads of a whole answer only what metering needs.
func (Codec) CountResponse(body []byte) (*chat.Response, error) {
	reply, err := openReply(body)
	if err != nil {
		return nil, err
	}
	return &chat.Response{Usage: reply.used()}, nil
}

// openReply is the object that a whole answer is, with what one walk tells of it, or
// the error that it says.
func openReply(body []byte) (r reply, err error) {
	failed := false
	report, err := jsonscan.Scan{Allow: jsonscan.Lenient}.Walk(body, func(key jsonscan.Key, v jsonscan.Value) {
		failed = failed || key.Name == "error" && !v.Absent() || key.Name == "object" && v.View() == "error"
		r.put(key, v)
	})
	if err != nil {
		return r, dialect.Unreadable(body)
	}
	root := report.Root
	if failed || root.Kind() != object {
		if e := failure(root); e != nil {
			return r, e
		}
	}
	if root.Kind() != object {
		return r, dialect.Unreadable(body)
	}
	return r, nil
}

// reply is a whole answer or a chunk of one, its members not read any further.
type reply struct {
	id, model, choices, usage, tier, failed, padding jsonscan.Value
}

func readReply(root jsonscan.Value) (r reply) {
	for key, v := range root.Members() {
		r.put(key, v)
	}
	return r
}

func (r *reply) put(key jsonscan.Key, v jsonscan.Value) {
	switch key.Name {
	case "id":
		r.id = v
	case "model":
		r.model = v
	case "choices":
		r.choices = v
	case "error":
		r.failed = v
	case "service_tier":
		r.tier = v
	case "obfuscation":
		r.padding = v
	case "usage":
		r.count(v)
	case "x_groq":
		if r.usage.Kind() != object {
			r.count(v.Get("usage"))
		}
	}
}

func (r *reply) count(usage jsonscan.Value) {
	if usage.Kind() == object {
		r.usage = usage
	}
}

// used is what the answer took, in the tier that served it.
func (r *reply) used() chat.Usage {
	u := readUsage(r.usage)
	if u.Known {
		u.Tier = chat.ServiceTier(r.tier.View())
	}
	return u
}

// readAnswer reads one of choices.
func readAnswer(v jsonscan.Value) chat.Answer {
	m := readMessage(v.Get("message"))
	var calls []chat.Part
	if m.functionCall.Kind() == object {
		calls = append(calls, readCall("function", m.functionCall))
	}
	for _, call := range m.toolCalls.Elements() {
		if p, ok := readToolCall(call); ok {
			calls = append(calls, p)
		}
	}
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = chat.NewCallID()
		}
	}
	thoughts, parts := readThoughts(&m, calls), readSaid(m.content)
	if proof := signature(m.extraContent); proof != "" {
		parts = sign(parts, proof)
	}
	if sources := readCitations(m.annotations); len(sources) > 0 {
		if i := slices.IndexFunc(parts, func(p chat.Part) bool { return p.Kind == chat.Text }); i >= 0 {
			parts[i].Citations = sources
		}
	}
	parts = weave(thoughts, append(append(parts, readRest(&m)...), calls...))
	for i := range parts {
		parts[i].At = 0
	}
	refused := m.refusal.View() != ""
	a := chat.Answer{Parts: parts, Stop: chat.Settle(readFinish(v.Get("finish_reason").View(), refused), len(calls) > 0)}
	if probabilities := v.Get("logprobs"); probabilities.Kind() == object {
		a.Logprobs = probabilities.Raw()
	}
	return a
}

// readSaid reads an answer's content, which some servers give in parts, their
// thoughts among them.
func readSaid(v jsonscan.Value) (parts []chat.Part) {
	if text := v.View(); text != "" {
		return []chat.Part{{Kind: chat.Text, Text: text}}
	}
	var whole strings.Builder // the text of the last part
	for _, item := range v.Elements() {
		kind, text := chat.Text, item.Get("text").View()
		switch item.Get("type").View() {
		case "thinking":
			kind, text = chat.Thought, words(item.Get("thinking"))
		case "refusal":
			kind, text = chat.Refusal, item.Get("refusal").View()
		}
		if text == "" {
			continue
		}
		if n := len(parts) - 1; n < 0 || parts[n].Kind != kind {
			if n >= 0 {
				parts[n].Text = whole.String()
			}
			whole.Reset()
			parts = append(parts, chat.Part{Kind: kind})
		}
		whole.WriteString(text)
	}
	if n := len(parts) - 1; n >= 0 {
		parts[n].Text = whole.String()
	}
	return parts
}

// words is a text, or those of a list of parts.
func words(v jsonscan.Value) string {
	var text strings.Builder
	text.WriteString(v.View())
	for _, item := range v.Elements() {
		text.WriteString(item.Get("text").View())
	}
	return text.String()
}
