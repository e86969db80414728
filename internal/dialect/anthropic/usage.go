package anthropic

import (
	"strconv"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// counts are the API's own counters. They are cumulative: what is told later
// replaces what was told before, and what is not told stays.
type counts struct {
	input, read, write, write1h, output, thinking int64
	told                                          bool
}

// add takes over what a usage object tells.
func (c *counts) add(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	split := int64(0)
	v.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "input_tokens":
			c.take(&c.input, v)
		case "cache_read_input_tokens":
			c.take(&c.read, v)
		case "cache_creation_input_tokens":
			c.take(&c.write, v)
		case "output_tokens":
			c.take(&c.output, v)
		case "output_tokens_details":
			c.take(&c.thinking, v.Get("thinking_tokens"))
		case "cache_creation":
			hour := v.Get("ephemeral_1h_input_tokens")
			c.take(&c.write1h, hour)
			split = max(0, hour.Int()) + max(0, v.Get("ephemeral_5m_input_tokens").Int())
		}
		return true
	})
	c.write = max(c.write, split)
}

const mostTokens = 1 << 40 // more than any upstream can mean

func (c *counts) take(to *int64, v gjson.Result) {
	if v.Exists() && v.Type != gjson.Null {
		*to = min(max(0, v.Int()), mostTokens)
		c.told = true
	}
}

// usage is the same in classes that do not overlap.
func (c *counts) usage() chat.Usage {
	thinking := min(c.thinking, c.output)
	return chat.Usage{
		Input: c.input, CacheRead: c.read, CacheWrite: c.write, CacheWrite1h: min(c.write1h, c.write),
		Output: c.output - thinking, Reasoning: thinking, Known: c.told,
	}
}

// appendUsage writes the usage of a whole message, or of message_start.
func appendUsage(dst []byte, u chat.Usage, tier string) []byte {
	dst = append(dst, `{"input_tokens":`...)
	dst = appendCount(dst, u.Input)
	dst = append(dst, `,"cache_creation_input_tokens":`...)
	dst = appendCount(dst, u.CacheWrite)
	dst = append(dst, `,"cache_read_input_tokens":`...)
	dst = appendCount(dst, u.CacheRead)
	dst = appendSplit(dst, u)
	dst = append(dst, `,"output_tokens":`...)
	dst = appendCount(dst, u.Completion())
	dst = appendThinking(dst, u)
	dst = append(dst, `,"server_tool_use":null,"service_tier":`...)
	switch tier {
	case "standard", "priority", "batch":
		dst = append(dst, `"`+tier+`"`...)
	default:
		dst = append(dst, "null"...)
	}
	return append(dst, `,"inference_geo":null,"speed":null}`...)
}

// appendTotal writes the usage of message_delta: all of it, once more and exact.
func appendTotal(dst []byte, u chat.Usage) []byte {
	dst = append(dst, `{"input_tokens":`...)
	dst = appendCount(dst, u.Input)
	dst = append(dst, `,"cache_creation_input_tokens":`...)
	dst = appendCount(dst, u.CacheWrite)
	dst = append(dst, `,"cache_read_input_tokens":`...)
	dst = appendCount(dst, u.CacheRead)
	dst = append(dst, `,"output_tokens":`...)
	dst = appendCount(dst, u.Completion())
	dst = appendThinking(dst, u)
	if u.CacheWrite1h > 0 {
		dst = appendSplit(dst, u)
	}
	return append(dst, `,"server_tool_use":null}`...)
}

// appendSplit writes how long what was written to the cache is kept.
func appendSplit(dst []byte, u chat.Usage) []byte {
	dst = append(dst, `,"cache_creation":{"ephemeral_5m_input_tokens":`...)
	dst = appendCount(dst, u.CacheWrite-u.CacheWrite1h)
	dst = append(dst, `,"ephemeral_1h_input_tokens":`...)
	return append(appendCount(dst, u.CacheWrite1h), '}')
}

func appendThinking(dst []byte, u chat.Usage) []byte {
	if u.Reasoning <= 0 {
		return append(dst, `,"output_tokens_details":null`...)
	}
	dst = append(dst, `,"output_tokens_details":{"thinking_tokens":`...)
	return append(appendCount(dst, u.Reasoning), '}')
}

func appendCount(dst []byte, n int64) []byte { return strconv.AppendInt(dst, max(0, n), 10) }
