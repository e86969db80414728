package anthropic

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
)

// frames are the data of a client's stream, each with its event's name checked.
func frames(tb testing.TB, stream []byte) []gjson.Result {
	tb.Helper()
	if !bytes.HasSuffix(stream, []byte("\n\n")) {
		tb.Errorf("the stream does not end with a blank line: %q", stream[max(0, len(stream)-40):])
	}
	var all []gjson.Result
	for frame := range strings.SplitSeq(strings.TrimSuffix(string(stream), "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(frame, "\ndata: ")
		root := gjson.Parse(data)
		if !ok || !gjson.Valid(data) || strings.Contains(data, "\n") || name != "event: "+root.Get("type").Str {
			tb.Errorf("a broken frame: %q", frame)
		}
		all = append(all, root)
	}
	return all
}

func TestHard218AStreamHasAllThatClientsDemand(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.stream == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			answer, err := collect(f.stream)
			if err != nil {
				t.Fatal(err)
			}
			list := frames(t, encode(t, asker(t, "mine"), chat.Replay(answer)))
			first, delta, last := list[0].Get("message"), list[len(list)-2], list[len(list)-1]
			if list[0].Get("type").Str != "message_start" || !first.Get("usage.input_tokens").Exists() || first.Get("content").Raw != "[]" ||
				first.Get("model").Str != "mine" || !strings.HasPrefix(first.Get("id").Str, "msg_") {
				t.Error(list[0].Raw)
			}
			if delta.Get("type").Str != "message_delta" || !delta.Get("usage.output_tokens").Exists() || delta.Get("delta.stop_reason").Str == "" {
				t.Error(delta.Raw)
			}
			if last.Get("type").Str != "message_stop" {
				t.Error(last.Raw)
			}
			grammar(t, list[1:len(list)-2])
		})
	}
}

// grammar checks that blocks are opened, filled and closed one after the other.
func grammar(tb testing.TB, list []gjson.Result) {
	tb.Helper()
	index, open, signed := int64(0), false, false
	for _, f := range list {
		kind := f.Get("type").Str
		if f.Get("index").Int() != index || open == (kind == "content_block_start") || signed && kind == "content_block_delta" {
			tb.Errorf("out of order at block %d: %s", index, f.Raw)
		}
		switch kind {
		case "content_block_start":
			open, signed = true, false
			if f.Get("content_block.type").Str == "tool_use" && f.Get("content_block.input").Raw != "{}" {
				tb.Error(f.Raw)
			}
		case "content_block_delta":
			signed = f.Get("delta.type").Str == "signature_delta"
		case "content_block_stop":
			open, signed = false, false
			index++
		}
	}
}

func TestHard61BlocksFollowEachOther(t *testing.T) {
	t.Parallel()
	answer := &chat.WholeReply{Answers: []chat.Answer{{Parts: []chat.Part{txt("a"), calling("x", "f", ""), txt("b"), calling("y", "f", "{}")}, Stop: chat.Stop{Reason: chat.ToolUse}}}}
	got := gjson.Parse(content(t, encode(t, asker(t, "m"), chat.Replay(answer))))
	wantJSON(t, got.Get("#.type"), `["text","tool_use","text","tool_use"]`)
}

func TestHard199To211Usage(t *testing.T) {
	t.Parallel()
	answer := &chat.WholeReply{Usage: chat.Usage{Input: 3, CacheWrite: 18011, Output: 30, Reasoning: 10, Known: true}, Answers: []chat.Answer{{Parts: []chat.Part{txt("a")}}}}
	req := asker(t, "m")
	body, err := Codec{}.EncodeReply(req, answer)
	if err != nil {
		t.Fatal(err)
	}
	list := frames(t, encode(t, req, chat.Replay(answer)))
	for _, usage := range []gjson.Result{gjson.GetBytes(body, "usage"), list[len(list)-2].Get("usage")} {
		for key, want := range map[string]int64{
			"input_tokens": 3, "cache_creation_input_tokens": 18011, "cache_read_input_tokens": 0, "output_tokens": 40, "output_tokens_details.thinking_tokens": 10,
		} {
			if got := usage.Get(key).Int(); got != want {
				t.Errorf("%s: got %d, want %d", key, got, want)
			}
		}
	}
	r, err := Codec{}.DecodeReply([]byte(`{"content":[],"usage":{"input_tokens":12,"cache_read_input_tokens":18000,"cache_creation_input_tokens":500,"output_tokens":900,"output_tokens_details":{"thinking_tokens":640}}}`))
	if want := (chat.Usage{Input: 12, CacheRead: 18000, CacheWrite: 500, Output: 260, Reasoning: 640, Known: true}); err != nil || r.Usage != want {
		t.Error(r, err)
	}
	r, err = Codec{}.DecodeReply([]byte(`{"content":"Hi","usage":{"input_tokens":-5,"output_tokens":3,"cache_creation":{"ephemeral_1h_input_tokens":7},"output_tokens_details":{"thinking_tokens":9e99}}}`))
	if want := (chat.Usage{CacheWrite: 7, CacheWrite1h: 7, Reasoning: 3, Known: true}); err != nil || r.Usage != want || r.Answers[0].Parts[0].Text != "Hi" {
		t.Error(r, err)
	}
}

