package openai

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// send writes a conversation for a model of the author's own.
func send(t *testing.T, c *chat.Conversation, model string) (gjson.Result, dialect.Outgoing) {
	t.Helper()
	return sendTo(t, c, dialect.Upstream{Model: model})
}

func sendTo(t *testing.T, c *chat.Conversation, target dialect.Upstream) (gjson.Result, dialect.Outgoing) {
	t.Helper()
	if len(c.Messages) == 0 && len(c.System) == 0 {
		c.Messages = []chat.Message{user(text("hi"))}
	}
	call, err := Codec{}.EncodeRequest(c, target)
	if err != nil {
		t.Fatal(err)
	}
	if err := dialect.CheckBody(call.Body); err != nil {
		t.Fatalf("%v\n%s", err, call.Body)
	}
	return gjson.ParseBytes(call.Body), call
}

// refused is the error of a conversation that must not be sent.
func refusedBy(t *testing.T, c *chat.Conversation, target dialect.Upstream) *fault.Error {
	t.Helper()
	if len(c.Messages) == 0 {
		c.Messages = []chat.Message{user(text("hi"))}
	}
	_, err := Codec{}.EncodeRequest(c, target)
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.InvalidParameter {
		t.Fatalf("not refused: %v", err)
	}
	return e
}

func user(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.User, Parts: parts} }

func model(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.Assistant, Parts: parts} }

func called(id, name, arguments string) chat.Part {
	return chat.Part{Kind: chat.ToolCall, ID: id, Name: name, Text: arguments}
}

func answered(id string, content ...chat.Part) chat.Part {
	return chat.Part{Kind: chat.ToolResult, ID: id, Content: content}
}

func picture() chat.Part {
	return chat.Part{Kind: chat.Image, Media: &chat.Media{Type: "image/png", Base64: "iVBORw0KGgo="}}
}

// roles is the list of messages in short.
func roles(body gjson.Result) (list []string) {
	body.Get("messages").ForEach(func(_, m gjson.Result) bool {
		content := m.Get("content")
		line := m.Get("role").Str + ":" + content.String()
		if content.IsArray() {
			var kinds []string
			content.ForEach(func(_, p gjson.Result) bool {
				kinds = append(kinds, p.Get("type").Str+"="+p.Get("text").Str)
				return true
			})
			line = m.Get("role").Str + ":" + strings.Join(kinds, ",")
		}
		if n := m.Get("tool_calls.#").Int(); n > 0 {
			line += fmt.Sprintf("+%d", n)
		}
		list = append(list, line)
		return true
	})
	return list
}

// lost is the losses in short.
func lost(call dialect.Outgoing) (list []string) {
	for _, l := range call.Losses {
		list = append(list, Codec{}.Path(l)+" "+string(l.Verb))
	}
	return list
}

