package openai

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// asking is a request of a client that sent just this body.
func asking(t *testing.T, body string) *chat.Request {
	t.Helper()
	req, _ := decode(t, []byte(body))
	return req
}

// whole encodes one answer and gives it back as JSON.
func wholeAnswer(t *testing.T, req *chat.Request, r *chat.WholeReply) gjson.Result {
	t.Helper()
	body, err := Codec{}.EncodeReply(req, r)
	if err != nil || !gjson.ValidBytes(body) {
		t.Fatalf("%v %s", err, body)
	}
	return gjson.ParseBytes(body)
}

// streamed encodes an answer as a stream and gives back its chunks.
func streamed(t *testing.T, req *chat.Request, stream chat.Stream) []gjson.Result {
	t.Helper()
	all := encode(t, req, stream)
	if !bytes.HasSuffix(all, []byte("data: [DONE]\n\n")) {
		t.Fatalf("no end: %s", all)
	}
	var chunks []gjson.Result
	for _, f := range frames(t, all) {
		if string(f.Data) == "[DONE]" {
			continue
		}
		if len(f.Event) > 0 || !gjson.ValidBytes(f.Data) || bytes.Count(f.Raw, []byte("\n")) != 2 {
			t.Fatalf("not a chunk: %q", f.Raw)
		}
		chunks = append(chunks, gjson.ParseBytes(f.Data))
	}
	return chunks
}

// joinedText joins what the chunks have at a place of their delta.
func joinedText(chunks []gjson.Result, place string) string {
	text := ""
	for _, c := range chunks {
		text += c.Get("choices.0.delta." + place).Str
	}
	return text
}

func said(stop chat.Reason, parts ...chat.Part) *chat.WholeReply {
	return &chat.WholeReply{ID: "msg_1", Answers: []chat.Answer{{Parts: parts, Stop: chat.Stop{Reason: stop}}}}
}

func text(s string) chat.Part { return chat.Part{Kind: chat.Text, Text: s} }

// TestHardCase216Chunks: what the official clients' parsers demand of a stream.
func TestHardCase216Chunks(t *testing.T) {
	t.Parallel()
	r := said(chat.ToolUse, text("a\u2028<b>"), chat.Part{Kind: chat.ToolCall, ID: "call_1", Name: "f", Text: `{"x":1}`},
		chat.Part{Kind: chat.ToolCall, ID: "call_2", Name: "g"})
	chunks := streamed(t, asking(t, talk(`"stream":true`)), chat.Replay(r))
	id := chunks[0].Get("id").Str
	if !strings.HasPrefix(id, "chatcmpl-") || id != answerID("msg_1") {
		t.Errorf("id %s", id)
	}
	finishes, calls := 0, 0
	for i, c := range chunks {
		if c.Get("error").Exists() || c.Get("usage").Exists() || c.Get("id").Str != id || c.Get("object").Str != "chat.completion.chunk" ||
			c.Get("model").Str != "m" || c.Get("choices.#").Int() != 1 || c.Get("choices.0.index").Raw != "0" {
			t.Errorf("chunk %d: %s", i, c.Raw)
		}
		if role := c.Get("choices.0.delta.role"); role.Exists() != (i == 0) {
			t.Errorf("chunk %d: role %s", i, role.Raw)
		}
		if reason := c.Get("choices.0.finish_reason"); reason.Str != "" {
			finishes++
			if i != len(chunks)-1 || reason.Str != "tool_calls" {
				t.Errorf("chunk %d: %s", i, reason.Raw)
			}
		}
		if call := c.Get("choices.0.delta.tool_calls.0"); call.Exists() {
			if !call.Get("index").Exists() || call.Get("id").Exists() != call.Get("type").Exists() {
				t.Errorf("chunk %d: %s", i, call.Raw)
			}
			if call.Get("id").Exists() {
				if call.Get("index").Int() != int64(calls) {
					t.Errorf("hard case 62: call %d has index %s", calls, call.Get("index").Raw)
				}
				calls++
			}
		}
	}
	if finishes != 1 || calls != 2 || joinedText(chunks, "content") != "a\u2028<b>" || joinedText(chunks, "tool_calls.0.function.arguments") != `{"x":1}{}` {
		t.Errorf("%d ends, %d calls, %q, %q", finishes, calls, joinedText(chunks, "content"), joinedText(chunks, "tool_calls.0.function.arguments"))
	}
}