func TestHard203InputIsCountedOnce(t *testing.T) {
	t.Parallel()
	r, err := collect([]byte("data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":27,\"output_tokens\":1}}}\n\n" +
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"input_tokens\":27,\"output_tokens\":5}}\n\ndata: {\"type\":\"message_stop\"}\n\n"))
	if err != nil || r.Usage.Input != 27 || r.Usage.Output != 5 {
		t.Error(r, err)
	}
}

func TestHard208InputIsEstimatedUntilItIsKnown(t *testing.T) {
	t.Parallel()
	req := asker(t, "m")
	encoder := Codec{}.NewEncoder(req)
	out, _ := encoder.Encode(nil, &chat.Event{Kind: chat.Start})
	if n := frames(t, out)[0].Get("message.usage.input_tokens").Int(); n != chat.Estimate(len(req.Origin.Body)) {
		t.Error(n)
	}
	out, _ = encoder.Encode(nil, &chat.Event{Kind: chat.Finish, Usage: chat.Usage{Input: 7, CacheRead: 2, Output: 3}})
	usage := frames(t, out)[0].Get("usage")
	if usage.Get("input_tokens").Int() != 7 || usage.Get("cache_read_input_tokens").Int() != 2 || usage.Get("output_tokens").Int() != 3 {
		t.Error(usage.Raw)
	}
}

func TestStopsBothWays(t *testing.T) {
	t.Parallel()
	for reason, want := range map[chat.Stop]string{
		{Reason: chat.EndTurn, Raw: "stop"}:                            `"end_turn"null null`,
		{Reason: chat.StopSequence, Sequence: "END"}:                   `"stop_sequence""END"null`,
		{Reason: chat.MaxTokens, Raw: "length"}:                        `"max_tokens"null null`,
		{Reason: chat.MaxTokens, Raw: "model_context_window_exceeded"}: `"model_context_window_exceeded"null null`,
		{Reason: chat.ToolUse}:                                         `"tool_use"null null`,
		{Reason: chat.Paused}:                                          `"pause_turn"null null`,
		{Reason: chat.Refused, Raw: "content_filter"}:                  `"refusal"null {"type":"refusal","category":null,"explanation":null}`,
		{Reason: chat.Refused, Category: "SAFETY", Explanation: "No."}: `"refusal"null {"type":"refusal","category":null,"explanation":"No."}`,
		{Reason: chat.Refused, Category: "cyber"}:                      `"refusal"null {"type":"refusal","category":"cyber","explanation":null}`,
		{Reason: chat.Failed, Raw: "MALFORMED_FUNCTION_CALL"}:          `"end_turn"null null`,
		{Reason: chat.Other, Raw: "OTHER"}:                             `"end_turn"null null`,
		{Reason: chat.Other, Raw: "compaction"}:                        `"compaction"null null`,
	} {
		body, _ := Codec{}.EncodeReply(asker(t, "m"), &chat.WholeReply{Answers: []chat.Answer{{Stop: reason}}})
		root := gjson.ParseBytes(body)
		got := root.Get("stop_reason").Raw + root.Get("stop_sequence").Raw + " " + root.Get("stop_details").Raw
		if got = strings.Replace(got, `"END" `, `"END"`, 1); got != want {
			t.Errorf("%+v: got %s, want %s", reason, got, want)
		}
		if root.Get("content").Raw != "[]" {
			t.Error(root.Raw)
		}
	}
}

