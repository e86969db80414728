package anthropic

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

func thought(text, proof string) chat.Part {
	return chat.Part{Kind: chat.Thought, Text: text, Proof: proof}
}

// loop is a conversation in the middle of a loop of tool calls.
func loop(first ...chat.Part) *chat.Conversation {
	c := conversation(said("Go."), reply(append(first, calling("a", "f", "{}"))...), told(result("a", txt("1"))))
	c.Thinking = &chat.Thinking{Effort: "medium"}
	return c
}

func TestHard101OwnThoughtsComeBackFirstAndUntouched(t *testing.T) {
	t.Parallel()
	root, call := send(t, loop(thought("Hm <&> \u2028.", "sig-own")), plainModel)
	block := root.Get("messages.1.content.0")
	if block.Get("type").Str != "thinking" || block.Get("thinking").Str != "Hm <&> \u2028." || block.Get("signature").Str != "sig-own" {
		t.Error(block.Raw)
	}
	if root.Get("thinking.type").Str != "enabled" || lost(call.Losses, "thinking", chat.Dropped) {
		t.Error(root.Raw, call.Losses)
	}
}

func TestHard105ForeignThoughtsAreLeftOutAndThinkingIsOff(t *testing.T) {
	t.Parallel()
	c := loop(thought("Hm.", chat.Envelope{Dialect: "gemini", Raw: "g"}.Wrap()), chat.Part{Kind: chat.Redacted, Text: "theirs"}, thought("Unsigned.", ""))
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("messages.1.content.#.type"), `["tool_use"]`)
	wantJSON(t, root.Get("thinking"), `{"type":"disabled"}`)
	wantLost(t, call, "messages[1].content[0]", chat.Dropped)
	wantLost(t, call, "thinking", chat.Dropped)
	if root, _ = send(t, c, "claude-opus-4-8"); root.Get("thinking.type").Str != "adaptive" {
		t.Error("adaptive models bear it:", root.Raw)
	}
}