func TestHardCase205UsageOnlyIfAsked(t *testing.T) {
	t.Parallel()
	r := said(chat.EndTurn, text("x"))
	r.Usage = chat.Usage{Input: 12, CacheRead: 18000, CacheWrite: 500, Output: 260, Reasoning: 640, Known: true}
	chunks := streamed(t, asking(t, talk(`"stream":true,"stream_options":{"include_usage":true}`)), chat.Replay(r))
	for i, c := range chunks {
		last := i == len(chunks)-1
		if usage := c.Get("usage"); !usage.Exists() || usage.IsObject() != last || last && c.Get("choices").Raw != "[]" {
			t.Errorf("chunk %d: %s", i, c.Raw)
		}
	}
	// Hard case 199 and 210: all that is inside is counted inside.
	for _, c := range []gjson.Result{chunks[len(chunks)-1], wholeAnswer(t, asking(t, talk("")), r)} {
		u := c.Get("usage")
		got := []int64{
			u.Get("prompt_tokens").Int(), u.Get("prompt_tokens_details.cached_tokens").Int(), u.Get("prompt_tokens_details.cache_write_tokens").Int(),
			u.Get("completion_tokens").Int(), u.Get("completion_tokens_details.reasoning_tokens").Int(), u.Get("total_tokens").Int(),
		}
		if diff := cmp.Diff([]int64{18512, 18000, 500, 900, 640, 19412}, got); diff != "" {
			t.Error(diff)
		}
		for _, always := range []string{
			"prompt_tokens_details.audio_tokens", "completion_tokens_details.audio_tokens",
			"completion_tokens_details.accepted_prediction_tokens", "completion_tokens_details.rejected_prediction_tokens",
		} {
			if !u.Get(always).Exists() {
				t.Errorf("%s is not there: %s", always, u.Raw)
			}
		}
	}
}

func TestFinishReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[chat.Reason]string{
		chat.EndTurn: "stop", chat.StopSequence: "stop", chat.MaxTokens: "length", chat.ToolUse: "tool_calls",
		chat.Refused: "content_filter", chat.Paused: "stop", chat.Failed: "stop", chat.Other: "stop",
	} {
		r := said(reason, text("x"))
		whole := wholeAnswer(t, asking(t, talk("")), r).Get("choices.0.finish_reason").Str
		chunks := streamed(t, asking(t, talk("")), chat.Replay(r))
		if last := chunks[len(chunks)-1].Get("choices.0.finish_reason").Str; whole != want || last != want {
			t.Errorf("%d: whole %s, streamed %s, want %s", reason, whole, last, want)
		}
	}
}

func TestHardCase249NothingUsableIsAnError(t *testing.T) {
	t.Parallel()
	r := said(chat.Failed)
	r.Answers[0].Stop.Raw = "MALFORMED_FUNCTION_CALL"
	_, err := Codec{}.EncodeReply(asking(t, talk("")), r)
	if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != fault.UpstreamError {
		t.Errorf("whole: %v", err)
	}
	x := Codec{}.NewEncoder(asking(t, talk("")))
	if _, err := x.Encode(nil, &chat.Event{Kind: chat.Finish, Stop: r.Answers[0].Stop}); err == nil {
		t.Error("streamed: no error")
	}
}

func TestHardCase236BlockedPrompt(t *testing.T) {
	t.Parallel()
	r := said(chat.Refused)
	r.Answers[0].Stop.Explanation = "Blocked."
	m := wholeAnswer(t, asking(t, talk("")), r).Get("choices.0")
	if m.Get("message.content").Type != gjson.Null || m.Get("message.refusal").Str != "Blocked." || m.Get("finish_reason").Str != "content_filter" {
		t.Error(m.Raw)
	}
	if got := joinedText(streamed(t, asking(t, talk("")), chat.Replay(r)), "refusal"); got != "Blocked." {
		t.Error(got)
	}
	r = said(chat.Refused, text("so far"))
	r.Answers[0].Stop.Explanation = "Blocked."
	if m := wholeAnswer(t, asking(t, talk("")), r); m.Get("choices.0.message.refusal").Type != gjson.Null || m.Get("choices.0.message.content").Str != "so far" {
		t.Error(m.Raw)
	}
}

