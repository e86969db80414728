package anthropic

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/price"
)

// counts are the API's own counters. They are cumulative: what is told later
// replaces what was told before, and what is not told stays; so does what of the prompt
// is counted as nothing at the end, where some servers fill in the fields they do not know.
type counts struct {
	input, read, write, write1h, output, thinking, searches int64
	tier                                                    string
	fast, us                                                bool // how and where it was served
	told                                                    bool // how much came out, and with it all

	besides *counts       // what the other numbers do not include: of a compaction, and of advice
	advised *chat.Advised // what of that is of advice
}

// add takes over what a usage object tells.
func (c *counts) add(v jsonscan.Value) {
	split, prompt, completion := int64(0), jsonscan.Value{}, jsonscan.Value{}
	before := c.read
	own := v.Get("input_tokens").Exists() || v.Get("output_tokens").Exists()
	for key, v := range v.Members() {
		switch key.Name {
		case "prompt_tokens":
			prompt = v
		case "completion_tokens":
			completion = v
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
		case "speed":
			c.fast = c.fast || v.View() == "fast"
		case "inference_geo":
			c.us = c.us || v.View() == "us"
		case "cache_creation":
			hour := v.Get("ephemeral_1h_input_tokens")
			c.take(&c.write1h, hour)
			split = tokens(hour) + tokens(v.Get("ephemeral_5m_input_tokens"))
		case "iterations":
			c.takeIterations(v)
		}
	}
	c.write = max(c.write, split)
	if before == 0 && c.read > 0 && own && !v.Get("input_tokens").Exists() {
		c.input -= cachedWithin(c.input, tokens(v.Get("prompt_tokens_details", "cached_tokens")))
	}
	if !own && (!prompt.Absent() || !completion.Absent()) { // OpenAI's words, where all that went in is one number
		c.read = max(c.read, tokens(v.Get("prompt_tokens_details", "cached_tokens")))
		c.input = max(c.input, tokens(prompt)-c.read-c.write)
		c.output, c.told = max(c.output, tokens(completion)), c.told || !completion.Absent()
	}
}

// cachedWithin is how much of what went in, as a stream's beginning told it, came from a cache, by its end: Alibaba's server tells
// at first all that went in, nearly, and at the end OpenAI's details of it beside Anthropic's.
func cachedWithin(input, cached int64) int64 {
	if input+input/8 < cached {
		return 0 // it is what did not come from there
	}
	return min(input, cached)
}

// takeIterations takes over what was counted apart: a conversation that was shortened on the way was
// read once more for that, and so it was by a model that was asked for advice. That is billed and
// in none of the other numbers.
func (c *counts) takeIterations(v jsonscan.Value) {
	var sum *counts
	var advised chat.Usage
	adviser := ""
	for _, v := range v.Elements() {
		kind := v.Get("type").View()
		if kind != "compaction" && kind != "advisor_message" {
			continue
		}
		var one counts
		if one.add(v); sum == nil {
			sum = new(counts)
		}
		sum.input, sum.output = sum.input+one.input, sum.output+one.output
		sum.read, sum.write, sum.write1h = sum.read+one.read, sum.write+one.write, sum.write1h+one.write1h
		if model := anyText(v.Get("model")); kind == "advisor_message" && model != "" && (adviser == "" || adviser == model) {
			one.thinking = 0 // it is in the sum as output
			advised, adviser = advised.Add(one.usage()), strings.Clone(model)
		}
	}
	if sum != nil {
		c.besides = sum
	}
	if adviser != "" {
		c.advised = &chat.Advised{Model: adviser, Usage: advised}
	}
}

func (c *counts) take(to *int64, v jsonscan.Value) {
	if !v.Absent() {
		*to = cmp.Or(tokens(v), *to)
	}
}

// dearer is the tier that the book has a price for.
func (c *counts) dearer() string {
	switch {
	case c.fast && c.us:
		return price.FastInUS
	case c.fast:
		return price.Fast
	case c.us:
		return price.InUS
	}
	return c.tier
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
	u := chat.Usage{
		Input: c.input, CacheRead: c.read, CacheWrite: c.write, CacheWrite1h: min(c.write1h, c.write),
		Output: c.output - thinking, Reasoning: thinking, Searches: c.searches, Tier: c.dearer(), Known: c.told, Advised: c.advised,
	}
	if more := c.besides; more != nil {
		u.Input, u.CacheRead, u.Output = u.Input+more.input, u.CacheRead+more.read, u.Output+more.output
		u.CacheWrite, u.CacheWrite1h = u.CacheWrite+more.write, u.CacheWrite1h+min(more.write1h, more.write)
	}
	return u
}

// countOthers learns of the counters in a usage that no class has.
func countOthers(others *dialect.Others, v jsonscan.Value) {
	const name = "usage"
	others.Count(name, v, "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "prompt_tokens", "completion_tokens", "total_tokens")
	others.Count(name+".server_tool_use", v.Get("server_tool_use"), "web_search_requests")
	for key, v := range v.Members() {
		if usual, known := usualPlaces[key.Name]; known && !slices.Contains(usual, v.View()) {
			others.Learn(name + "." + key.Name)
		}
	}
}

// usualPlaces are what a usage says of how and where an answer was made, if that was as it usually is.
var usualPlaces = map[string][]string{"speed": {"", "standard"}, "inference_geo": {"", "not_available", "global"}}

// writeUsage writes the usage of a whole message, or of message_start.
func writeUsage(w *jsonscan.Writer, u chat.Usage, tier string) {
	writeInput(w.Open(jsonscan.Object), u)
	writeSplit(w, u)
	writeOutput(w, u)
	writeTier(w, cmp.Or(tier, u.Tier))
	dialect.WriteCost(w, u.Cost)
	w.Close(jsonscan.Object)
}

// writeTier writes which tier served, where the API has a word for it.
func writeTier(w *jsonscan.Writer, tier string) {
	switch tier {
	case "standard", "priority", "batch":
		w.Key("service_tier").Plain(tier)
	case "default":
		w.Key("service_tier").Plain("standard")
	}
}

// writeTotal writes the usage of message_delta: all of it, once more and exact. The tier
// is in it only where message_start could not tell it.
func writeTotal(w *jsonscan.Writer, u chat.Usage, tier string) {
	writeInput(w.Open(jsonscan.Object), u)
	writeOutput(w, u)
	writeTier(w, tier)
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
		w.Key("server_tool_use").Open(jsonscan.Object).Key("web_search_requests").Int(u.Searches).Key("web_fetch_requests").Int(0).Close(jsonscan.Object)
	}
}
