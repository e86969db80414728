package openai

import (
	"cmp"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// readUsage takes an upstream's usage apart into classes that do not overlap.
// Compatible servers have their own places for what came from a cache, and some
// leave reasoning out of completion_tokens.
func readUsage(v jsonscan.Value) chat.Usage {
	var told bool
	var in, out, total, cached, hit, kept, write, reasoning int64
	for key, v := range v.Members() {
		switch key.Name {
		case "prompt_tokens":
			in, told = count(v), true
		case "completion_tokens":
			out, told = count(v), true
		case "total_tokens":
			total = count(v)
		case "prompt_tokens_details":
			cached, write = count(v.Get("cached_tokens")), count(v.Get("cache_write_tokens"))
		case "prompt_cache_hit_tokens":
			hit = count(v)
		case "cached_tokens":
			kept = count(v)
		case "completion_tokens_details":
			reasoning = count(v.Get("reasoning_tokens"))
		}
	}
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
func overcounted(v jsonscan.Value) bool {
	details := v.Get("prompt_tokens_details")
	return count(details.Get("cached_tokens"))+count(details.Get("cache_write_tokens")) > count(v.Get("prompt_tokens"))
}

// writeUsage writes the counts the way this API adds them up.
func writeUsage(w *jsonscan.Writer, u chat.Usage) {
	w.Open(object).Key("prompt_tokens").Int(u.Prompt()).Key("completion_tokens").Int(u.Completion()).Key("total_tokens").Int(u.Total())
	w.Key("prompt_tokens_details").Open(object).Key("cached_tokens").Int(u.CacheRead).Key("cache_write_tokens").Int(u.CacheWrite).Close(object)
	w.Key("completion_tokens_details").Open(object).Key("reasoning_tokens").Int(u.Reasoning).Close(object).Close(object)
}
