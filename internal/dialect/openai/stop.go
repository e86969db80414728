package openai

import "stele/internal/chat"

// readFinish is why an answer ended, by an upstream's word and by what it said.
func readFinish(word string, refused bool) chat.Stop {
	stop := chat.Stop{Raw: word}
	switch word {
	case "":
	case "stop", "eos", "end_turn", "stop_sequence":
		stop.Reason = chat.EndTurn
		if refused {
			stop.Reason = chat.Refused
		}
	case "length", "max_tokens":
		stop.Reason = chat.MaxTokens
	case "tool_calls", "function_call", "tool_use":
		stop.Reason = chat.ToolUse
	case "content_filter", "refusal":
		stop.Reason = chat.Refused
	case "error":
		stop.Reason = chat.Failed
	default:
		stop.Reason = chat.Other
	}
	return stop
}

// finishReason is the word for the end of an answer.
func finishReason(stop chat.Stop, legacy bool) string {
	switch stop.Reason {
	case chat.MaxTokens:
		return "length"
	case chat.ToolUse:
		if legacy {
			return "function_call"
		}
		return "tool_calls"
	case chat.Refused:
		if stop.Raw == "stop" { // this API's own word beside a refusal
			return "stop"
		}
		return "content_filter"
	case chat.EndTurn, chat.StopSequence, chat.Paused, chat.Failed, chat.Other:
	}
	return "stop"
}