func TestMessagesAreWhatTheAPITakes(t *testing.T) {
	t.Parallel()
	failed := answered("a", text("boom"))
	failed.Failed = true
	for name, row := range map[string]struct {
		messages []chat.Message
		want     []string
		lost     []string
	}{
		"hard case 1: results before the text": {
			[]chat.Message{user(text("q")), model(called("a", "f", "{}"), called("b", "g", "{}")), user(answered("a", text("1"))), user(answered("b", text("2"))), user(text("next"))},
			[]string{"user:q", "assistant:+2", "tool:1", "tool:2", "user:next"}, nil,
		},
		"hard case 12: pictures after the last result": {
			[]chat.Message{model(called("a", "f", "{}"), called("b", "g", "{}")), user(answered("a", text("see"), picture()), answered("b", text("2")))},
			[]string{"assistant:+2", "tool:see\n(image attached below)", "tool:2", "user:image_url="},
			[]string{"messages[0].content[0] approximated"},
		},
		"hard case 16: an error": {
			[]chat.Message{model(called("a", "f", "{}")), user(failed)},
			[]string{"assistant:+1", "tool:Error: boom"}, nil,
		},
		"hard case 21: nothing": {
			[]chat.Message{model(called("a", "f", "{}")), user(answered("a"))},
			[]string{"assistant:+1", "tool:"}, nil,
		},
		"hard case 32: a result without its call": {
			[]chat.Message{user(answered("z", text("1"))), model(text("ok")), user(text("go"))},
			[]string{"user:[Result of z] 1", "assistant:ok", "user:go"},
			[]string{"messages[0].content[0] approximated"},
		},
		"a call without its result": {
			[]chat.Message{model(called("a", "f", "{}"), called("b", "g", "{}")), user(answered("b", text("2"))), user(text("go"))},
			[]string{"assistant:+2", "tool:2", "tool:[no result]", "user:go"},
			[]string{"messages added"},
		},
		"hard case 97: text, result, text": {
			[]chat.Message{model(called("a", "f", "{}")), user(text("x"), answered("a", text("1")), text("y"))},
			[]string{"assistant:+1", "tool:1", "user:text=x,text=y"}, nil,
		},
		"hard case 72: two turns of one speaker": {
			[]chat.Message{user(text("a")), user(text("b"))},
			[]string{"user:a", "user:b"}, nil,
		},
		"hard case 50: what another's server did": {
			[]chat.Message{user(text("q")), model(chat.Part{Kind: chat.Opaque, Name: "server_tool_use", Text: "searched x", Raw: []byte(`{}`)}, text("found")), user(text("go"))},
			[]string{"user:q", "assistant:text=searched x,text=found", "user:go"},
			[]string{"messages[0].content[0] approximated"},
		},
		"hard case 87: an answer begun": {
			[]chat.Message{user(text("q")), model(text("{"))},
			[]string{"user:q", "assistant:{", "user:Continue your last message exactly where it ends. Do not repeat any of it and do not comment on it."},
			[]string{"messages[0] approximated"},
		},
		"hard case 112: thoughts of another model": {
			[]chat.Message{user(text("q")), model(chat.Part{Kind: chat.Thought, Text: "hmm"}, text("a")), user(text("go"))},
			[]string{"user:q", "assistant:a", "user:go"},
			[]string{"messages[0].content[0] dropped"},
		},
		"hard case 177: a document in words": {
			[]chat.Message{user(chat.Part{Kind: chat.Document, Name: "T", Media: &chat.Media{Plain: "body", Note: "ctx", Cite: true}})},
			[]string{"user:<document title=\"T\">\nctx\nbody\n</document>"},
			[]string{"messages[0].content[0] dropped", "messages[0].content[0] approximated"},
		},
		"system in the middle": {
			[]chat.Message{user(text("q")), {Role: chat.System, Parts: []chat.Part{text("now")}}, user(text("go"))},
			[]string{"user:q", "system:now", "user:go"}, nil,
		},
		"words after a call": {
			[]chat.Message{model(text("x"), called("a", "f", "{}"), text("y")), user(answered("a", text("1")))},
			[]string{"assistant:text=x,text=y+1", "tool:1"},
			[]string{"messages[0].content[0] approximated"},
		},
		"two turns with calls between": {
			[]chat.Message{model(called("a", "f", "{}")), model(called("b", "f", "{}")), user(answered("a", text("1")), answered("b", text("2")))},
			[]string{"assistant:+2", "tool:1", "tool:2"},
			[]string{"messages[0] approximated"},
		},
		"nothing said": {
			[]chat.Message{user(), model(), user(text("x"))},
			[]string{"user:", "user:x"}, []string{"messages[0] dropped"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, call := send(t, &chat.Conversation{Messages: row.messages}, "gpt-4o")
			if diff := cmp.Diff(row.want, roles(body)); diff != "" {
				t.Errorf("%s\n%s", diff, body.Raw)
			}
			if diff := cmp.Diff(row.lost, lost(call)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHardCase8LongIDsFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("toolu_x", 9)
	odd := "functions.search:0"
	body, _ := send(t, &chat.Conversation{Messages: []chat.Message{
		model(called(long, "f", ""), called(odd, "f", "null")), user(answered(long, text("1")), answered(odd, text("2"))),
	}}, "gpt-4o")
	for i := range 2 {
		id := body.Get(fmt.Sprintf("messages.0.tool_calls.%d.id", i)).Str
		if len(id) > 40 || id != body.Get(fmt.Sprintf("messages.%d.tool_call_id", i+1)).Str {
			t.Error(body.Raw)
		}
		// Hard case 22 and 31: arguments are never empty.
		if got := body.Get(fmt.Sprintf("messages.0.tool_calls.%d.function.arguments", i)).Str; got != "{}" {
			t.Errorf("arguments %q", got)
		}
	}
	if body.Get("messages.0.content").Raw != "null" {
		t.Error("content beside calls must be null")
	}
}

func TestHardCase33NamesComeBack(t *testing.T) {
	t.Parallel()
	const odd = "mcp.server:read-file"
	body, call := send(t, &chat.Conversation{
		Tools:    []chat.Tool{{Name: odd}},
		Choice:   chat.Choice{Mode: chat.Named, Name: odd},
		Messages: []chat.Message{model(called("a", odd, "{}")), user(answered("a"))},
	}, "gpt-4o")
	sent := body.Get("tools.0.function.name").Str
	if !isLegalName(sent) || call.Names[sent] != odd || body.Get("tool_choice.function.name").Str != sent || body.Get("messages.0.tool_calls.0.function.name").Str != sent {
		t.Error(body.Raw, call.Names)
	}
}

func TestHardCase43AndOtherChoices(t *testing.T) {
	t.Parallel()
	tools := []chat.Tool{{Name: "a"}, {Name: "b", Kind: chat.Custom}}
	for want, choice := range map[string]chat.Choice{
		`"required"/false`: {Mode: chat.Required, Serial: true},
		`"auto"/`:          {Mode: chat.Auto},
		`"none"/`:          {Mode: chat.None},
		`/`:                {},
		`{"type":"function","function":{"name":"a"}}/`: {Mode: chat.Named, Name: "a"},
		`{"type":"custom","custom":{"name":"b"}}/`:     {Mode: chat.Named, Name: "b"},
		`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"a"}}]}}/`: {Mode: chat.Allowed, Names: []string{"a"}, Forced: true},
		`{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"custom","custom":{"name":"b"}}]}}/`:         {Mode: chat.Validated, Names: []string{"b"}},
	} {
		body, _ := send(t, &chat.Conversation{Tools: tools, Choice: choice}, "gpt-4o")
		if got := body.Get("tool_choice").Raw + "/" + body.Get("parallel_tool_calls").Raw; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	// Hard case 27: without tools there is nothing to choose.
	body, _ := send(t, &chat.Conversation{Choice: chat.Choice{Mode: chat.Auto, Serial: true}}, "gpt-4o")
	if body.Get("tools").Exists() || body.Get("tool_choice").Exists() || body.Get("parallel_tool_calls").Exists() {
		t.Error(body.Raw)
	}
}

func TestHardCases122And123ToolsOrThinking(t *testing.T) {
	t.Parallel()
	high := &chat.Thinking{Effort: "high"}
	tools := []chat.Tool{{Name: "f"}}
	for _, row := range []struct {
		model    string
		thinking *chat.Thinking
		tools    []chat.Tool
		effort   string
		lost     []string
	}{
		{"gpt-5.6", high, tools, "none", []string{"reasoning_effort dropped"}},
		{"gpt-5.6-mini", nil, tools, "none", []string{"reasoning_effort added"}},
		{"gpt-5.7", &chat.Thinking{Effort: "none"}, tools, "none", nil},
		{"gpt-5.6", high, nil, "high", nil},
		{"gpt-6-sol", high, tools, "none", []string{"reasoning_effort dropped"}},
		{"gpt-6.1-terra", &chat.Thinking{Effort: "max"}, nil, "max", nil},
		// These cannot be told not to think, and refuse tools on this API in their own words.
		{"gpt-6.1-sol", high, tools, "", []string{"reasoning_effort dropped"}},
		{"gpt-6-astra", nil, tools, "", nil},
		{"gpt-6.1-sol", &chat.Thinking{Effort: "none"}, nil, "low", []string{"reasoning_effort approximated"}},
		{"gpt-6.1-sol-2026-09-29", &chat.Thinking{Effort: "max"}, nil, "xhigh", []string{"reasoning_effort approximated"}},
		{"gpt-6-astra", &chat.Thinking{Effort: "max"}, nil, "max", nil},
		{"gpt-6-astra", &chat.Thinking{Kind: "adaptive"}, nil, "", nil},
		{"gpt-5.4", high, tools, "", []string{"reasoning_effort dropped"}},
		{"gpt-5.4", nil, tools, "", nil},
		{"gpt-5.4", high, nil, "high", nil},
		{"gpt-5.1", high, tools, "high", nil},
		{"gpt-4o", high, nil, "", []string{"reasoning_effort dropped"}},
		{"gpt-4o", &chat.Thinking{Effort: "none"}, nil, "", nil},
		{"o3", &chat.Thinking{Effort: "minimal"}, nil, "low", []string{"reasoning_effort approximated"}},
		{"o4-mini", &chat.Thinking{Effort: "max"}, nil, "high", []string{"reasoning_effort approximated"}},
		{"gpt-5", &chat.Thinking{Effort: "none"}, nil, "minimal", []string{"reasoning_effort approximated"}},
		{"gpt-5-chat-latest", high, nil, "", []string{"reasoning_effort dropped"}},
		{"gpt-5.2", &chat.Thinking{Effort: "max"}, nil, "xhigh", []string{"reasoning_effort approximated"}},
		{"gpt-5.1", &chat.Thinking{Kind: "adaptive"}, nil, "medium", []string{"reasoning_effort approximated"}},
		{"gpt-5", &chat.Thinking{Kind: "adaptive"}, nil, "", nil},
		// Hard case 116: a budget becomes the nearest effort.
		{"gpt-5", &chat.Thinking{Budget: new(int64(10000))}, nil, "medium", []string{"reasoning_effort approximated"}},
		{"gpt-5", &chat.Thinking{Budget: new(int64(-1))}, nil, "", nil},
	} {
		body, call := send(t, &chat.Conversation{Thinking: row.thinking, Tools: row.tools}, row.model)
		if got := body.Get("reasoning_effort").Str; got != row.effort || !cmp.Equal(lost(call), row.lost) {
			t.Errorf("%s %+v with %d tools: %q %v", row.model, row.thinking, len(row.tools), got, lost(call))
		}
	}
}

func TestReasoningModelsHaveTheirOwnSampling(t *testing.T) {
	t.Parallel()
	sampling := chat.Sampling{
		MaxTokens: new(int64(100)), Temperature: new(0.3), TopP: new(0.9), Presence: new(1.0), Frequency: new(1.0),
		TopK: new(40.0), Seed: new(int64(7)), Stop: []string{"a", "b", "c", "d", "e", "f"},
	}
	for name, row := range map[string]struct {
		target  dialect.Upstream
		think   string
		has     string
		lacks   string
		dropped int
		local   int
	}{
		"plain":                      {dialect.Upstream{Model: "gpt-4o"}, "", "max_completion_tokens temperature top_p presence_penalty frequency_penalty seed logprobs stop", "top_k max_tokens", 1, 2},
		"gpt-5":                      {dialect.Upstream{Model: "gpt-5"}, "", "max_completion_tokens seed", "top_k max_tokens temperature top_p presence_penalty frequency_penalty logprobs stop", 6, 6},
		"gpt-5.1 without thinking":   {dialect.Upstream{Model: "gpt-5.1"}, "none", "max_completion_tokens temperature top_p logprobs", "top_k max_tokens", 1, 2},
		"o3":                         {dialect.Upstream{Model: "o3-mini-2025-01-31"}, "", "max_completion_tokens seed", "temperature stop", 6, 6},
		"compatible":                 {dialect.Upstream{Model: "gpt-5", Compatible: true}, "", "max_tokens temperature top_p top_k stop logprobs", "max_completion_tokens", 0, 2},
		"unknown":                    {dialect.Upstream{Model: "my-deployment"}, "", "max_completion_tokens temperature top_p", "top_k", 1, 2},
		"hard case 148: clamped too": {dialect.Upstream{Model: "gpt-4o", MaxOutput: 10}, "", "max_completion_tokens", "max_tokens", 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &chat.Conversation{Sampling: sampling, Logprobs: new(2)}
			if row.think != "" {
				c.Thinking = &chat.Thinking{Effort: row.think}
			}
			body, call := sendTo(t, c, row.target)
			for key := range strings.FieldsSeq(row.has) {
				if !body.Get(key).Exists() {
					t.Errorf("no %s: %s", key, body.Raw)
				}
			}
			for key := range strings.FieldsSeq(row.lacks) {
				if body.Get(key).Exists() {
					t.Errorf("%s: %s", key, body.Raw)
				}
			}
			dropped := 0
			for _, l := range call.Losses {
				if l.Verb == chat.Dropped {
					dropped++
				}
			}
			if dropped != row.dropped || len(call.Stops) != row.local {
				t.Errorf("%d dropped, %d stops here: %v", dropped, len(call.Stops), lost(call))
			}
			if row.target.MaxOutput > 0 && body.Get("max_completion_tokens").Int() != row.target.MaxOutput {
				t.Error(body.Raw)
			}
		})
	}
}

// What reading an answer takes for a failure, counting it does as well, however it is written.
func TestWhatFailsIsNotCounted(t *testing.T) {
	t.Parallel()
	for _, end := range append(dialect.FailedEnds(), failedCall+": MALFORMED_FUNCTION_CALL") {
		for _, written := range []string{end, fmt.Sprintf(`\u%04x`, end[0]) + end[1:]} {
			body := []byte(`{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"` + written + `"}]}`)
			_, decoded := Codec{}.DecodeReply(body)
			_, counted := Codec{}.CountReply(body)
			if decoded == nil || counted == nil {
				t.Errorf("%s: read: %v, counted: %v", written, decoded, counted)
			}
		}
	}
	body := []byte(`{"id":"1","choices":[{"index":0,"error":{"message":"gone","code":502},"message":{"content":"half"},"finish_reason":"stop"}]}`)
	if _, err := (Codec{}).CountReply(body); err == nil {
		t.Error("a choice that says an error was counted")
	}
}