func TestHard9IdsAreValidForClients(t *testing.T) {
	t.Parallel()
	answer := &chat.WholeReply{ID: "chatcmpl-123", Answers: []chat.Answer{{Parts: []chat.Part{calling("Edit:0", "f", `[1]`)}}}}
	req := asker(t, "m")
	body, _ := Codec{}.EncodeReply(req, answer)
	whole, streamed := gjson.GetBytes(body, "content.0"), gjson.Parse(content(t, encode(t, req, chat.Replay(answer)))).Get("0")
	if !idRule.MatchString(whole.Get("id").Str) || streamed.Get("id").Str != whole.Get("id").Str {
		t.Error(whole.Raw, streamed.Raw)
	}
	wantJSON(t, whole.Get("input"), `{"_raw":"[1]"}`)
	again, _ := Codec{}.EncodeReply(req, answer)
	if !bytes.Equal(body, again) {
		t.Error("the same answer is not the same twice")
	}
}

func TestHard254DigitsSurvive(t *testing.T) {
	t.Parallel()
	body, _ := Codec{}.EncodeReply(asker(t, "m"), &chat.WholeReply{Answers: []chat.Answer{{Parts: []chat.Part{calling("a", "f", `{"id":12345678901234567890}`)}}}})
	wantJSON(t, gjson.GetBytes(body, "content.0.input"), `{"id":12345678901234567890}`)
}

func TestWhatTheAPIHasNoBlockForIsWords(t *testing.T) {
	t.Parallel()
	code := chat.Part{Kind: chat.Opaque, Name: "executableCode", Raw: []byte(`{}`), Text: "```python\n1\n```"}
	custom := calling("a", "patch", "*** \"x\"\n")
	custom.Custom = true
	parts := []chat.Part{
		{Kind: chat.Refusal, Text: "No."}, {Kind: chat.Image, Media: &chat.Media{Type: "image/png", Base64: png}}, code, custom,
		{Kind: chat.Audio, Text: "I said so.", Media: &chat.Media{Type: "audio/wav"}}, {Kind: chat.Opaque, Name: "executableCode", Raw: []byte(`{}`)},
	}
	answer := &chat.WholeReply{Answers: []chat.Answer{{Parts: parts}}}
	req := asker(t, "m")
	body, _ := Codec{}.EncodeReply(req, answer)
	for _, blocks := range []gjson.Result{gjson.GetBytes(body, "content"), gjson.Parse(content(t, encode(t, req, chat.Replay(answer))))} {
		wantJSON(t, blocks.Get("#.text"), "[\"No.\",\"[image/png that cannot be shown here]\",\"```python\\n1\\n```\",\"I said so.\"]")
		if blocks.Get("3.input.input").Str != custom.Text {
			t.Error(blocks.Raw)
		}
	}
}

func TestErrorsInsideAnAnswer(t *testing.T) {
	t.Parallel()
	const overload = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
	for _, stream := range []string{"event: error\ndata: " + overload + "\n\n", "data: " + overload + "\n\n"} {
		for _, light := range []bool{true, false} {
			_, err := chat.Collect(chat.Tidy(events([]byte(stream), light)))
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != fault.Unavailable {
				t.Error(err)
			}
		}
	}
	if _, err := (Codec{}).DecodeReply([]byte(overload)); fault.From(err).Code != fault.Unavailable {
		t.Error(err)
	}
	for _, body := range []string{"", "<html>", `{"a":1}`, `[]`, `"x"`} {
		if _, err := (Codec{}).DecodeReply([]byte(body)); fault.From(err).Code != fault.UpstreamError {
			t.Errorf("%q: %v", body, err)
		}
	}
	if _, err := collect([]byte("event: message_start\ndata: {\"type\":\n\n")); fault.From(err).Code != fault.UpstreamError {
		t.Error(err)
	}
}

func TestHard68LongArgumentsAreLinear(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString("data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}}\n\n")
	piece := func(s string) {
		b.WriteString("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"" + s + "\"}}\n\n")
	}
	piece(`{\"x\":\"`)
	for range 20000 {
		piece("0123456789012345678901234567890123456789012345678")
	}
	piece(`\"}`)
	b.WriteString("data: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
	r, err := collect(b.Bytes())
	if err != nil || len(r.Answers[0].Parts[0].Text) != 20000*49+8 {
		t.Error(err)
	}
}
