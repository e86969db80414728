package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
)

func sse(chunks ...string) []byte {
	var b []byte
	for _, c := range chunks {
		b = fmt.Appendf(b, "data: %s\r\n\r\n", c)
	}
	return b
}

// said is a chunk with parts, and with what else is given.
func said(parts, more string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]},"index":0` + more + `}],"modelVersion":"m","responseId":"r"}`
}

const stopped = `,"finishReason":"STOP"`

func collect(t *testing.T, chunks ...string) (*chat.WholeReply, error) {
	t.Helper()
	return chat.Collect(chat.Tidy(frames(sse(chunks...), false)))
}

func TestStreams(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chunks []string
		want   string
	}{
		"hard case 63: the end after the call":    {[]string{said(`{"functionCall":{"id":"x","name":"f","args":{"a":1}}}`, ""), said(`{"text":""}`, stopped)}, `f{"a":1} tool`},
		"hard case 65: calls in their own chunks": {[]string{said(`{"functionCall":{"name":"f"}}`, ""), said(`{"functionCall":{"name":"f","args":{"a":1}}}`, ""), said(`{"functionCall":{"name":"g"}}`, stopped)}, `f{} f{"a":1} g{} tool`},
		"hard case 70: STOP on every chunk":       {[]string{said(`{"text":"a"}`, stopped), said(`{"text":"b"}`, stopped)}, `"ab" end`},
		"hard case 109: a signature at the end":   {[]string{said(`{"text":"a"}`, ""), said(`{"text":"","thoughtSignature":"U0lH"}`, stopped)}, `"a"!U0lH end`},
		"a signature after a call":                {[]string{said(`{"functionCall":{"name":"f"},"thoughtSignature":"QQ=="}`, ""), said(`{"text":"","thoughtSignature":"U0lH"}`, stopped)}, `f{}!QQ== ""!U0lH tool`},
		"signed text is not gone on with":         {[]string{said(`{"text":"a","thoughtSignature":"U0lH"}`, ""), said(`{"text":"b"}`, stopped)}, `"a"!U0lH "b" end`},
		"thoughts":                                {[]string{said(`{"text":"h","thought":true}`, ""), said(`{"text":"m","thought":true},{"text":"a"}`, stopped)}, `~hm~ "a" end`},
		"hard case 236: a blocked prompt":         {[]string{`{"promptFeedback":{"blockReason":"SAFETY"}}`}, `refused SAFETY`},
		"cut by the limit in a call":              {[]string{said(`{"functionCall":{"name":"f","args":{}}}`, `,"finishReason":"MAX_TOKENS"`)}, `f{} limit`},
		"hard case 234: to be continued":          {[]string{said(`{"text":"a"}`, `,"finishReason":"CONTINUATION","continuationToken":"dG9r"`)}, `"a" paused dG9r`},
		"other, with a call":                      {[]string{said(`{"functionCall":{"name":"f"}}`, `,"finishReason":"OTHER"`)}, `f{} tool`},
		"malformed, with text":                    {[]string{said(`{"text":"a"}`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`)}, `"a" other`},
		"a reason nobody knows":                   {[]string{said(`{"text":"a"}`, `,"finishReason":"TIRED"`)}, `"a" other`},
		"a candidate without content":             {[]string{said(`{"text":"a"}`, ""), `{"candidates":[{"finishReason":"STOP"}]}`}, `"a" end`},
		"empty frames and strange ones":           {[]string{`{}`, `{"candidates":[]}`, `{"candidates":null,"x":[1,{"a":"}"}]}`, said(`{"text":"a"},{}`, stopped), `[DONE]`}, `"a" end`},
		"a list of frames in one":                 {[]string{"[" + said(`{"text":"a"}`, "") + "," + said(`{"text":"b"}`, stopped) + "]"}, `"ab" end`},
		"snake_case":                              {[]string{`{"candidates":[{"content":{"parts":[{"function_call":{"name":"f","args":{"a_b":1}}}]},"finish_reason":"STOP"}]}`}, `f{"a_b":1} tool`},
		"hard case 254: digits stay":              {[]string{said(`{"functionCall":{"name":"f","args":{"id":12345678901234567890}}}`, stopped)}, `f{"id":12345678901234567890} tool`},
		"a second candidate is not asked for":     {[]string{`{"candidates":[{"index":1,"content":{"parts":[{"text":"no"}]}},{"index":0,"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`}, `"a" end`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := collect(t, test.chunks...)
			if err != nil {
				t.Fatal(err)
			}
			if got := brief(r); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// brief tells an answer in short.
func brief(r *chat.WholeReply) string {
	var words []string
	ids := map[string]bool{}
	for _, p := range r.Answers[0].Parts {
		var w string
		switch p.Kind {
		case chat.Text:
			w = `"` + p.Text + `"`
		case chat.Thought:
			w = "~" + p.Text + "~"
		case chat.ToolCall:
			w = p.Name + p.Text
			if p.ID == "" || ids[p.ID] {
				w += " WITHOUT AN ID OF ITS OWN"
			}
			ids[p.ID] = true
		default:
			w = fmt.Sprint(p.Kind)
		}
		if p.Proof != "" {
			w += "!" + p.Proof
		}
		words = append(words, w)
	}
	stop := r.Answers[0].Stop
	words = append(words, map[chat.Reason]string{
		chat.EndTurn: "end", chat.ToolUse: "tool", chat.MaxTokens: "limit", chat.Refused: "refused " + stop.Category, chat.Paused: "paused " + stop.Sequence, chat.Other: "other",
	}[stop.Reason])
	return strings.Join(words, " ")
}

func TestStreamsThatFail(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chunks []string
		want   fault.Code
	}{
		"hard case 249: a malformed call, nothing else": {[]string{said("", `,"finishReason":"MALFORMED_FUNCTION_CALL"`)}, fault.UpstreamError},
		"only thoughts":       {[]string{said(`{"text":"a","thought":true}`, `,"finishReason":"UNEXPECTED_TOOL_CALL"`)}, fault.UpstreamError},
		"other, nothing else": {[]string{said("", `,"finishReason":"OTHER"`)}, fault.UpstreamError},
		"overloaded":          {[]string{said(`{"text":"a"}`, ""), `{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}`}, fault.Unavailable},
		"by its status":       {[]string{`{"error":{"status":"RESOURCE_EXHAUSTED"}}`}, fault.RateLimited},
		"an error in a list":  {[]string{`[{"error":{"code":429,"message":"x"}}]`}, fault.RateLimited},
		"not JSON":            {[]string{`oh no`}, fault.UpstreamError},
		"half of it":          {[]string{`{"candidates":[{"content":`}, fault.UpstreamError},
	} {
		_, err := collect(t, test.chunks...)
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if _, err := collect(t, said(`{"text":"a"}`, "")); !errors.Is(err, chat.ErrCut) {
		t.Errorf("no end: %v", err)
	}
	for body, want := range map[string]fault.Code{
		`{}`: fault.UpstreamError, `{"candidates":[]}`: fault.UpstreamError, `<html>`: fault.UpstreamError, ``: fault.UpstreamError,
		`{"error":{"code":400,"message":"bad"}}`: fault.InvalidParameter, said("", `,"finishReason":"OTHER"`): fault.UpstreamError,
	} {
		if _, err := (Codec{}).DecodeReply([]byte(body)); fault.From(err).Code != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestEveryFinishReason(t *testing.T) {
	t.Parallel()
	for word, reason := range reasons {
		r, err := Codec{}.DecodeReply([]byte(said(`{"text":"a"}`, `,"finishReason":"`+word+`","finishMessage":"why"`)))
		if err != nil {
			t.Fatal(word, err)
		}
		stop := r.Answers[0].Stop
		if reason == chat.Failed {
			reason = chat.Other
		}
		if stop.Reason != reason || stop.Raw != word || reason == chat.Refused && (stop.Category != word || stop.Explanation != "why") {
			t.Errorf("%s: %+v", word, stop)
		}
		body, err := Codec{}.EncodeReply(request(t, `{"contents":[]}`), r)
		back := gjson.GetBytes(body, "candidates.0.finishReason").Str
		want := map[chat.Reason]string{chat.Other: "OTHER", chat.Paused: "MAX_TOKENS"}[reason]
		if want == "" {
			want = word
		}
		if err != nil || back != want {
			t.Errorf("%s is told as %s, want %s, %v", word, back, want, err)
		}
	}
	for stop, want := range map[chat.Stop]string{
		{Reason: chat.StopSequence}: "STOP", {Reason: chat.ToolUse}: "STOP", {Reason: chat.Refused, Category: "cyber"}: "PROHIBITED_CONTENT",
		{Reason: chat.Refused}: "SAFETY", {Reason: chat.Failed}: "OTHER", {Reason: chat.Paused, Raw: "pause_turn"}: "STOP",
	} {
		if got := finishReason(stop, false); got != want {
			t.Errorf("%+v: %s, want %s", stop, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   string
		want chat.Usage
	}{
		{`{"promptTokenCount":10,"cachedContentTokenCount":4,"toolUsePromptTokenCount":3,"candidatesTokenCount":5,"thoughtsTokenCount":7,"totalTokenCount":25}`, chat.Usage{Input: 9, CacheRead: 4, Output: 5, Reasoning: 7, Known: true}},
		{`{"promptTokenCount":10,"totalTokenCount":15}`, chat.Usage{Input: 10, Output: 5, Known: true}},
		{`{"promptTokenCount":3,"cachedContentTokenCount":40,"candidatesTokenCount":-5}`, chat.Usage{CacheRead: 3, Known: true}}, // hard case 207
		{`{"promptTokenCount":1e30,"candidatesTokenCount":"7","thoughtsTokenCount":{}}`, chat.Usage{Output: 7, Known: true}},
		{`5`, chat.Usage{}},
		{`{}`, chat.Usage{}}, // as Stele's own streams have it before their end
	} {
		r, err := Codec{}.DecodeReply([]byte(strings.Replace(said(`{"text":"a"}`, stopped), `"modelVersion"`, `"usageMetadata":`+test.in+`,"modelVersion"`, 1)))
		if err != nil || r.Usage != test.want {
			t.Errorf("%s: %+v, %v, want %+v", test.in, r.Usage, err, test.want)
		}
	}
}

// hears is what a client is told of an answer.
func hears(t *testing.T, asks string, framed bool, r *chat.WholeReply) string {
	t.Helper()
	req := request(t, asks)
	req.Origin.Unframed = !framed
	return string(tell(t, req, r))
}

const plainly = `{"contents":[{"parts":[{"text":"hi"}]}]}`

func TestHardCase220TheLastChunk(t *testing.T) {
	t.Parallel()
	r := &chat.WholeReply{ID: "chatcmpl-1", Usage: chat.Usage{Input: 3, CacheRead: 4, Output: 2, Reasoning: 5}, Answers: []chat.Answer{{Parts: []chat.Part{text("a\r\n\r\nb"), calls("1", "f", "{\n\n\"x\": [1]\n}")}, Stop: chat.Stop{Reason: chat.ToolUse}}}}
	out := hears(t, plainly, true, r)
	events := strings.Split(strings.TrimSuffix(out, "\n\n"), "\n\n") // hard case 214
	for _, e := range events {
		data, ok := strings.CutPrefix(e, "data: ")
		if !ok || !json.Valid([]byte(data)) || strings.ContainsAny(data, "\r\n") {
			t.Errorf("event %q", e)
		}
		if gjson.Get(data, "candidates.0.content.parts.#").Int() == 0 || gjson.Get(data, "modelVersion").Str != "my-model" || strings.Contains(data, "chatcmpl") {
			t.Errorf("event %s", data)
		}
	}
	last := strings.TrimPrefix(events[len(events)-1], "data: ")
	if len(events) != 3 || gjson.Get(last, "candidates.0.finishReason").Str != "STOP" || gjson.Get(last, "candidates.0.content.parts").Raw != `[{"text":""}]` {
		t.Errorf("last of %d: %s", len(events), last)
	}
	if got := gjson.Get(last, "usageMetadata").Raw; got != `{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":14,"cachedContentTokenCount":4,"thoughtsTokenCount":5}` {
		t.Error(got)
	}
}

func TestHardCase212TheArray(t *testing.T) {
	t.Parallel()
	r := &chat.WholeReply{Answers: []chat.Answer{{Parts: []chat.Part{text("a"), calls("1", "f", "")}, Stop: chat.Stop{Reason: chat.ToolUse}}}}
	out := hears(t, plainly, false, r)
	var all []map[string]any
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 3 {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.HasPrefix(out, "[{") || !strings.Contains(out, "}\n,\r\n{") || !strings.HasSuffix(out, "}\n]") {
		t.Errorf("%q", out)
	}
	req := request(t, plainly)
	req.Origin.Unframed = true
	for _, begun := range []bool{false, true} {
		x := Codec{}.NewEncoder(req)
		dst := x.KeepAlive(nil)
		if begun {
			for _, e := range []chat.Event{{Kind: chat.Start}, {Kind: chat.Open, Part: text("")}, {Kind: chat.Delta, Part: text("a")}} {
				dst, _ = x.Encode(dst, &e)
			}
			dst = x.KeepAlive(dst)
		}
		dst = x.Fail(dst, fault.New(fault.Unavailable, "busy"), "r")
		dst = x.KeepAlive(dst)
		if err := json.Unmarshal(dst, &all); err != nil || gjson.GetBytes(dst, "@this.#.error.code").Raw != "[503]" || x.ContentType() != "application/json; charset=utf-8" {
			t.Errorf("%v %s", err, dst)
		}
		if dst[0] != '[' || dst[len(dst)-1] != ']' { // Google's REST clients for Python fail at anything else there
			t.Errorf("%q", dst)
		}
	}
}

func TestWhatClientsHear(t *testing.T) {
	t.Parallel()
	const asking = `{"contents":[{"parts":[{"text":"hi"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`
	thought := chat.Part{Kind: chat.Thought, Text: "hm", Proof: "U0lH"}
	silent := chat.Part{Kind: chat.Thought, Proof: "U0lH"}
	for name, test := range map[string]struct {
		asks  string
		parts []chat.Part
		stop  chat.Reason
		want  string
	}{
		"thoughts for who asked":            {asking, []chat.Part{thought, text("a")}, chat.EndTurn, `~hm~!U0lH "a"`},
		"no thoughts for who did not":       {plainly, []chat.Part{thought, text("a")}, chat.EndTurn, `"a"`},
		"no words, but their signature":     {plainly, []chat.Part{silent, text("a")}, chat.EndTurn, `"a"!U0lH`},
		"their signature rides on the call": {plainly, []chat.Part{silent, calls("1", "f", "")}, chat.ToolUse, `f{}!U0lH`},
		"two signatures":                    {plainly, []chat.Part{silent, {Kind: chat.Redacted, Text: "x"}, calls("1", "f", "")}, chat.ToolUse, `""!U0lH f{}!` + hide("x")},
		"a signature with nothing after it": {plainly, []chat.Part{text("a"), silent}, chat.EndTurn, `"a"!U0lH`},
		"a signature that is no base64":     {plainly, []chat.Part{{Kind: chat.Text, Text: "a", Proof: "a_b"}}, chat.EndTurn, `"a"!` + chat.Envelope{Raw: "a_b"}.Wrap()},
		"arguments that are no object":      {plainly, []chat.Part{calls("1", "f", "[1]")}, chat.ToolUse, `f{"_raw":"[1]"}`},
		"arguments that are no JSON":        {plainly, []chat.Part{calls("1", "f", `{"a`), text("b")}, chat.ToolUse, `f{"_raw":"{\"a"} "b"`},
		"a call cut by the limit":           {plainly, []chat.Part{text("a"), calls("1", "f", `{"a`)}, chat.MaxTokens, `"a"`},
		"a whole call before the limit":     {plainly, []chat.Part{text("a"), calls("1", "f", `{"a":1}`)}, chat.MaxTokens, `"a" f{"a":1}`},
		"a refusal in words":                {plainly, []chat.Part{{Kind: chat.Refusal, Text: "no"}}, chat.EndTurn, `"no"`},
		"what only another API has":         {plainly, []chat.Part{{Kind: chat.Opaque, Name: "web_search", Text: "found", Raw: json.RawMessage(`{}`)}}, chat.EndTurn, `"found"`},
		"free text":                         {plainly, []chat.Part{{Kind: chat.ToolCall, ID: "1", Name: "f", Custom: true, Text: `x"`}}, chat.ToolUse, `f{"input":"x\""}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &chat.WholeReply{Answers: []chat.Answer{{Parts: test.parts, Stop: chat.Stop{Reason: test.stop}}}}
			body, err := Codec{}.EncodeReply(request(t, test.asks), r)
			if err != nil {
				t.Fatal(err)
			}
			streamed, err := chat.Collect(chat.Tidy(frames([]byte(hears(t, test.asks, true, r)), false)))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := Codec{}.DecodeReply(body)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(name, "nothing after") {
				whole, streamed = tidied(whole), tidied(streamed)
			}
			for how, got := range map[string]*chat.WholeReply{"whole": whole, "streamed": streamed} {
				words := strings.Split(brief(got), " ")
				if s := strings.Join(words[:len(words)-1], " "); s != test.want && s != test.want+" refused" {
					t.Errorf("%s\n got %s\nwant %s", how, s, test.want)
				}
			}
		})
	}
}

// tidied puts an answer through a stream, which joins what goes on.
func tidied(r *chat.WholeReply) *chat.WholeReply {
	r, _ = chat.Collect(chat.Replay(r))
	return r
}

func TestHardCase68FiveMegabytesOfArguments(t *testing.T) {
	t.Parallel()
	x := Codec{}.NewEncoder(request(t, plainly))
	events := []chat.Event{{Kind: chat.Start}, {Kind: chat.Open, Part: chat.Part{Kind: chat.ToolCall, ID: "1", Name: "f"}}}
	piece := strings.Repeat("x", 50)
	var out []byte
	begun := time.Now()
	for i := range events {
		out, _ = x.Encode(out, &events[i])
	}
	say := func(s string) {
		out, _ = x.Encode(out, &chat.Event{Kind: chat.Delta, Part: chat.Part{Kind: chat.ToolCall, Text: s}})
	}
	say(`{"a":"`)
	for range 100_000 {
		say(piece)
	}
	say(`"}`)
	if len(out) > 0 {
		t.Error("told before it was whole")
	}
	out, _ = x.Encode(out, &chat.Event{Kind: chat.Close, Part: chat.Part{Kind: chat.ToolCall}})
	if took := time.Since(begun); took > 2*time.Minute { // two seconds on a machine at rest
		t.Errorf("took %s", took)
	}
	if n := bytes.Count(out, []byte("functionCall")); n != 1 || len(out) < 5_000_000 {
		t.Errorf("%d calls in %d bytes", n, len(out))
	}
}

func TestKeepAliveFitsTheFrames(t *testing.T) {
	t.Parallel()
	x := Codec{}.NewEncoder(request(t, plainly))
	if got := string(x.KeepAlive(nil)); got != "\n\n" || x.ContentType() != "text/event-stream" {
		t.Errorf("before: %q", got)
	}
	for _, e := range []chat.Event{{Kind: chat.Start}, {Kind: chat.Open, Part: text("")}, {Kind: chat.Delta, Part: text("a")}} {
		_, _ = x.Encode(nil, &e)
	}
	if got := string(x.KeepAlive(nil)); got != "\n\n" {
		t.Errorf("after: %q", got)
	}
	fail := string(x.Fail(nil, fault.New(fault.UpstreamError, "broke"), "r"))
	if !strings.HasPrefix(fail, `data: {"error":{"code":500,"message":"broke","status":"INTERNAL"`) || !strings.HasSuffix(fail, "\n\n") {
		t.Errorf("%q", fail)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"data: {\"candidates\":[{\"modelVersion\":\"x\"}], \"modelVersion\" : \"up\" }\r\n\r\n": "data: {\"candidates\":[{\"modelVersion\":\"x\"}], \"modelVersion\" : \"m\\\"\" }\r\n\r\n",
		`{"a":1}`: `{"a":1}`, "\r\n\r\n": "\r\n\r\n", `{"modelVersion":5}`: `{"modelVersion":5}`, `{"modelVersion":"`: `{"modelVersion":"`,
	} {
		if diff := cmp.Diff(want, string(Codec{}.Rename([]byte(in), `m"`))); diff != "" {
			t.Error(diff)
		}
	}
}
