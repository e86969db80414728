package upstream

import (
	"fmt"
	"net/http"
)

func (a openai) render(x *Exchange) Reply {
	for i := range x.Plan.Blocks {
		b := &x.Plan.Blocks[i]
		if b.ID == "" && (b.Kind == "call" || b.Kind == "custom") {
			b.ID = "call_" + x.id(24, fmt.Sprint("call", i))
		}
	}
	var reply Reply
	if x.Stream {
		reply = newReply(http.StatusOK, "text/event-stream; charset=utf-8", openaiStream(x)...)
	} else {
		reply = jsonReply(http.StatusOK, openaiWhole(x))
	}
	openaiHeaders(reply.Header)
	return reply
}

func openaiWhole(x *Exchange) any {
	message := doc{"role", "assistant", "content", nil, "refusal", nil, "annotations", []any{}}
	if text := x.Plan.text(); text != "" || len(x.Plan.calls()) == 0 {
		message[3] = text
	}
	for _, b := range x.Plan.Blocks {
		if b.Kind == "think" { // only in scripts: what others have added to the API
			message = append(message, "reasoning_content", b.Text)
		}
	}
	var calls []any
	for _, b := range x.Plan.calls() {
		calls = append(calls, openaiCall(b))
	}
	switch {
	case calls != nil && x.legacy():
		c := x.Plan.calls()[0]
		message = append(message, "function_call", doc{"name", c.Name, "arguments", c.Args})
	case calls != nil:
		message = append(message, "tool_calls", calls)
	}
	choices := []any{}
	for i := range max(x.Plan.Count, 1) {
		choices = append(choices, doc{
			"index", i, "message", message, "logprobs", x.logprobs(x.Plan.text()), "finish_reason", x.openaiFinish(),
		})
	}
	return doc{
		"id", "chatcmpl-" + x.id(24, "answer"), "object", "chat.completion", "created", openaiTime, "model", x.ask.model,
		"choices", choices, "usage", x.openaiUsage(), "service_tier", "default", "system_fingerprint", "fp_upstream",
	}
}

// openaiTime is the moment of every answer: they are the same every time.
const openaiTime = 1793664000

func openaiCall(b Block) doc {
	if b.Kind == "custom" {
		return doc{"id", b.ID, "type", "custom", "custom", doc{"name", b.Name, "input", b.Text}}
	}
	return doc{"id", b.ID, "type", "function", "function", doc{"name", b.Name, "arguments", b.Args}}
}

// legacy tells whether the answer speaks of function_call rather than tool_calls.
func (x *Exchange) legacy() bool { return has(x.chat.body, "functions") }

func (x *Exchange) openaiFinish() string {
	switch {
	case x.Plan.Finish != "":
		return x.Plan.Finish
	case len(x.Plan.calls()) > 0 && x.legacy():
		return "function_call"
	case len(x.Plan.calls()) > 0:
		return "tool_calls"
	case x.Plan.cut:
		return "length"
	}
	return "stop"
}

func (x *Exchange) openaiUsage() any {
	if x.Plan.Usage != nil {
		return x.Plan.Usage
	}
	t := x.count()
	in := doc{"cached_tokens", t.read, "audio_tokens", 0}
	if gptOf(x.ask.model).version >= 506 {
		in = append(in, "cache_write_tokens", t.written)
	}
	return doc{
		"prompt_tokens", t.in(), "completion_tokens", t.out(), "total_tokens", t.in() + t.out(),
		"prompt_tokens_details", in,
		"completion_tokens_details", doc{
			"reasoning_tokens", t.thought, "audio_tokens", 0, "accepted_prediction_tokens", 0, "rejected_prediction_tokens", 0,
		},
	}
}

// logprobs are as many as asked for, for every piece of the text.
func (x *Exchange) logprobs(text string) any {
	if !boolAt(x.chat.body, "logprobs") {
		return nil
	}
	content := []any{}
	for _, piece := range Text(text).deltas() {
		top := []any{}
		for i := range intAt(x.chat.body, "top_logprobs") {
			top = append(top, doc{"token", piece, "logprob", -0.25 * float64(i+1), "bytes", bytesOf(piece)})
		}
		content = append(content, doc{"token", piece, "logprob", -0.25, "bytes", bytesOf(piece), "top_logprobs", top})
	}
	return doc{"content", content, "refusal", nil}
}

func bytesOf(text string) []int {
	numbers := make([]int, len(text))
	for i := range len(text) {
		numbers[i] = int(text[i])
	}
	return numbers
}
