package upstream

// claudeStream is the events of an answer, each a frame.
func claudeStream(x *Exchange) [][]byte {
	w := claudeWriter{}
	w.event(doc{"type", "message_start", "message", x.claudeMessage([]any{}, x.claudeStart())})
	for i, b := range x.Plan.Blocks {
		w.block(i, b)
		if i == 0 {
			w.event(doc{"type", "ping"})
		}
	}
	w.event(doc{
		"type", "message_delta", "delta", doc{"stop_reason", x.claudeFinish(), "stop_sequence", orNull(x.Plan.Stop), "stop_details", nil, "container", nil},
		"usage", x.claudeUsage(),
	})
	w.event(doc{"type", "message_stop"})
	return w.frames
}

// claudeStart is the usage as it is known before anything has been said.
func (x *Exchange) claudeStart() any {
	usage, ok := x.claudeUsage().(doc)
	if !ok {
		return x.claudeUsage()
	}
	start := append(doc{}, usage[:8]...)
	return append(start, "output_tokens", 1, "service_tier", "standard")
}

type claudeWriter struct{ frames [][]byte }

func (w *claudeWriter) block(i int, b Block) {
	start, kind, key := claudeBlock(b), "text_delta", "text"
	switch b.Kind {
	case "think":
		start = doc{"type", "thinking", "thinking", "", "signature", ""}
		kind, key = "thinking_delta", "thinking"
	case "call":
		start = doc{"type", "tool_use", "id", b.ID, "name", b.Name, "input", doc{}}
		kind, key = "input_json_delta", "partial_json"
	case "text":
		start = doc{"type", "text", "text", ""}
	}
	w.event(doc{"type", "content_block_start", "index", i, "content_block", start})
	if b.Kind == "call" {
		w.event(doc{"type", "content_block_delta", "index", i, "delta", doc{"type", kind, key, ""}})
	}
	if b.Kind != "redacted" {
		for _, piece := range b.deltas() {
			w.event(doc{"type", "content_block_delta", "index", i, "delta", doc{"type", kind, key, piece}})
		}
	}
	if b.Kind == "think" && b.Signature != "-" {
		w.event(doc{"type", "content_block_delta", "index", i, "delta", doc{"type", "signature_delta", "signature", b.Signature}})
	}
	w.event(doc{"type", "content_block_stop", "index", i})
}

func (w *claudeWriter) event(d doc) {
	w.frames = append(w.frames, anthropic{}.event(string(encode(d))))
}

func (anthropic) event(json string) []byte {
	kind := ""
	if v, err := decode([]byte(json)); err == nil {
		kind = textAt(v, "type")
	}
	return []byte("event: " + kind + "\ndata: " + json + "\n\n")
}
