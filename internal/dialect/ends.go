package dialect

import (
	"strings"

	"stele/internal/chat"
)

// ends are words for why an answer ended, of whichever API. Servers that speak one dialect often keep the words of
// what is behind them: Google's reasons, Amazon's guardrails, those of the Responses API.
var ends = map[string]chat.Reason{
	"stop": chat.EndTurn, "end_turn": chat.EndTurn, "eos": chat.EndTurn, "eos_token": chat.EndTurn, "completed": chat.EndTurn, "stop_sequence": chat.EndTurn,
	"length": chat.MaxTokens, "max_tokens": chat.MaxTokens, "model_length": chat.MaxTokens, "max_output_tokens": chat.MaxTokens, "max_length": chat.MaxTokens,
	"length_limit": chat.MaxTokens, "model_context_window_exceeded": chat.MaxTokens,
	"tool_calls": chat.ToolUse, "tool_call": chat.ToolUse, "tool_use": chat.ToolUse, "function_call": chat.ToolUse,
	"content_filter": chat.Refused, "content_filtered": chat.Refused, "guardrail_intervened": chat.Refused, "refusal": chat.Refused, "safety": chat.Refused,
	"sensitive": chat.Refused, "recitation": chat.Refused, "blocklist": chat.Refused, "prohibited_content": chat.Refused, "spii": chat.Refused, "model_armor": chat.Refused,
}

// EndInAnyWords is why an answer ended, by a word of any API; chat.Other: no API has it.
func EndInAnyWords(word string) chat.Reason {
	if reason, ok := ends[strings.ToLower(word)]; ok {
		return reason
	}
	return chat.Other
}
