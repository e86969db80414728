package anthropic

import (
	"cmp"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
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

// readStop reads why an answer ended: of a whole message, or of a stream's message_delta. Imitations
// forget to translate the words of other APIs.
func readStop(v jsonscan.Value) chat.Stop {
	word := cloneText(v.Get("stop_reason"))
	if word == "" {
		return chat.Stop{}
	}
	lower := strings.ToLower(word)
	s := chat.Stop{Reason: cmp.Or(reasons[lower], dialect.EndInAnyWords(lower)), Raw: word, Sequence: cloneText(v.Get("stop_sequence"))}
	details := v.Get("stop_details")
	s.Category, s.Explanation = cloneText(details.Get("category")), cloneText(details.Get("explanation"))
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

// writeStop writes the members of a message that say why it ended.
func writeStop(w *jsonscan.Writer, s *chat.Stop) {
	word := cmp.Or(stopWords[s.Reason], "end_turn")
	if ownWords[s.Raw] {
		word = s.Raw
	}
	w.Key("stop_reason").Plain(word)
	w.Key("stop_sequence")
	if s.Reason == chat.StopSequence {
		writeTextOrNull(w, s.Sequence)
	} else {
		w.Null()
	}
	w.Key("stop_details")
	if s.Reason != chat.Refused {
		w.Null()
		return
	}
	w.Open(jsonscan.Object).Key("type").Plain("refusal").Key("category")
	if categories[s.Category] {
		w.Plain(s.Category)
	} else {
		w.Null()
	}
	writeTextOrNull(w.Key("explanation"), s.Explanation)
	w.Close(jsonscan.Object)
}

func writeTextOrNull(w *jsonscan.Writer, text string) {
	if text == "" {
		w.Null()
	} else {
		w.Text(text)
	}
}
