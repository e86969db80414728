package upstream

import (
	"bytes"
	"net/http"
)

// Blocked is an answer to a prompt that must not be answered.
func Blocked(reason string) Answer {
	return odd(func(x *Exchange) doc {
		rating := doc{"category", "HARM_CATEGORY_HARASSMENT", "probability", "HIGH", "blocked", true}
		return doc{
			"promptFeedback", doc{"blockReason", reason, "safetyRatings", []any{rating}},
			"usageMetadata", doc{"promptTokenCount", x.count().in(), "totalTokenCount", x.count().in()},
			"modelVersion", x.ask.model, "responseId", x.id(22, "answer"),
		}
	})
}

// Malformed is MALFORMED_FUNCTION_CALL, with nothing said.
func Malformed() Answer {
	return odd(func(x *Exchange) doc {
		return x.geminiResponse([]any{
			doc{"content", doc{}, "finishReason", "MALFORMED_FUNCTION_CALL", "finishMessage", "Malformed function call: print(default_api.f(", "index", 0},
		}, x.geminiUsage(0))
	})
}

// NoCandidates is an answer with nothing in it and no reason why.
func NoCandidates() Answer {
	return odd(func(x *Exchange) doc {
		return doc{"usageMetadata", x.geminiUsage(0), "modelVersion", x.ask.model}
	})
}

// Continued ends with CONTINUATION and a token to go on with.
func Continued(token string) Answer {
	return odd(func(x *Exchange) doc {
		return x.geminiResponse([]any{doc{
			"content", doc{"parts", geminiWhole(x.Plan.Blocks), "role", "model"}, "finishReason", "CONTINUATION", "continuationToken", token, "index", 0,
		}}, x.geminiUsage(1))
	})
}

// StopEverywhere has finishReason STOP on every chunk, as older models do.
func StopEverywhere() Answer {
	return change(func(_ int, b []byte) []byte {
		if bytes.Contains(b, []byte(`"finishReason"`)) {
			return b
		}
		return bytes.Replace(b, []byte(`"role":"model"},"index"`), []byte(`"role":"model"},"finishReason":"STOP","index"`), 1)
	})
}

// BareEnd has no content in the last chunk.
func BareEnd() Answer {
	return func(_ *Exchange, r Reply) Reply {
		last := len(r.Frames) - 1
		return r.each(func(i int, b []byte) []byte {
			if i != last {
				return b
			}
			start, end := bytes.Index(b, []byte(`"content":`)), bytes.Index(b, []byte(`"finishReason"`))
			if start < 0 || end < start {
				return b
			}
			return append(bytes.Clone(b[:start]), b[end:]...)
		})
	}
}

// odd is a Gemini answer that is one thing, whole or streamed.
func odd(body func(x *Exchange) doc) Answer {
	return func(x *Exchange, usual Reply) Reply {
		said := encode(body(x))
		switch {
		case x.Stream && x.chat.array:
			return newReply(http.StatusOK, "application/json", []byte("["+string(said)+"\n]\n"))
		case x.Stream:
			return usual.streaming([][]byte{gemini{}.event(string(said))})
		}
		return newReply(http.StatusOK, "application/json; charset=UTF-8", said).sized()
	}
}
