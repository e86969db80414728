package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// What clients' libraries send and read as their own vendors' services do and take it.
var hardLibrary = section{"BE", "what clients' libraries send and read", []hard{
	{number: 1450, name: "thoughts that a library lost, to the sandbox", answer: "it does not think in that turn, with a warning, as a Claude behind the house; clients of Claude's dialect are refused, as by Claude", elsewhere: "TestHard1450LostThoughtsInDialectsThatUpstreamsDoNotSee"},
	{number: 1451, name: "bodies packed with gzip or deflate", answer: "read, within the bounds of plain ones; zstd and br are refused by name", elsewhere: "TestHard1451PackedBodies"},
	{number: 1452, name: "a byte order mark before a body", elsewhere: "TestHard1452AByteOrderMark"},
	{number: 1453, name: "events asked for by the other name that Google has for it", elsewhere: "TestHard1453EventsByEitherName"},
	// Google documents two, and its libraries for Python, Go and Java have bytes there: strands-agents/sdk-python#1298.
	{number: 1454, name: "what stands for a signature, in Google's words", run: func(t *testing.T) {
		for _, placeholder := range []string{
			"skip_thought_signature_validator", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I",
			"context_engineering_is_the_way_to_go", "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
		} {
			ask := `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"` + placeholder + `"}]},{"parts":[{"functionResponse":{"name":"f","response":{"result":"x"}}}]}]}`
			for _, to := range []string{O, A} {
				take(t, trip{from: G, to: to, ask: ask}).quiet()
			}
			call := `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"` + placeholder + `"}}}]}`
			told := take(t, trip{from: O, to: A, ask: talkO(userO, call, `{"role":"tool","tool_call_id":"c1","content":"x"}`)}).told()
			is(t, told, strings.Contains(told, "signature"), false)
			take(t, trip{from: G, to: G, ask: ask}).sends("contents.1.parts.0.thoughtSignature", `"`+placeholder+`"`)
		}
	}},
	// Anthropic's types have both counts in it, and strict decoders want both.
	{number: 1455, name: "searches in a count of Claude's", run: func(t *testing.T) {
		answer := `{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6,"num_search_queries":2}}`
		l := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{answer}})
		is(t, "whole", gjson.Get(l.body, "usage.server_tool_use").Raw, `{"web_search_requests":2,"web_fetch_requests":0}`)
	}},
}}