func TestHardCase45CustomToolsComeBackAsText(t *testing.T) {
	t.Parallel()
	req := asking(t, talk(`"tools":[{"type":"custom","custom":{"name":"apply_patch"}}]`))
	r := said(chat.ToolUse, chat.Part{Kind: chat.ToolCall, ID: "call_1", Name: "apply_patch", Text: `{"input":"*** \"x\"\n"}`, Proof: "S"})
	events := []chat.Event{
		{Kind: chat.Start},
		{Kind: chat.Open, Part: chat.Part{Kind: chat.ToolCall, ID: "call_1", Name: "apply_patch"}},
		{Kind: chat.Delta, Part: chat.Part{Kind: chat.ToolCall, Text: `{"input":"*** \"x`}},
		{Kind: chat.Delta, Part: chat.Part{Kind: chat.ToolCall, Text: `\"\n"}`, Proof: "S"}},
		{Kind: chat.Close}, {Kind: chat.Finish, Stop: chat.Stop{Reason: chat.ToolUse}},
	}
	chunks := streamed(t, req, func(yield func(chat.Chunk, error) bool) { yield(chat.Chunk{Events: events}, nil) })
	for _, call := range []gjson.Result{wholeAnswer(t, req, r).Get("choices.0.message.tool_calls.0"), chunks[1].Get("choices.0.delta.tool_calls.0")} {
		if call.Get("type").Str != "custom" || call.Get("custom.input").Str != "*** \"x\"\n" || call.Get("function").Exists() ||
			call.Get("extra_content.google.thought_signature").Str != "S" {
			t.Error(call.Raw)
		}
	}
	if len(chunks) != 3 {
		t.Errorf("%d chunks", len(chunks))
	}
}

func TestHardCase47FunctionsAreAnsweredInTheirOwnWords(t *testing.T) {
	t.Parallel()
	req := asking(t, talk(`"functions":[{"name":"f"}]`))
	r := said(chat.ToolUse, chat.Part{Kind: chat.ToolCall, ID: "c", Name: "f", Text: `{"a":1}`}, chat.Part{Kind: chat.ToolCall, ID: "d", Name: "f", Text: `{}`})
	choice := wholeAnswer(t, req, r).Get("choices.0")
	if choice.Get("finish_reason").Str != "function_call" || choice.Get("message.function_call").Raw != `{"name":"f","arguments":"{\"a\":1}"}` || choice.Get("message.tool_calls").Exists() {
		t.Error(choice.Raw)
	}
	chunks := streamed(t, req, chat.Replay(r))
	if joinedText(chunks, "function_call.name") != "f" || joinedText(chunks, "function_call.arguments") != `{"a":1}` {
		t.Error(chunks)
	}
}

func TestHardCase101And111ThoughtsAndTheirCarriers(t *testing.T) {
	t.Parallel()
	thought := chat.Part{Kind: chat.Thought, Text: "hmm", Proof: "S1"}
	silent := chat.Part{Kind: chat.Thought, Proof: "S2"}
	redacted := chat.Part{Kind: chat.Redacted, Text: "R"}
	r := said(chat.EndTurn, thought, redacted, silent, text("x"))
	for name, row := range map[string]struct {
		body string
		want []chat.Part
	}{
		"asked for":      {talk(`"reasoning_effort":"high"`), []chat.Part{thought, redacted, silent, text("x")}},
		"not asked for":  {talk(""), []chat.Part{redacted, silent, text("x")}},
		"asked not to":   {talk(`"reasoning":{"effort":"high","exclude":true}`), []chat.Part{redacted, silent, text("x")}},
		"no thinking":    {talk(`"reasoning_effort":"none"`), []chat.Part{redacted, silent, text("x")}},
		"asked for true": {talk(`"thinking":true`), []chat.Part{thought, redacted, silent, text("x")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := asking(t, row.body)
			body := wholeAnswer(t, req, r)
			message := body.Get("choices.0.message")
			// The client sends the message back as it is.
			_, c := decode(t, []byte(saying(message.Raw)))
			if diff := cmp.Diff(row.want, c.Messages[0].Parts, meaning); diff != "" {
				t.Errorf("whole: %s", diff)
			}
			frames := encode(t, req, chat.Replay(r))
			if bytes.Contains(frames, []byte(`"reasoning_content":""`)) {
				t.Error("an empty piece of reasoning")
			}
			got, err := collect(frames)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got.Answers[0].Parts, meaning); diff != "" {
				t.Errorf("streamed: %s", diff)
			}
		})
	}
}

