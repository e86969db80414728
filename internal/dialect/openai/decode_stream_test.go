package openai

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/wire"
)

// chunks makes a stream of deltas, ended as streams end.
func chunks(finish string, deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"id\":\"x\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
	}
	fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", finish)
	return b.String()
}

// toolDelta is a delta of one call's members.
func toolDelta(members string) string { return `{"tool_calls":[{` + members + `}]}` }

func TestStreamsOfAllSortsOfServers(t *testing.T) {
	t.Parallel()
	one, two := called("a", "f", `{"x":1}`), called("b", "g", `{"y":2}`)
	for name, row := range map[string]struct {
		stream string
		want   []chat.Part
		reason chat.Reason
	}{
		"hard case 56: interleaved": {chunks("tool_calls",
			toolDelta(`"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}`), toolDelta(`"index":1,"id":"b","function":{"name":"g","arguments":""}`),
			toolDelta(`"index":0,"function":{"arguments":"{\"x\""}`), toolDelta(`"index":1,"function":{"arguments":"{\"y\""}`),
			toolDelta(`"index":0,"function":{"arguments":":1}"}`), toolDelta(`"index":1,"function":{"arguments":":2}"}`)), []chat.Part{one, two}, chat.ToolUse},
		"hard case 58: both have index 0": {chunks("tool_calls",
			toolDelta(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}`), toolDelta(`"index":0,"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}`)), []chat.Part{one, two}, chat.ToolUse},
		"hard case 59: id and name every time": {chunks("tool_calls",
			toolDelta(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}`), toolDelta(`"index":0,"id":"a","function":{"name":"f","arguments":":1}"}`)), []chat.Part{one}, chat.ToolUse},
		"hard case 60: no index": {chunks("tool_calls",
			toolDelta(`"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}`), toolDelta(`"id":"b","function":{"name":"g","arguments":"{\"y\""}`), toolDelta(`"function":{"arguments":":2}"}`)), []chat.Part{one, two}, chat.ToolUse},
		"no index, ids repeated": {chunks("tool_calls",
			toolDelta(`"id":"a","function":{"name":"f","arguments":"{\"x\""}`), toolDelta(`"id":"a","function":{"arguments":":1}"}`)), []chat.Part{one}, chat.ToolUse},
		"hard case 61: text, call, text, call": {chunks("tool_calls",
			`{"content":"1"}`, toolDelta(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}`), `{"content":"2"}`, toolDelta(`"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}`)),
			[]chat.Part{text("1"), one, text("2"), two}, chat.ToolUse},
		"hard case 69: stop although it called": {chunks("stop",
			toolDelta(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}`)), []chat.Part{one}, chat.ToolUse},
		"arguments as an object": {chunks("tool_calls", toolDelta(`"id":"a","function":{"name":"f","arguments":{"x":1}}`)), []chat.Part{one}, chat.ToolUse},
		"several in one delta": {chunks("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}}]}`),
			[]chat.Part{one, two}, chat.ToolUse},
		"the older function_call": {chunks("function_call", `{"function_call":{"name":"f","arguments":"{\"x\""}}`, `{"function_call":{"arguments":":1}"}}`),
			[]chat.Part{called("*", "f", `{"x":1}`)}, chat.ToolUse},
		"hard case 225: frames without choices": {
			"data: {\"choices\":[],\"prompt_filter_results\":[]}\n\ndata: {\"object\":\"ping\"}\n\n" + chunks("stop", `{"content":"x"}`), []chat.Part{text("x")}, chat.EndTurn},
		"hard case 230: liberties": {
			"\xef\xbb\xbf: hello\r\n\r\nid: 1\r\nretry: 5\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\r\n\r\ndata:{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
			[]chat.Part{text("x")}, chat.EndTurn},
		"only [DONE]":                       {"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n", []chat.Part{text("x")}, chat.EndTurn},
		"hard case 251: filtered":           {chunks("content_filter", `{"content":"so far"}`), []chat.Part{text("so far")}, chat.Refused},
		"a refusal":                         {chunks("stop", `{"refusal":"No"}`, `{"refusal":"."}`), []chat.Part{{Kind: chat.Refusal, Text: "No."}}, chat.Refused},
		"a word nobody knows":               {chunks("vibes", `{"content":"x"}`), []chat.Part{text("x")}, chat.Other},
		"words in parts, thoughts too":      {chunks("stop", `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}]}`, `{"content":[{"type":"text","text":"x"}]}`), []chat.Part{{Kind: chat.Thought, Text: "h"}, text("x")}, chat.EndTurn},
		"error null is no error":            {"data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n", []chat.Part{text("x")}, chat.EndTurn},
		"the second answer is not told":     {"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\n\n" + chunks("stop", `{"content":"x"}`), []chat.Part{text("x")}, chat.EndTurn},
		"reasoning and reasoning_content":   {chunks("stop", `{"reasoning":"h","reasoning_content":"h"}`, `{"content":"x"}`), []chat.Part{{Kind: chat.Thought, Text: "h"}, text("x")}, chat.EndTurn},
		"same name twice and nothing else":  {chunks("tool_calls", toolDelta(`"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":1}"}`), toolDelta(`"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":1}"}`)), []chat.Part{called("*", "f", `{"x":1}`), called("*", "f", `{"x":1}`)}, chat.ToolUse},
		"the name again after no arguments": {chunks("tool_calls", toolDelta(`"index":0,"id":"a","function":{"name":"f","arguments":""}`), toolDelta(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}`)), []chat.Part{one}, chat.ToolUse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := collect([]byte(row.stream))
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range row.want {
				if p.ID == "*" && i < len(r.Answers[0].Parts) { // made up on the way
					r.Answers[0].Parts[i].ID = "*"
				}
			}
			if diff := cmp.Diff(row.want, r.Answers[0].Parts, meaning); diff != "" || r.Answers[0].Stop.Reason != row.reason {
				t.Errorf("%d %s", r.Answers[0].Stop.Reason, diff)
			}
		})
	}
}

func TestStreamsThatAreErrors(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		stream string
		code   fault.Code // "": cut
	}{
		"hard case 223: just ends":   {"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n", ""},
		"nothing":                    {"", ""},
		"an error frame":             {"data: {\"error\":{\"message\":\"boom\",\"type\":\"server_error\"}}\n\n", fault.UpstreamError},
		"an error event":             {"event: error\ndata: {\"error\":{\"message\":\"slow\",\"code\":429}}\n\n", fault.RateLimited},
		"overloaded":                 {"data: {\"error\":{\"message\":\"x\",\"code\":\"server_is_overloaded\"}}\n\n", fault.Unavailable},
		"an error that is a word":    {"data: {\"error\":\"boom\"}\n\n", fault.UpstreamError},
		"an error object":            {"data: {\"object\":\"error\",\"message\":\"too long\",\"type\":\"BadRequestError\",\"code\":400}\n\n", fault.InvalidParameter},
		"beside choices":             {"data: {\"error\":{\"code\":502,\"message\":\"x\"},\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\n", fault.UpstreamError},
		"an error event of words":    {"event: error\ndata: {\"oh\":\"no\"}\n\n", fault.UpstreamError},
		"not JSON":                   {"data: {\"choices\":[{\"del\n\n", fault.UpstreamError},
		"an error inside a 200 list": {"data: [{\"error\":{\"code\":503,\"message\":\"x\"}}]\n\n", fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := collect([]byte(row.stream))
			e, ok := errors.AsType[*fault.Error](err)
			switch {
			case row.code == "" && !errors.Is(err, chat.ErrCut), row.code != "" && (!ok || e.Code != row.code):
				t.Errorf("%v", err)
			}
			if row.code == "" || name == "not JSON" {
				return
			}
			d := Codec{}.NewDecoder(true)
			r := wire.NewSSE(strings.NewReader(row.stream), 1<<20)
			for err = nil; err == nil; {
				var f wire.Frame
				if f, err = r.Next(); err == nil {
					_, err = d.Decode(nil, f)
				}
			}
			if errors.Is(err, io.EOF) {
				t.Error("a light decoder sees no error")
			}
		})
	}
}

func TestHiddenFramesTellOnlyUsage(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]bool{
		`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}`:                       true,
		`{"usage":{"prompt_tokens":1,"completion_tokens":2}}`:                                    true,
		`{"choices":null,"usage":{"prompt_tokens":1,"completion_tokens":2}}`:                     true,
		`{"choices":[{"index":0,"delta":{}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`: false,
		`{"choices":[],"prompt_filter_results":[]}`:                                              false,
		`{"choices":[{"index":0,"delta":{"content":"\"usage\":{\"prompt_tokens\":1}"}}]}`:        false,
		`{"choices":[],"usage":null}`:                                                            false,
	} {
		for _, light := range []bool{true, false} {
			d := Codec{}.NewDecoder(light)
			if _, err := d.Decode(nil, wire.Frame{Data: []byte(data)}); err != nil || d.Hidden() != want {
				t.Errorf("light %v: %s: %v %v", light, data, d.Hidden(), err)
			}
		}
	}
}

func TestUsageOfAllSortsOfServers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]chat.Usage{
		// Hard case 201: written to the cache, inside the prompt.
		`{"prompt_tokens":18014,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":18011},"completion_tokens_details":{"reasoning_tokens":10}}`: {Input: 3, CacheWrite: 18011, Output: 30, Reasoning: 10},
		// Hard case 207: more cached than there was.
		`{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":50,"cache_write_tokens":9}}`:  {CacheRead: 10, Output: 1},
		`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":7}}`: {Input: 10, Output: 5, Reasoning: 7},
		`{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":7}}`:                   {Input: 10, Output: 5, Reasoning: 7},
		`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"completion_tokens_details":{"reasoning_tokens":7}}`: {Input: 10, Reasoning: 5},
		`{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":4}`:                                          {Input: 6, CacheRead: 4, Output: 5},
		`{"prompt_tokens":-3,"completion_tokens":1e300,"total_tokens":"x"}`:                                               {Output: 1 << 50},
		`{"prompt_tokens":"12","completion_tokens":null}`:                                                                 {Input: 12},
	} {
		want.Known = true
		body := fmt.Sprintf(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":%s}`, in)
		r, err := Codec{}.DecodeReply([]byte(body))
		if err != nil || r.Usage != want {
			t.Errorf("%s: %+v %v", in, r.Usage, err)
		}
	}
}

func TestWholeAnswersThatAreErrors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]fault.Code{
		``:               fault.UpstreamError,
		`<html>`:         fault.UpstreamError,
		`{}`:             fault.UpstreamError,
		`{"choices":[]}`: fault.UpstreamError,
		`"x"`:            fault.UpstreamError,
		`{"error":{"message":"x","code":"rate_limit_exceeded"}}`: fault.RateLimited,
		`{"error":{"message":"x","code":401}}`:                   fault.UpstreamError,
	} {
		_, err := Codec{}.DecodeReply([]byte(body))
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}
