package upstream

// openaiStream is the events of an answer, each a frame.
func openaiStream(x *Exchange) [][]byte {
	w := openaiWriter{x: x, usage: boolAt(x.chat.body, "stream_options", "include_usage")}
	w.delta(doc{"role", "assistant", "content", "", "refusal", nil}, "")
	call := 0
	for _, b := range x.Plan.Blocks {
		switch b.Kind {
		case "text":
			for _, piece := range b.deltas() {
				w.delta(doc{"content", piece}, piece)
			}
		case "think": // only in scripts: what others have added to the API
			for _, piece := range b.deltas() {
				w.delta(doc{"reasoning_content", piece}, "")
			}
		case "call", "custom":
			w.call(call, b)
			call++
		}
	}
	w.finish()
	return w.frames
}

type openaiWriter struct {
	x      *Exchange
	usage  bool // at the end, and null before
	frames [][]byte
}

func (w *openaiWriter) call(index int, b Block) {
	if w.x.legacy() {
		w.delta(doc{"function_call", doc{"name", b.Name, "arguments", ""}}, "")
		for _, piece := range b.deltas() {
			w.delta(doc{"function_call", doc{"arguments", piece}}, "")
		}
		return
	}
	first, rest, key := doc{"name", b.Name, "arguments", ""}, "arguments", "function"
	if b.Kind == "custom" {
		first, rest, key = doc{"name", b.Name, "input", ""}, "input", "custom"
	}
	w.delta(doc{"tool_calls", []any{doc{"index", index, "id", b.ID, "type", key, key, first}}}, "")
	for _, piece := range b.deltas() {
		w.delta(doc{"tool_calls", []any{doc{"index", index, key, doc{rest, piece}}}}, "")
	}
}

// delta writes one event for every answer.
func (w *openaiWriter) delta(delta doc, text string) {
	var logprobs any
	if text != "" {
		logprobs = w.x.logprobs(text)
	}
	for i := range max(w.x.Plan.Count, 1) {
		w.chunk([]any{doc{"index", i, "delta", delta, "logprobs", logprobs, "finish_reason", nil}}, nil)
	}
}

func (w *openaiWriter) finish() {
	for i := range max(w.x.Plan.Count, 1) {
		w.chunk([]any{doc{"index", i, "delta", doc{}, "logprobs", nil, "finish_reason", w.x.openaiFinish()}}, nil)
	}
	if w.usage {
		w.chunk([]any{}, w.x.openaiUsage())
	}
	w.frames = append(w.frames, []byte("data: [DONE]\n\n"))
}

func (w *openaiWriter) chunk(choices []any, usage any) {
	chunk := doc{
		"id", "chatcmpl-" + w.x.id(24, "answer"), "object", "chat.completion.chunk", "created", openaiTime, "model", w.x.ask.model,
		"service_tier", "default", "system_fingerprint", "fp_upstream", "choices", choices,
	}
	if w.usage {
		chunk = append(chunk, "usage", usage)
	}
	w.frames = append(w.frames, openai{}.event(string(encode(chunk))))
}

func (openai) event(json string) []byte { return []byte("data: " + json + "\n\n") }