func TestHardCase124ThoughtsAndTextsAreJoined(t *testing.T) {
	t.Parallel()
	thought := func(s string) chat.Part { return chat.Part{Kind: chat.Thought, Text: s} }
	r := said(chat.EndTurn, thought("a"), text("1"), thought("b"), text("2"))
	req := asking(t, talk(`"reasoning_effort":"low"`))
	m := wholeAnswer(t, req, r).Get("choices.0.message")
	chunks := streamed(t, req, chat.Replay(r))
	if m.Get("content").Str != "12" || m.Get("reasoning_content").Str != "ab" || joinedText(chunks, "content") != "12" || joinedText(chunks, "reasoning_content") != "ab" {
		t.Error(m.Raw, chunks)
	}
}

func TestHardCase195And197Citations(t *testing.T) {
	t.Parallel()
	r := said(chat.EndTurn,
		chat.Part{Kind: chat.Text, Text: "été. ", Citations: []chat.Citation{{URL: "https://a", Title: "A"}}},
		chat.Part{Kind: chat.Text, Text: "Rain.", Citations: []chat.Citation{{URL: "https://b", Start: 6, End: 8}, {Quote: "no address"}}})
	want := `[{"type":"url_citation","url_citation":{"start_index":0,"end_index":5,"title":"A","url":"https://a"}},` +
		`{"type":"url_citation","url_citation":{"start_index":6,"end_index":8,"title":"","url":"https://b"}}]`
	if got := wholeAnswer(t, asking(t, talk("")), r).Get("choices.0.message.annotations").Raw; got != want {
		t.Error(got)
	}
	chunks := streamed(t, asking(t, talk("")), chat.Replay(r))
	if got := chunks[len(chunks)-2].Get("choices.0.delta.annotations").Raw; got != want || joinedText(chunks, "content") != "été. Rain." {
		t.Error(got)
	}
}

func TestHardCase66And54PiecesOfArgumentsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	pieces := []string{`{"a":"\u00`, `e9 \ud83d`, `\ude00`, ` tru`}
	events := []chat.Event{{Kind: chat.Start}, {Kind: chat.Open, Part: chat.Part{Kind: chat.ToolCall, ID: "c", Name: "f"}}}
	for _, p := range pieces {
		events = append(events, chat.Event{Kind: chat.Delta, Part: chat.Part{Kind: chat.ToolCall, Text: p}})
	}
	events = append(events, chat.Event{Kind: chat.Close}, chat.Event{Kind: chat.Finish, Stop: chat.Stop{Reason: chat.MaxTokens}})
	chunks := streamed(t, asking(t, talk("")), func(yield func(chat.Chunk, error) bool) { yield(chat.Chunk{Events: events}, nil) })
	if got := joinedText(chunks, "tool_calls.0.function.arguments"); got != strings.Join(pieces, "") || chunks[len(chunks)-1].Get("choices.0.finish_reason").Str != "length" {
		t.Error(got)
	}
}

func TestSeveralAnswers(t *testing.T) {
	t.Parallel()
	r := said(chat.EndTurn, text("a"))
	r.Answers = append(r.Answers, chat.Answer{Parts: []chat.Part{text("b")}, Stop: chat.Stop{Reason: chat.MaxTokens}, Logprobs: []byte(`{"content":[]}`)})
	got := wholeAnswer(t, asking(t, talk(`"n":2`)), r).Get("choices")
	if got.Get("1.index").Int() != 1 || got.Get("1.message.content").Str != "b" || got.Get("1.finish_reason").Str != "length" || got.Get("1.logprobs.content").Raw != "[]" {
		t.Error(got.Raw)
	}
	if got.Get("0.message.tool_calls").Exists() || !got.Get("0.message.refusal").Exists() {
		t.Error(got.Raw)
	}
}

