package upstream

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func (a anthropic) render(x *Exchange) Reply {
	x.claudeSettle()
	var reply Reply
	if x.Stream {
		reply = newReply(http.StatusOK, "text/event-stream; charset=utf-8", claudeStream(x)...)
	} else {
		content := []any{}
		for _, b := range x.Plan.Blocks {
			content = append(content, claudeBlock(b))
		}
		message := x.claudeMessage(content, x.claudeUsage())
		message[11], message[13] = x.claudeFinish(), orNull(x.Plan.Stop)
		reply = jsonReply(http.StatusOK, message)
	}
	anthropicHeaders(reply.Header)
	return reply
}

// claudeSettle gives calls their ids and thoughts their signatures, and remembers
// which thoughts came with which call.
func (x *Exchange) claudeSettle() {
	messages := listAt(x.chat.body, "messages")
	thoughts, first := "", true
	for i := range x.Plan.Blocks {
		b := &x.Plan.Blocks[i]
		switch b.Kind {
		case "think":
			if !thinkingOf(x.chat).shown {
				b.Text = ""
			}
			if b.Signature == "" {
				b.Signature = x.server.signature(x.id(nonceLength, fmt.Sprint(i)), claudeThought("thinking", x.ask.model, b.Text, messages)...)
			}
			thoughts += b.Signature + ";"
		case "redacted":
			if b.Signature == "" {
				b.Signature = x.server.signature(x.id(nonceLength, fmt.Sprint(i)), claudeThought("redacted", x.ask.model, "", messages)...)
			}
			thoughts += b.Signature + ";"
		case "call":
			if b.ID == "" {
				b.ID = "toolu_" + x.id(24, fmt.Sprint("call", i))
			}
			if first {
				x.server.mu.Lock()
				x.server.issued[b.ID] = thoughts
				x.server.mu.Unlock()
			}
			first = false
		}
	}
}

// claudeMessage has its stop_reason and stop_sequence at 11 and 13.
func (x *Exchange) claudeMessage(content []any, usage any) doc {
	return doc{
		"id", "msg_" + x.id(24, "answer"), "type", "message", "role", "assistant", "model", x.ask.model, "content", content,
		"stop_reason", nil, "stop_sequence", nil, "stop_details", nil, "container", nil, "diagnostics", nil, "usage", usage,
	}
}

func claudeBlock(b Block) doc {
	switch b.Kind {
	case "think":
		block := doc{"type", "thinking", "thinking", b.Text}
		if b.Signature != "-" {
			block = append(block, "signature", b.Signature)
		}
		return block
	case "redacted":
		return doc{"type", "redacted_thinking", "data", b.Signature}
	case "call":
		return doc{"type", "tool_use", "id", b.ID, "name", b.Name, "input", json.RawMessage(b.Args)}
	}
	return doc{"type", "text", "text", b.Text, "citations", nil}
}

func (x *Exchange) claudeFinish() string {
	switch {
	case x.Plan.Finish != "":
		return x.Plan.Finish
	case len(x.Plan.calls()) > 0:
		return "tool_use"
	case x.Plan.Stop != "":
		return "stop_sequence"
	case x.Plan.cut:
		return "max_tokens"
	}
	return "end_turn"
}

func (x *Exchange) claudeUsage() any {
	if x.Plan.Usage != nil {
		return x.Plan.Usage
	}
	t := x.count()
	short, long := t.written, 0
	if x.ask.longLife {
		short, long = 0, t.written
	}
	return doc{
		"input_tokens", t.fresh, "cache_creation_input_tokens", t.written, "cache_read_input_tokens", t.read,
		"cache_creation", doc{"ephemeral_5m_input_tokens", short, "ephemeral_1h_input_tokens", long},
		"output_tokens", t.out(), "output_tokens_details", doc{"thinking_tokens", t.thought}, "service_tier", "standard",
	}
}