func TestHard103And107SignaturesComeBackToTheSameCall(t *testing.T) {
	t.Parallel()
	proof := chat.Envelope{Dialect: "gemini", Provider: "google", Model: "gemini-3", Raw: "c2ln"}.Wrap()
	signed := calling("call_1", "f", `{"x":1}`)
	signed.Proof = proof
	text := txt("Done.")
	text.Proof = chat.Envelope{Dialect: "gemini", Raw: "dHh0"}.Wrap()
	want := &chat.WholeReply{ID: "msg_1", Model: "m", Answers: []chat.Answer{{
		Parts: []chat.Part{thought("They want x.", ""), signed, calling("call_2", "f", `{}`), text}, Stop: chat.Stop{Reason: chat.ToolUse},
	}}}
	req := asker(t, "m")
	body, err := Codec{}.EncodeReply(req, want)
	if err != nil {
		t.Fatal(err)
	}
	stream := encode(t, req, chat.Replay(want))
	for name, content := range map[string]string{"whole": gjson.GetBytes(body, "content").Raw, "streamed": content(t, stream)} {
		blocks := gjson.Parse(content)
		if got := blocks.Get("#.type").Raw; got != `["thinking","thinking","tool_use","tool_use","thinking","text"]` {
			t.Errorf("%s: %s", name, got)
		}
		if blocks.Get("1.thinking").Str != "" || blocks.Get("1.signature").Str != proof {
			t.Errorf("%s: %s", name, blocks.Raw)
		}
		_, back := talk(t, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":`+content+`}]}`)
		if diff := cmp.Diff(want.Answers[0].Parts, back.Messages[1].Parts, meaning); diff != "" {
			t.Errorf("%s: after the round trip:\n%s", name, diff)
		}
	}
}

// content is the content that a client of a stream ends up with.
func content(tb testing.TB, stream []byte) string {
	tb.Helper()
	var blocks []json.RawMessage
	deltas := map[string]string{"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
	for chunk, err := range events(stream, true) {
		if err != nil {
			tb.Fatal(err)
		}
		_, data, _ := bytes.Cut(chunk.Raw, []byte("data: "))
		root := gjson.ParseBytes(data)
		switch root.Get("type").Str {
		case "content_block_start":
			if root.Get("index").Int() != int64(len(blocks)) {
				tb.Fatalf("block out of order: %s", data)
			}
			blocks = append(blocks, json.RawMessage(root.Get("content_block").Raw))
		case "content_block_delta":
			last := len(blocks) - 1
			if root.Get("index").Int() != int64(last) {
				tb.Fatalf("piece of a block that is not open: %s", data)
			}
			m := make(map[string]any)
			if err := json.Unmarshal(blocks[last], &m); err != nil {
				tb.Fatal(err)
			}
			delta := root.Get("delta")
			if key := deltas[delta.Get("type").Str]; key != "" {
				m[key] = m[key].(string) + delta.Get(key).Str
			} else {
				m["partial"], _ = m["partial"].(string)
				m["partial"] = m["partial"].(string) + delta.Get("partial_json").Str
			}
			blocks[last] = marshal(tb, m)
		}
	}
	for i, b := range blocks {
		if partial := gjson.GetBytes(b, "partial"); partial.Exists() {
			m := make(map[string]any)
			_ = json.Unmarshal(b, &m)
			delete(m, "partial")
			m["input"] = json.RawMessage(partial.Str)
			blocks[i] = marshal(tb, m)
		}
	}
	return string(marshal(tb, blocks))
}

func marshal(tb testing.TB, v any) []byte {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestHard109ASignatureThatComesLateIsNoEmptyThought(t *testing.T) {
	t.Parallel()
	proof := chat.Envelope{Dialect: "gemini", Raw: "bGF0ZQ=="}.Wrap()
	for _, calls := range []bool{false, true} {
		for _, turn := range []string{"", "turn"} {
			loose := func(yield func(chat.Chunk, error) bool) {
				events := []chat.Event{
					{Kind: chat.Start, Turn: turn},
					{Kind: chat.Delta, Part: txt("Hel")}, {Kind: chat.Delta, Part: txt("lo")},
					{Kind: chat.Delta, Part: chat.Part{Kind: chat.Text, Proof: proof}},
				}
				if calls { // then it goes before the call, unless the turn has a name
					events = append(events, chat.Event{Kind: chat.Delta, Block: 1, Part: chat.Part{Kind: chat.ToolCall, ID: "c", Name: "f", Text: "{}"}})
				}
				yield(chat.Chunk{Events: append(events, chat.Event{Kind: chat.Finish, Stop: chat.Stop{Reason: chat.EndTurn}})}, nil)
			}
			stream := encode(t, asker(t, "m"), chat.Tidy(loose))
			if n := bytes.Count(stream, []byte("signature_delta")); (n == 1) != (calls || turn != "") || n > 1 {
				t.Errorf("calls %v, turn %q: %d signatures", calls, turn, n)
			}
			if turn == "" {
				continue
			}
			_, back := talk(t, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":`+content(t, stream)+`}]}`)
			if first := back.Messages[1].Parts[0]; first.Kind != chat.Thought || first.ID != turn || first.Proof != "" {
				t.Errorf("%+v", first)
			}
		}
	}
}

func TestThoughtsAreShownToThoseWhoAsked(t *testing.T) {
	t.Parallel()
	answer := &chat.WholeReply{Answers: []chat.Answer{{Parts: []chat.Part{thought("Secret.", "own-sig"), thought("Unsigned.", ""), txt("Hi.")}}}}
	for body, want := range map[string]string{
		`{"model":"m","max_tokens":9,"messages":[]}`:                                                                        `["","Hi."]`,
		`{"model":"m","max_tokens":9,"thinking":{"type":"adaptive","display":"omitted"},"messages":[]}`:                     `["","Hi."]`,
		`{"model":"m","max_tokens":9,"thinking":{"type":"adaptive"},"messages":[]}`:                                         `["Secret.","Unsigned.","Hi."]`,
		`{"model":"claude-opus-5","max_tokens":9,"thinking":{"type":"adaptive"},"messages":[]}`:                             `["","Hi."]`,
		`{"model":"claude-opus-5","max_tokens":9,"thinking":{"type":"adaptive","display":"summarized"},"messages":[]}`:      `["Secret.","Unsigned.","Hi."]`,
		`{"model":"m","max_tokens":9,"thinking":true,"messages":[]}`:                                                        `["Secret.","Unsigned.","Hi."]`,
		`{"model":"m","max_tokens":9,"extra_body":{"thinking":{"type":"enabled","budget_tokens":2000}},"messages":[]}`:      `["Secret.","Unsigned.","Hi."]`,
		`{"model":"m","max_tokens":9,"options":{"thinking":true},"thinking":{"type":"disabled"},"messages":[]}`:             `["","Hi."]`,
		`{"model":"m","max_tokens":9,"reasoning":{"effort":"high","exclude":true},"messages":[]}`:                           `["","Hi."]`,
		`{"model":"m","max_tokens":9,"output_config":{"effort":"high"},"messages":[]}`:                                      `["","Hi."]`,
		`{"model":"m","max_tokens":9,"thinking":{"type":"enabled","budget_tokens":1024,"display":"omitted"},"messages":[]}`: `["","Hi."]`,
	} {
		req, _ := talk(t, body)
		whole, err := Codec{}.EncodeReply(req, answer)
		if err != nil {
			t.Fatal(err)
		}
		for _, blocks := range []string{gjson.GetBytes(whole, "content").Raw, content(t, encode(t, req, chat.Replay(answer)))} {
			var texts []string
			for _, b := range gjson.Parse(blocks).Array() {
				texts = append(texts, b.Get("thinking").Str+b.Get("text").Str)
			}
			if got := marshal(t, texts); string(got) != want {
				t.Errorf("%s: got %s, want %s", body, got, want)
			}
		}
	}
}

func TestHard114To126HowMuchToThink(t *testing.T) {
	t.Parallel()
	whole := func(n int64) *int64 { return &n }
	yes, no := true, false
	for name, row := range map[string]struct {
		thinking chat.Thinking
		limit    *int64
		model    string
		want     string // thinking
		effort   string
		max      int64
		lost     string
	}{
		"114 minimal, adaptive":   {chat.Thinking{Effort: "minimal"}, whole(1000), "claude-opus-4-7", `{"type":"adaptive"}`, "low", 1000, "thinking"},
		"114 minimal, budget":     {chat.Thinking{Effort: "minimal"}, whole(1000), plainModel, `{"type":"enabled","budget_tokens":1024}`, "", 2024, "max_tokens"},
		"126 a budget, budget":    {chat.Thinking{Effort: "high", Budget: whole(2000)}, nil, plainModel, `{"type":"enabled","budget_tokens":2000}`, "", 64000, ""},
		"126 a budget, adaptive":  {chat.Thinking{Effort: "high", Budget: whole(2000)}, nil, "claude-opus-4-7", `{"type":"adaptive"}`, "high", 128000, "thinking"},
		"a budget, both":          {chat.Thinking{Budget: whole(2000)}, nil, "claude-sonnet-4-6", `{"type":"enabled","budget_tokens":2000}`, "", 128000, ""},
		"119 true, budget":        {chat.Thinking{}, nil, plainModel, `{"type":"enabled","budget_tokens":8192}`, "", 64000, ""},
		"119 true, adaptive":      {chat.Thinking{}, nil, "claude-opus-5", `{"type":"adaptive"}`, "", 128000, ""},
		"119 false":               {chat.Thinking{Effort: "none"}, nil, "claude-opus-5", `{"type":"disabled"}`, "", 128000, ""},
		"none, between tools":     {chat.Thinking{Effort: "none"}, nil, "claude-haiku-5-5", `{"type":"between_tools"}`, "", 128000, "thinking"},
		"none, never":             {chat.Thinking{Effort: "none"}, nil, "claude-opus-5-5", "", "low", 128000, "thinking"},
		"xhigh, nearest":          {chat.Thinking{Effort: "xhigh"}, nil, "claude-sonnet-4-6", `{"type":"adaptive"}`, "high", 128000, "thinking"},
		"max, budget":             {chat.Thinking{Effort: "max"}, nil, plainModel, `{"type":"enabled","budget_tokens":48000}`, "", 64000, "thinking"},
		"shown where it is not":   {chat.Thinking{Effort: "low", Show: &yes}, nil, "claude-opus-5", `{"type":"adaptive","display":"summarized"}`, "low", 128000, ""},
		"hidden where it is not":  {chat.Thinking{Effort: "low", Show: &no}, nil, "claude-sonnet-4-6", `{"type":"adaptive","display":"omitted"}`, "low", 128000, ""},
		"no thinking at all":      {chat.Thinking{Effort: "low"}, nil, "claude-3-5-haiku", "", "", 8192, "thinking"},
		"a budget over the limit": {chat.Thinking{Budget: whole(90000)}, whole(70000), plainModel, `{"type":"enabled","budget_tokens":48000}`, "", 64000, "thinking"},
		"dynamic":                 {chat.Thinking{Budget: whole(-1)}, nil, "claude-opus-5", `{"type":"adaptive"}`, "", 128000, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := conversation(said("Go."))
			c.Thinking, c.Sampling.MaxTokens = &row.thinking, row.limit
			root, call := send(t, c, row.model)
			wantJSON(t, root.Get("thinking"), row.want)
			if root.Get("output_config.effort").Str != row.effort || root.Get("max_tokens").Int() != row.max {
				t.Error(root.Raw)
			}
			if row.lost != "" && !lost(call.Losses, row.lost, chat.Approximated) && !lost(call.Losses, row.lost, chat.Dropped) {
				t.Errorf("%s is not reported: %+v", row.lost, call.Losses)
			}
			if row.lost == "" && len(call.Losses) > 0 {
				t.Error(call.Losses)
			}
		})
	}
}

func TestHard121UnknownEffortsAreRefused(t *testing.T) {
	t.Parallel()
	req, err := Codec{}.DecodeRequest(incoming(`{"model":"m","messages":[],"output_config":{"effort":"ULTRA"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = req.Conversation(); err == nil {
		t.Error("accepted")
	}
	_, c := talk(t, `{"model":"m","messages":[],"output_config":{"effort":"HIGH"}}`)
	if c.Thinking.Effort != "high" {
		t.Error(c.Thinking)
	}
}