func TestErrorsInTheStream(t *testing.T) {
	t.Parallel()
	x := Codec{}.NewEncoder(asking(t, talk("")))
	got := string(x.Fail(nil, fault.New(fault.UpstreamError, "Cut."), "req_1"))
	if got != `data: {"error":{"message":"Cut.","type":"server_error","param":null,"code":"upstream_error"}}`+"\n\n" {
		t.Error(got)
	}
	if got := string(x.KeepAlive(nil)); got != ": keep-alive\n\n" {
		t.Error(got)
	}
}

// TestHardCase101ThoughtsSurviveClients: however a client puts together what it
// does not know, the thoughts it sends back are those that were signed; or, where it lost
// some of several, none that are.
func TestHardCase101ThoughtsSurviveClients(t *testing.T) {
	t.Parallel()
	sealed := func(raw string) string { return chat.Envelope{Dialect: "anthropic", Raw: raw}.Wrap() }
	thought := func(words, proof string) chat.Part { return chat.Part{Kind: chat.Thought, Text: words, Proof: proof} }
	for _, want := range [][]chat.Part{
		{thought("one two three", sealed("S1"))},
		{thought("one two", sealed("S1")), {Kind: chat.Redacted, Text: sealed("R")}, thought("three four", sealed("S2"))},
		{thought("", sealed("S1"))},
		{thought("a b", ""), thought("c d", sealed("S2"))},
	} {
		events := []chat.Event{{Kind: chat.Start}}
		for i, p := range want {
			events = append(events, chat.Event{Kind: chat.Open, Block: i, Part: chat.Part{Kind: p.Kind}})
			for _, word := range strings.SplitAfter(p.Text, " ") {
				events = append(events, chat.Event{Kind: chat.Delta, Block: i, Part: chat.Part{Kind: p.Kind, Text: word}})
			}
			events = append(events, chat.Event{Kind: chat.Delta, Block: i, Part: chat.Part{Kind: p.Kind, Proof: p.Proof}}, chat.Event{Kind: chat.Close, Block: i})
		}
		events = append(events, chat.Event{Kind: chat.Finish, Stop: chat.Stop{Reason: chat.EndTurn}})
		chunks := streamed(t, asking(t, talk(`"reasoning_effort":"high"`)), func(yield func(chat.Chunk, error) bool) { yield(chat.Chunk{Events: events}, nil) })
		last, all, words := "[]", []string{}, ""
		for _, c := range chunks {
			if details := c.Get("choices.0.delta.reasoning_details"); details.Exists() {
				last = details.Raw
				for _, item := range details.Array() {
					all = append(all, item.Raw)
				}
			}
			if piece := c.Get("choices.0.delta.reasoning_content"); piece.Exists() {
				words = piece.Raw
			}
		}
		if words == "" {
			words = "null"
		}
		joined := dialect.AppendText(nil, joinedText(chunks, "reasoning_content"))
		for name, message := range map[string]string{
			"keeps the last":   `"reasoning_content":` + words + `,"reasoning_details":` + last,
			"collects all":     `"reasoning_content":` + string(joined) + `,"reasoning_details":[` + strings.Join(all, ",") + `]`,
			"only the details": `"reasoning_details":[` + strings.Join(all, ",") + `]`,
		} {
			_, c := decode(t, []byte(saying(`{"role":"assistant","content":null,`+message+`}`)))
			if name == "keeps the last" && len(want) > 1 {
				for _, p := range c.Messages[0].Parts {
					if p.Proof != "" || p.Kind != chat.Thought {
						t.Errorf("a client that lost some of its thoughts has one that is signed: %s", message)
					}
				}
			} else if diff := cmp.Diff(want, c.Messages[0].Parts, meaning); diff != "" {
				t.Errorf("a client that %s: %s\n%s", name, diff, message)
			}
		}
	}
}
