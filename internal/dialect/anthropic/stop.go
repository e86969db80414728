package anthropic

import (
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// reasons are what the API's stop reasons mean.
var reasons = map[string]chat.Reason{
	"end_turn":                      chat.EndTurn,
	"stop_sequence":                 chat.StopSequence,
	"max_tokens":                    chat.MaxTokens,
	"model_context_window_exceeded": chat.MaxTokens,
	"tool_use":                      chat.ToolUse,
	"refusal":                       chat.Refused,
	"pause_turn":                    chat.Paused,
}

// readStop reads why an answer ended: of a whole message, or of a stream's message_delta.
func readStop(v gjson.Result) chat.Stop {
	word := v.Get("stop_reason").Str
	if word == "" {
		return chat.Stop{}
	}
	s := chat.Stop{Reason: reasons[word], Raw: word, Sequence: v.Get("stop_sequence").Str}
	if s.Reason == 0 {
		s.Reason = chat.Other
	}
	if details := v.Get("stop_details"); details.IsObject() {
		s.Category, s.Explanation = details.Get("category").Str, details.Get("explanation").Str
	}
	return s
}

// stopWords are the API's words for the common reasons.
var stopWords = map[chat.Reason]string{
	chat.StopSequence: "stop_sequence",
	chat.MaxTokens:    "max_tokens",
	chat.ToolUse:      "tool_use",
	chat.Refused:      "refusal",
	chat.Paused:       "pause_turn",
}

// ownWords are reasons that only this API tells apart.
var ownWords = map[string]bool{"model_context_window_exceeded": true, "compaction": true}

// categories are the sorts of refusals that the API knows.
var categories = map[string]bool{
	"cyber": true, "bio": true, "frontier_llm": true, "reasoning_extraction": true, "general_harms": true,
}

// appendStop writes the members of a message that say why it ended.
func appendStop(dst []byte, s *chat.Stop) []byte {
	word := stopWords[s.Reason]
	switch {
	case ownWords[s.Raw]:
		word = s.Raw
	case word == "":
		word = "end_turn"
	}
	dst = append(dst, `"stop_reason":"`+word+`","stop_sequence":`...)
	if s.Reason == chat.StopSequence && s.Sequence != "" {
		dst = dialect.AppendText(dst, s.Sequence)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"stop_details":`...)
	if s.Reason != chat.Refused {
		return append(dst, "null"...)
	}
	dst = append(dst, `{"type":"refusal","category":`...)
	if categories[s.Category] {
		dst = append(dst, `"`+s.Category+`"`...)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"explanation":`...)
	if s.Explanation == "" {
		return append(dst, "null}"...)
	}
	return append(dialect.AppendText(dst, s.Explanation), '}')
}
