package anthropic

import (
	"cmp"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// counts are the API's own counters. They are cumulative: what is told later
// replaces what was told before, and what is not told stays; so does what of the prompt
// is counted as nothing at the end, where some servers fill in the fields they do not know.
type counts struct {
	input, read, write, write1h, output, thinking, searches int64
	tier                                                    string
	told                                                    bool
}

// add takes over what a usage object tells.
func (c *counts) add(v jsonscan.Value) {
	split := int64(0)
	for key, v := range v.Members() {
		switch key.Name {
		case "input_tokens":
			c.take(&c.input, v)
		case "cache_read_input_tokens":
			c.take(&c.read, v)
		case "cache_creation_input_tokens":
			c.take(&c.write, v)
		case "output_tokens":
			if !v.Absent() { // the first word of a stream is a guess
				c.output, c.told = tokens(v), true
			}
		case "output_tokens_details":
			c.take(&c.thinking, v.Get("thinking_tokens"))
		case "server_tool_use":
			c.take(&c.searches, v.Get("web_search_requests"))
		case "service_tier":
			c.tier = chat.ServiceTier(v.View())
		case "cache_creation":
			hour := v.Get("ephemeral_1h_input_tokens")
			c.take(&c.write1h, hour)
			split = tokens(hour) + tokens(v.Get("ephemeral_5m_input_tokens"))
		}
	}
	c.write = max(c.write, split)
}

func (c *counts) take(to *int64, v jsonscan.Value) {
	if !v.Absent() {
		*to = cmp.Or(tokens(v), *to)
		c.told = true
	}
}

const mostTokens = 1 << 40 // more than any upstream can mean

// tokens is a number of them, which some upstreams write as text.
func tokens(v jsonscan.Value) int64 {
	n, _ := jsonscan.Float(cmp.Or(v.Number(), v.View()))
	return int64(min(max(0, n), mostTokens))
}

// usage is the same in classes that do not overlap.
func (c *counts) usage() chat.Usage {
	thinking := min(c.thinking, c.output)
	return chat.Usage{
		Input: c.input, CacheRead: c.read, CacheWrite: c.write, CacheWrite1h: min(c.write1h, c.write),
		Output: c.output - thinking, Reasoning: thinking, Searches: c.searches, Tier: c.tier, Known: c.told,
	}
}

// writeUsage writes the usage of a whole message, or of message_start.
func writeUsage(w *jsonscan.Writer, u chat.Usage, tier string) {
	writeInput(w.Open(jsonscan.Object), u)
	writeSplit(w, u)
	writeOutput(w, u)
	switch tier = cmp.Or(tier, u.Tier); tier {
	case "standard", "priority", "batch":
		w.Key("service_tier").Plain(tier)
	case "default":
		w.Key("service_tier").Plain("standard")
	}
	dialect.WriteCost(w, u.Cost)
	w.Close(jsonscan.Object)
}

// writeTotal writes the usage of message_delta: all of it, once more and exact.
func writeTotal(w *jsonscan.Writer, u chat.Usage) {
	writeInput(w.Open(jsonscan.Object), u)
	writeOutput(w, u)
	if u.CacheWrite1h > 0 {
		writeSplit(w, u)
	}
	dialect.WriteCost(w, u.Cost)
	w.Close(jsonscan.Object)
}

func writeInput(w *jsonscan.Writer, u chat.Usage) {
	w.Key("input_tokens").Int(max(0, u.Input))
	w.Key("cache_creation_input_tokens").Int(max(0, u.CacheWrite))
	w.Key("cache_read_input_tokens").Int(max(0, u.CacheRead))
}

// writeSplit writes how long what was written to the cache is kept.
func writeSplit(w *jsonscan.Writer, u chat.Usage) {
	w.Key("cache_creation").Open(jsonscan.Object)
	w.Key("ephemeral_5m_input_tokens").Int(max(0, u.CacheWrite-u.CacheWrite1h))
	w.Key("ephemeral_1h_input_tokens").Int(max(0, u.CacheWrite1h)).Close(jsonscan.Object)
}

func writeOutput(w *jsonscan.Writer, u chat.Usage) {
	w.Key("output_tokens").Int(max(0, u.Completion()))
	if u.Reasoning > 0 {
		w.Key("output_tokens_details").Open(jsonscan.Object).Key("thinking_tokens").Int(u.Reasoning).Close(jsonscan.Object)
	}
	if u.Searches > 0 {
		w.Key("server_tool_use").Open(jsonscan.Object).Key("web_search_requests").Int(u.Searches).Close(jsonscan.Object)
	}
}
