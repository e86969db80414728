package upstream

import "net/http"

// geminiStream is an answer as events, or as one JSON array if these were not
// asked for; each chunk is a frame.
func geminiStream(x *Exchange) Reply {
	chunks := geminiChunks(x)
	if !x.chat.array {
		var frames [][]byte
		for _, c := range chunks {
			frames = append(frames, gemini{}.event(string(encode(c))))
		}
		reply := newReply(http.StatusOK, "text/event-stream", frames...)
		geminiHeaders(reply.Header)
		reply.Header.Set("Content-Type", "text/event-stream")
		return reply
	}
	var frames [][]byte
	for i, c := range chunks {
		start, end := ",\r\n", ""
		if i == 0 {
			start = "["
		}
		if i == len(chunks)-1 {
			end = "\n]\n"
		}
		frames = append(frames, []byte(start+string(encode(c))+end))
	}
	reply := newReply(http.StatusOK, "application/json", frames...)
	geminiHeaders(reply.Header)
	return reply
}

// geminiChunks cuts texts into pieces and leaves calls whole, each in a chunk of
// its own; the reason why it ended comes in the last, with a text that is empty.
func geminiChunks(x *Exchange) []doc {
	var parts []doc
	last := doc{"text", ""}
	for i, b := range x.Plan.Blocks {
		if b.Kind == "call" {
			parts = append(parts, geminiPart(b, "", true))
			continue
		}
		ends := i == len(x.Plan.Blocks)-1 && b.Kind == "text"
		pieces := b.deltas()
		for j, piece := range pieces {
			parts = append(parts, geminiPart(b, piece, j == len(pieces)-1 && !ends))
		}
		if ends {
			last = geminiPart(b, "", true)
		}
	}
	var chunks []doc
	for i, p := range parts {
		usage := x.geminiUsage(float64(i+1) / float64(len(parts)+1))
		for n := range max(x.Plan.Count, 1) {
			chunks = append(chunks, x.geminiResponse([]any{doc{"content", doc{"parts", []any{p}, "role", "model"}, "index", n}}, usage))
		}
	}
	for n := range max(x.Plan.Count, 1) {
		chunks = append(chunks, x.geminiResponse([]any{
			doc{"content", doc{"parts", []any{last}, "role", "model"}, "finishReason", x.geminiFinish(), "index", n},
		}, x.geminiUsage(1)))
	}
	return chunks
}

func (gemini) event(json string) []byte { return []byte("data: " + json + "\r\n\r\n") }
