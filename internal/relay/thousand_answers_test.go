package relay_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// answer is an upstream's own bytes, with the usage of b as the provider writes it.
func answer(w http.ResponseWriter, b billed, stream bool) {
	n := b.tokens
	switch b.provider {
	case "anthropic", "bedrock":
		usage := fmt.Sprintf(`{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,
			"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},"output_tokens":%d,
			"output_tokens_details":{"thinking_tokens":%d},"server_tool_use":{"web_search_requests":%d},%s}`,
			n["input"], n["cached_input"], n["cache_write"]+n["cache_write_1h"], n["cache_write"], n["cache_write_1h"],
			n["output"]+n["reasoning"], n["reasoning"], b.searches, served(b.tier))
		sayAnthropic(w, usage, stream)
	case "gemini":
		usage := fmt.Sprintf(`{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,
			"promptTokensDetails":[{"modality":"TEXT","tokenCount":1},{"modality":"AUDIO","tokenCount":%d}],"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":%d}],
			"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":%d}],"serviceTier":%q}`,
			n["input"]+n["audio_input"]+n["cached_input"]+n["audio_cached"], n["cached_input"]+n["audio_cached"], n["output"]+n["image_output"], n["reasoning"],
			n["audio_input"]+n["audio_cached"], n["audio_cached"], n["image_output"], b.tier)
		body := `{"candidates":[{"content":{"role":"model","parts":[{"text":"hello"}]},"finishReason":"STOP"}],"usageMetadata":` + oneLine(usage) + `}`
		if !stream {
			write(w, "application/json", body)
			return
		}
		write(w, "text/event-stream", "data: "+body+"\r\n\r\n")
	default:
		usage := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,
			"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d,"audio_tokens":%d},
			"completion_tokens_details":{"reasoning_tokens":%d,"audio_tokens":%d},"num_search_queries":%d}`,
			n["input"]+n["audio_input"]+n["cached_input"]+n["cache_write"], n["output"]+n["audio_output"]+n["reasoning"],
			n["input"]+n["audio_input"]+n["cached_input"]+n["cache_write"]+n["output"]+n["audio_output"]+n["reasoning"],
			n["cached_input"], n["cache_write"], n["audio_input"], n["reasoning"], n["audio_output"], b.searches)
		sayOpenAI(w, usage, orStandard(b.tier), stream)
	}
}

func sayOpenAI(w http.ResponseWriter, usage, tier string, stream bool) {
	if !stream {
		write(w, "application/json", `{"id":"x","object":"chat.completion","model":"m","service_tier":"`+tier+
			`","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":`+usage+`}`)
		return
	}
	head := `data: {"id":"x","object":"chat.completion.chunk","model":"m","service_tier":"` + tier + `",`
	write(w, "text/event-stream", head+`"choices":[{"index":0,"delta":{"role":"assistant","content":"hello"},"finish_reason":null}],"usage":null}`+"\n\n"+
		head+`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`+"\n\n"+head+`"choices":[],"usage":`+oneLine(usage)+"}\n\ndata: [DONE]\n\n")
}

func sayAnthropic(w http.ResponseWriter, usage string, stream bool) {
	if !stream {
		write(w, "application/json", `{"id":"x","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":`+usage+`}`)
		return
	}
	begun := `{"input_tokens":1,"output_tokens":1,"service_tier":"standard"}`
	write(w, "text/event-stream", `event: message_start`+"\n"+`data: {"type":"message_start","message":{"id":"x","type":"message","role":"assistant","model":"m","content":[],"usage":`+begun+"}}\n\n"+
		"event: content_block_start\n"+`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`+"\n\n"+
		"event: content_block_delta\n"+`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}`+"\n\n"+
		"event: content_block_stop\n"+`data: {"type":"content_block_stop","index":0}`+"\n\n"+
		"event: message_delta\n"+`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+oneLine(usage)+"}\n\n"+
		"event: message_stop\n"+`data: {"type":"message_stop"}`+"\n\n")
}

// served is how Anthropic tells of a tier.
func served(tier string) string {
	speed, place := "standard", "global"
	if strings.HasPrefix(tier, "fast") {
		speed = "fast"
	}
	if strings.HasSuffix(tier, "us") {
		place = "us"
	}
	if speed != "standard" || place != "global" {
		tier = "standard"
	}
	return fmt.Sprintf(`"service_tier":%q,"speed":%q,"inference_geo":%q`, orStandard(tier), speed, place)
}

func orStandard(tier string) string {
	if tier == "" {
		return "standard"
	}
	return tier
}

func oneLine(text string) string {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		if text[i] > ' ' {
			out = append(out, text[i])
		}
	}
	return string(out)
}

func write(w http.ResponseWriter, kind, body string) {
	w.Header().Set("Content-Type", kind)
	_, _ = io.WriteString(w, body)
}
