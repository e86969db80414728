package openai

import (
	"cmp"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// readUsage takes an upstream's usage apart into classes that do not overlap.
// Compatible servers have their own places for what came from a cache, and some
// leave reasoning out of completion_tokens.
func readUsage(v gjson.Result) chat.Usage {
	if !v.IsObject() {
		return chat.Usage{}
	}
	var told bool
	var in, out, total, cached, hit, kept, write, reasoning int64
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "prompt_tokens":
			in, told = tokens(v), true
		case "completion_tokens":
			out, told = tokens(v), true
		case "total_tokens":
			total = tokens(v)
		case "prompt_tokens_details":
			cached, write = tokens(v.Get("cached_tokens")), tokens(v.Get("cache_write_tokens"))
		case "prompt_cache_hit_tokens":
			hit = tokens(v)
		case "cached_tokens":
			kept = tokens(v)
		case "completion_tokens_details":
			reasoning = tokens(v.Get("reasoning_tokens"))
		}
		return true
	})
	if !told {
		return chat.Usage{}
	}
	read := min(cmp.Or(cached, hit, kept), in)
	write = min(write, in-read)
	if reasoning > 0 && total-in-out == reasoning {
		out += reasoning
	}
	reasoning = min(reasoning, out)
	return chat.Usage{
		Input: in - read - write, CacheRead: read, CacheWrite: write,
		Output: out - reasoning, Reasoning: reasoning, Known: true,
	}
}

// overcounted reports whether an upstream counts more of the prompt as kept than
// the prompt had.
func overcounted(v gjson.Result) bool {
	details := v.Get("prompt_tokens_details")
	return tokens(details.Get("cached_tokens"))+tokens(details.Get("cache_write_tokens")) > tokens(v.Get("prompt_tokens"))
}

// tokens is a count, whatever an upstream has put there.
func tokens(v gjson.Result) int64 {
	const most = 1 << 50 // so that sums do not overflow
	return min(max(v.Int(), 0), most)
}

// usage writes the counts the way this API adds them up.
func (w *writer) usage(u chat.Usage) {
	w.open('{').key("prompt_tokens").int(u.Prompt()).key("completion_tokens").int(u.Completion()).key("total_tokens").int(u.Total())
	w.key("prompt_tokens_details").open('{').key("cached_tokens").int(u.CacheRead).key("cache_write_tokens").int(u.CacheWrite).close('}')
	w.key("completion_tokens_details").open('{').key("reasoning_tokens").int(u.Reasoning).close('}').close('}')
}

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
