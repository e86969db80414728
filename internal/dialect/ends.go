package dialect

import (
	"slices"
	"strings"

	"stele/internal/chat"
)

// ends are words for why an answer ended, of whichever API. Servers that speak one dialect often keep the words of
// what is behind them: Google's reasons, Amazon's guardrails, those of the Responses API.
var ends = map[string]chat.Reason{
	"stop": chat.EndTurn, "end_turn": chat.EndTurn, "eos": chat.EndTurn, "eos_token": chat.EndTurn, "complete": chat.EndTurn, "completed": chat.EndTurn, "normal": chat.EndTurn, "stop_sequence": chat.EndTurn,
	"length": chat.MaxTokens, "max_tokens": chat.MaxTokens, "model_length": chat.MaxTokens, "max_output_tokens": chat.MaxTokens, "max_length": chat.MaxTokens,
	"length_limit": chat.MaxTokens, "model_context_window_exceeded": chat.MaxTokens, "context_length_exceeded": chat.MaxTokens, "error_limit": chat.MaxTokens,
	"max_completion_tokens": chat.MaxTokens, "token_limit": chat.MaxTokens, "time_limit": chat.MaxTokens, "incomplete": chat.MaxTokens, "repetition": chat.MaxTokens, "max_output": chat.MaxTokens,
	"tool_calls": chat.ToolUse, "tool_call": chat.ToolUse, "tool_use": chat.ToolUse, "function_call": chat.ToolUse,
	"content_filter": chat.Refused, "content_filtered": chat.Refused, "guardrail_intervened": chat.Refused, "refusal": chat.Refused, "safety": chat.Refused,
	"sensitive": chat.Refused, "recitation": chat.Refused, "blocklist": chat.Refused, "prohibited_content": chat.Refused, "spii": chat.Refused, "model_armor": chat.Refused,
	"content-filter": chat.Refused, "content_policy_violation": chat.Refused, "moderation": chat.Refused, "error_toxic": chat.Refused,
}

// failedEnds are ends that are none: of an answer of which no more comes, in the words of routers, Zhipu, DeepSeek, vLLM,
// SGLang, TensorRT, watsonx and Cohere, and of the Responses API.
var failedEnds = []string{
	"error", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled", "canceled", "user_cancel", "timeout",
	"failed", "server_error", "internal_error", "overloaded", "engine_overloaded",
}

// spoiltEnds are those of answers in which the model could not write its call, or anything that can be read: of Amazon's
// Converse, and Google's own, which LiteLLM passes on. What came before them counts.
var spoiltEnds = []string{
	"malformed_model_output", "malformed_tool_use", "malformed_function_call", "malformed_response", "unexpected_tool_call", "too_many_tool_calls",
}

// IsSpoiltEnd reports whether an answer that ended with a word and has nothing to show for it failed.
func IsSpoiltEnd(word string) bool { return slices.Contains(spoiltEnds, strings.ToLower(word)) }

// FailedEnds are the words for ends of answers that broke off, or may be worth nothing, as they are usually written.
func FailedEnds() []string {
	list := slices.Concat(failedEnds, spoiltEnds)
	for _, word := range list {
		list = append(list, strings.ToUpper(word))
	}
	return list
}

// IsFailedEnd reports whether an answer that ended with a word broke off.
func IsFailedEnd(word string) bool { return EndInAnyWords(word) == chat.Failed }

// EndInAnyWords is why an answer ended, by a word of any API; chat.Other: no API has it.
func EndInAnyWords(word string) chat.Reason {
	word = strings.ToLower(word)
	if reason, ok := ends[word]; ok {
		return reason
	}
	if slices.Contains(failedEnds, word) {
		return chat.Failed
	}
	return chat.Other
}
