package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

func said(texts ...string) chat.Message {
	m := chat.Message{Role: chat.User}
	for i, text := range texts {
		m.Parts = append(m.Parts, chat.Part{Kind: chat.Text, Text: text, At: i})
	}
	return m
}

func reply(parts ...chat.Part) chat.Message {
	for i := range parts {
		parts[i].At = i
	}
	return chat.Message{Role: chat.Assistant, Parts: parts}
}

func txt(text string) chat.Part { return chat.Part{Kind: chat.Text, Text: text} }

func calling(id, name, arguments string) chat.Part {
	return chat.Part{Kind: chat.ToolCall, ID: id, Name: name, Text: arguments}
}

func result(id string, parts ...chat.Part) chat.Part {
	return chat.Part{Kind: chat.ToolResult, ID: id, Content: parts}
}

func told(parts ...chat.Part) chat.Message {
	m := reply(parts...)
	m.Role = chat.User
	return m
}

func system(text string) chat.Message {
	return chat.Message{Role: chat.System, Parts: []chat.Part{txt(text)}}
}

// conversation numbers its messages.
func conversation(messages ...chat.Message) *chat.Conversation {
	for i := range messages {
		messages[i].At = i
	}
	return &chat.Conversation{Messages: messages, Tools: []chat.Tool{{Name: "f", Schema: json.RawMessage(`{"type":"object"}`)}}}
}

const plainModel = "claude-sonnet-4-5"

// send encodes a conversation and has an upstream check it.
func send(t *testing.T, c *chat.Conversation, model string) (gjson.Result, dialect.Outgoing) {
	t.Helper()
	call, err := Codec{}.EncodeRequest(c, signer(model))
	if err != nil {
		t.Fatal(err)
	}
	if list := complaints(call.Body, model); len(list) > 0 {
		t.Fatalf("the upstream would refuse it: %v\n%s", list, call.Body)
	}
	return gjson.ParseBytes(call.Body), call
}

// lost reports whether a loss says this of that, in the words of a client of this dialect.
func lost(losses []chat.Loss, path string, verb chat.Verb) bool {
	return slices.ContainsFunc(losses, func(l chat.Loss) bool { return Codec{}.Path(l) == path && l.Verb == verb })
}

func wantJSON(t *testing.T, got gjson.Result, want string) {
	t.Helper()
	if got.Raw != want {
		t.Errorf("got  %s\nwant %s", got.Raw, want)
	}
}

func wantLost(t *testing.T, call dialect.Outgoing, path string, verb chat.Verb) {
	t.Helper()
	if !lost(call.Losses, path, verb) {
		t.Errorf("no %s %s in %+v", path, verb, call.Losses)
	}
}

// wantRefused encodes a conversation that must be refused for a field.
func wantRefused(t *testing.T, c *chat.Conversation, model, field string) {
	t.Helper()
	_, err := Codec{}.EncodeRequest(c, signer(model))
	e := fault.From(err)
	if err == nil || e.Code != fault.InvalidParameter || e.Details["field"] != field {
		t.Errorf("got %v %v, want a refusal of %s", err, e, field)
	}
}

func TestHard1ParallelResultsAndTextAreOneTurn(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."), reply(calling("a", "f", "{}"), calling("b", "f", "{}"), calling("c", "f", "{}")),
		told(result("b", txt("2"))), told(result("a", txt("1"))), told(result("c", txt("3"))), said("And?"))
	root, _ := send(t, c, plainModel)
	wantJSON(t, root.Get("messages.#"), "3")
	wantJSON(t, root.Get("messages.2.content"), `[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"},`+
		`{"type":"tool_result","tool_use_id":"c","content":"3"},{"type":"text","text":"And?"}]`)
}

func TestHard6And8IdsAreMadeLegalAlikeOnCallAndResult(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."), reply(calling("functions.search:0", "f", "")), told(result("functions.search:0", txt("x"))),
		reply(calling("functions.search:0", "f", "")), told(result("functions.search:0", txt("y"))))
	root, _ := send(t, c, plainModel)
	first, second := root.Get("messages.1.content.0.id").Str, root.Get("messages.3.content.0.id").Str
	if first == second || root.Get("messages.2.content.0.tool_use_id").Str != first || root.Get("messages.4.content.0.tool_use_id").Str != second {
		t.Error(root.Raw)
	}
}

func TestHard11AResultWithoutItsCallIsText(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."), reply(calling("a", "f", "{}")), told(result("a", txt("1")), result("gone", txt("2"))))
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("messages.2.content.#"), "3")
	wantJSON(t, root.Get("messages.2.content.2.text"), `"2"`)
	wantLost(t, call, "messages[2].content[1]", chat.Approximated)
}

func TestHard22To25ArgumentsAreObjectsDigitForDigit(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "{}", "null": "{}", `{"a": tru`: `{"_raw":"{\"a\": tru"}`,
		`{"n":12345678901234567890,"f":1.0,"e":1e2,"s":"\u00e9"}`: `{"n":12345678901234567890,"f":1.0,"e":1e2,"s":"\u00e9"}`,
	} {
		c := conversation(said("Go."), reply(calling("a", "f", given)), told(result("a", txt("1"))))
		root, call := send(t, c, plainModel)
		wantJSON(t, root.Get("messages.1.content.0.input"), want)
		if strings.Contains(want, "_raw") {
			wantLost(t, call, "messages[1].content[0]", chat.Approximated)
		}
	}
}

func TestHard26ToolsAreRebuiltFromHistory(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."), reply(calling("a", "g.h", "{}")), told(result("a", txt("1"))))
	c.Tools = nil
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("tools.0.name"), `"`+root.Get("messages.1.content.0.name").Str+`"`)
	wantJSON(t, root.Get("tool_choice"), `{"type":"none"}`)
	wantLost(t, call, "tools", chat.Added)
	if call.Names[root.Get("tools.0.name").Str] != "g.h" {
		t.Error(call.Names)
	}
}

func TestHard27NoToolsNoChoice(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."))
	c.Tools, c.Choice = nil, chat.Choice{Mode: chat.Auto}
	root, call := send(t, c, plainModel)
	if root.Get("tools").Exists() || root.Get("tool_choice").Exists() || len(call.Losses) > 0 {
		t.Error(root.Raw, call.Losses)
	}
}

func TestHard28ToolsWithoutParametersTakeNothing(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."))
	c.Tools = []chat.Tool{{Name: "f"}, {Name: "g", Schema: json.RawMessage(`{"type":"object","properties":{}}`), At: 1}}
	root, _ := send(t, c, plainModel)
	wantJSON(t, root.Get("tools"), `[{"name":"f","input_schema":{"type":"object","properties":{}}},{"name":"g","input_schema":{"type":"object","properties":{}}}]`)
}

func TestHard30ToolsOfTheSameName(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."))
	c.Tools = []chat.Tool{{Name: "f", Description: "x"}, {Name: "f", Description: "x", At: 1}}
	root, _ := send(t, c, plainModel)
	wantJSON(t, root.Get("tools.#"), "1")
	c.Tools[1].Description = "y"
	wantRefused(t, c, plainModel, "tools[1]")
}

func TestHard33NamesAreMappedAndGivenBack(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."), reply(calling("a", "mcp.server:read-file", "{}")), told(result("a", txt("1"))))
	c.Tools = []chat.Tool{{Name: "mcp.server:read-file"}, {Name: "mcp_server_read-file", At: 1}}
	c.Choice = chat.Choice{Mode: chat.Named, Name: "mcp.server:read-file"}
	root, call := send(t, c, plainModel)
	sent := root.Get("tools.0.name").Str
	if call.Names[sent] != "mcp.server:read-file" || root.Get("tool_choice.name").Str != sent || root.Get("messages.1.content.0.name").Str != sent ||
		root.Get("tools.1.name").Str != "mcp_server_read-file" {
		t.Error(root.Raw, call.Names)
	}
}

func TestHard36And42Choices(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		choice chat.Choice
		want   string
	}{
		{chat.Choice{Mode: chat.None, Serial: true}, `{"type":"none"}`},
		{chat.Choice{Serial: true}, `{"type":"auto","disable_parallel_tool_use":true}`},
		{chat.Choice{Mode: chat.Required}, `{"type":"any"}`},
		{chat.Choice{Mode: chat.Required, Serial: true}, `{"type":"any","disable_parallel_tool_use":true}`},
		{chat.Choice{Mode: chat.Named, Name: "f"}, `{"type":"tool","name":"f"}`},
		{chat.Choice{}, ""},
	} {
		c := conversation(said("Go."))
		c.Choice = row.choice
		root, _ := send(t, c, plainModel)
		wantJSON(t, root.Get("tool_choice"), row.want)
		wantJSON(t, root.Get("tools.#"), "1")
	}
}

func TestHard38ForceAndABudgetOfThinking(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."))
	c.Choice, c.Thinking = chat.Choice{Mode: chat.Required}, &chat.Thinking{Effort: "high"}
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("tool_choice"), `{"type":"auto"}`)
	wantJSON(t, root.Get("thinking"), `{"type":"enabled","budget_tokens":24576}`)
	wantJSON(t, root.Get("system.#"), "1")
	wantLost(t, call, "tool_choice", chat.Approximated)
	if root, _ = send(t, c, "claude-opus-4-7"); root.Get("tool_choice.type").Str != "auto" {
		t.Error("adaptive thinking bears no force:", root.Raw)
	}
	c.Thinking = nil
	if root, _ = send(t, c, "claude-opus-4-7"); root.Get("tool_choice.type").Str != "any" {
		t.Error("without thinking it bears force:", root.Raw)
	}
	if root, _ = send(t, c, "claude-opus-5-5"); root.Get("tool_choice.type").Str != "auto" {
		t.Error("Claude 5.5 bears none:", root.Raw)
	}
}

func TestHard40OnlyAllowedToolsAreOffered(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."))
	c.Tools = []chat.Tool{{Name: "a"}, {Name: "b", At: 1}, {Name: "c", At: 2}}
	c.Choice = chat.Choice{Mode: chat.Allowed, Names: []string{"c", "a"}}
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("tools.#.name"), `["a","c"]`)
	wantJSON(t, root.Get("tool_choice"), `{"type":"auto"}`)
	wantLost(t, call, "tool_choice", chat.Approximated)
}

func TestHard45FreeTextToolsTakeOneString(t *testing.T) {
	t.Parallel()
	patch := calling("a", "apply_patch", "*** Begin \"x\"")
	patch.Custom = true
	c := conversation(said("Go."), reply(patch), told(result("a", txt("ok"))))
	c.Tools = []chat.Tool{{Kind: chat.Custom, Name: "apply_patch", Grammar: json.RawMessage(`{"type":"grammar","grammar":{"syntax":"lark","definition":"start: x"}}`)}}
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("messages.1.content.0.input"), `{"input":"*** Begin \"x\""}`)
	wantJSON(t, root.Get("tools.0.input_schema.properties"), `{"input":{"type":"string"}}`)
	wantLost(t, call, "tools[0]", chat.Approximated)
}

func TestHard49And52WhatIsNotThere(t *testing.T) {
	t.Parallel()
	c := conversation(said("Go."))
	c.Tools = append(c.Tools, chat.Tool{Kind: chat.Server, Name: "googleSearch", Raw: json.RawMessage(`{"googleSearch":{}}`), At: 1})
	wantRefused(t, c, plainModel, "tools[1]")
	c = conversation(said("Go."))
	c.Choice = chat.Choice{Mode: chat.Named, Name: "other"}
	wantRefused(t, c, plainModel, "tool_choice")
}

func TestHard72To80Turns(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		talk *chat.Conversation
		want string
		path string
		verb chat.Verb
	}{
		"72 two users are not glued": {conversation(said("a"), said("b")),
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"text","text":"b"}]}]`, "", ""},
		"74 pieces of the model's turn are one": {conversation(said("a"), reply(txt("Hel")), reply(txt(""), txt("lo")), said("b")),
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"Hel"},{"type":"text","text":"lo"}]},{"role":"user","content":[{"type":"text","text":"b"}]}]`, "", ""},
		"76 only calls": {conversation(said("a"), reply(txt(""), calling("x", "f", "{}")), told(result("x", txt("1")))),
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"1"}]}]`, "", ""},
		"77 an empty user": {conversation(said("a"), reply(txt("b")), said(""), said("c")),
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"c"}]}]`, "messages[2]", chat.Dropped},
		"79 an empty assistant": {conversation(said("a"), reply(), said("c")),
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"text","text":"c"}]}]`, "messages[1]", chat.Dropped},
		"89 the assistant first": {conversation(reply(txt("b")), said("c")),
			`[{"role":"user","content":[{"type":"text","text":"` + firstTurn + `"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"c"}]}]`, "messages", chat.Added},
		"82 system text stays where it was": {conversation(said("a"), reply(txt("b")), system("s"), said("c")),
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"<system-reminder>\ns\n</system-reminder>"}]},{"role":"user","content":[{"type":"text","text":"c"}]}]`, "messages[2]", chat.Approximated},
		"97 results come first": {conversation(said("a"), reply(calling("x", "f", "{}")), told(txt("1"), result("x", txt("r")), txt("2"))),
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"},{"type":"text","text":"1"},{"type":"text","text":"2"}]}]`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, call := send(t, row.talk, plainModel)
			wantJSON(t, root.Get("messages"), strings.ReplaceAll(row.want, "\n", `\n`))
			if row.path != "" {
				wantLost(t, call, row.path, row.verb)
			} else if len(call.Losses) > 0 {
				t.Error(call.Losses)
			}
		})
	}
	wantRefused(t, conversation(said("")), plainModel, "messages[0]")
	c := &chat.Conversation{System: []chat.Part{txt("   "), txt(""), txt("x"), txt("y")}}
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("system"), `[{"type":"text","text":"x"}]`)
	wantJSON(t, root.Get("messages.0.content.0.text"), `"y"`)
	wantLost(t, call, "system", chat.Approximated)
}

func TestHard83SystemTextIsNativeAfterAUser(t *testing.T) {
	t.Parallel()
	c := conversation(said("a"), reply(txt("b")), system("s"), said("c"), reply(txt("d")), system("t"))
	root, _ := send(t, c, "claude-opus-4-8")
	wantJSON(t, root.Get("messages.#.role"), `["user","assistant","user","system","assistant","user"]`)
	wantJSON(t, root.Get("messages.3.content.0.text"), `"s"`)
}

func TestHard87TheAssistantHasNotTheLastWord(t *testing.T) {
	t.Parallel()
	c := conversation(said("JSON!"), reply(txt("{ \n")))
	root, _ := send(t, c, plainModel)
	wantJSON(t, root.Get("messages.1.content.0.text"), `"{"`)
	root, call := send(t, c, "claude-opus-4-6")
	wantJSON(t, root.Get("messages.#"), "3")
	wantLost(t, call, "messages", chat.Added)
}

func TestHard91NamesOfParticipantsAreReported(t *testing.T) {
	t.Parallel()
	c := conversation(said("a"))
	c.Messages[0].Name = "ada"
	_, call := send(t, c, plainModel)
	wantLost(t, call, "messages[0].name", chat.Dropped)
}

func TestHard147To165LimitsAndSampling(t *testing.T) {
	t.Parallel()
	number := func(f float64) *float64 { return &f }
	whole := func(n int64) *int64 { return &n }
	for name, row := range map[string]struct {
		change func(*chat.Conversation)
		model  string
		field  string
		want   string
		lost   string
		verb   chat.Verb
	}{
		"147 no limit":             {func(*chat.Conversation) {}, plainModel, "max_tokens", "64000", "", ""},
		"147 nobody knows":         {func(*chat.Conversation) {}, "glm-5", "max_tokens", "8192", "", ""},
		"148 above the limit":      {func(c *chat.Conversation) { c.Sampling.MaxTokens = whole(1e6) }, plainModel, "max_tokens", "64000", "max_tokens", chat.Approximated},
		"151 hot":                  {func(c *chat.Conversation) { c.Sampling.Temperature = number(1.7) }, plainModel, "temperature", "1", "temperature", chat.Approximated},
		"153 a newer model":        {func(c *chat.Conversation) { c.Sampling.Temperature = number(0.2) }, "claude-opus-4-7", "temperature", "", "temperature", chat.Dropped},
		"10 both":                  {func(c *chat.Conversation) { c.Sampling.Temperature, c.Sampling.TopP = number(0.2), number(0.5) }, plainModel, "top_p", "", "top_p", chat.Dropped},
		"156 stop":                 {func(c *chat.Conversation) { c.Sampling.Stop = []string{"END"} }, plainModel, "stop_sequences", `["END"]`, "", ""},
		"157 stop of white space":  {func(c *chat.Conversation) { c.Sampling.Stop = []string{"\n\n"} }, plainModel, "stop_sequences", "", "", ""},
		"165 tier auto":            {func(c *chat.Conversation) { c.Tier = "auto" }, plainModel, "service_tier", `"auto"`, "", ""},
		"165 tier default":         {func(c *chat.Conversation) { c.Tier = "default" }, plainModel, "service_tier", `"standard_only"`, "", ""},
		"165 tier flex":            {func(c *chat.Conversation) { c.Tier = "flex" }, plainModel, "service_tier", "", "service_tier", chat.Dropped},
		"seed":                     {func(c *chat.Conversation) { c.Sampling.Seed = whole(1) }, plainModel, "seed", "", "seed", chat.Dropped},
		"an extra that shapes":     {func(c *chat.Conversation) { c.Extra = []chat.Extra{{Name: "openai.logit_bias"}} }, plainModel, "logit_bias", "", "openai.logit_bias", chat.Dropped},
		"an extra that is a label": {func(c *chat.Conversation) { c.Extra = []chat.Extra{{Name: "openai.store", Effect: chat.Harmless}} }, plainModel, "store", "", "openai.store", chat.Ignored},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := conversation(said("a"))
			row.change(c)
			root, call := send(t, c, row.model)
			wantJSON(t, root.Get(row.field), row.want)
			if row.lost != "" {
				wantLost(t, call, row.lost, row.verb)
			} else if len(call.Losses) > 0 {
				t.Error(call.Losses)
			}
			if name == "157 stop of white space" && !slices.Equal(call.Stops, []string{"\n\n"}) {
				t.Error(call.Stops)
			}
		})
	}
	for field, change := range map[string]func(*chat.Conversation){
		chat.FieldN:         func(c *chat.Conversation) { c.N = 3 },
		chat.FieldLogprobs:  func(c *chat.Conversation) { c.Logprobs = new(int) },
		chat.FieldOutput:    func(c *chat.Conversation) { c.Output = []string{"text", "audio"} },
		chat.FieldMaxTokens: func(c *chat.Conversation) { c.Sampling.MaxTokens = new(int64) },
		"cachedContent":     func(c *chat.Conversation) { c.Extra = []chat.Extra{{Name: "gemini.cachedContent", Effect: chat.Vital}} },
	} {
		c := conversation(said("a"))
		change(c)
		wantRefused(t, c, plainModel, field)
	}
	call, err := Codec{}.EncodeRequest(conversation(said("a")), dialect.Upstream{Model: "claude-sonnet-4-5", MaxOutput: 1234})
	if err != nil || gjson.GetBytes(call.Body, "max_tokens").Int() != 1234 {
		t.Error("the catalogue knows better:", string(call.Body), err)
	}
}

func TestHard168To188Media(t *testing.T) {
	t.Parallel()
	pdf := base64.StdEncoding.EncodeToString([]byte("%PDF-1.4 some"))
	part := func(kind chat.Kind, m chat.Media) *chat.Conversation {
		return conversation(said("a"), reply(txt("b")), told(txt("see"), chat.Part{Kind: kind, Media: &m, Name: m.Name}))
	}
	for name, row := range map[string]struct {
		talk *chat.Conversation
		want string
	}{
		"169 the bytes are believed": {part(chat.Image, chat.Media{Type: "image/gif", Base64: png}),
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png + `"}}`},
		"an address":                {part(chat.Image, chat.Media{URL: "https://e.com/a.png"}), `{"type":"image","source":{"type":"url","url":"https://e.com/a.png"}}`},
		"174 and 178 a PDF by name": {part(chat.Document, chat.Media{Base64: pdf, Name: "a.pdf"}), `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + pdf + `"},"title":"a.pdf"}`},
		"text":                      {part(chat.Document, chat.Media{Type: "text/csv", Base64: "YSxi"}), `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a,b"}}`},
	} {
		root, _ := send(t, row.talk, plainModel)
		if got := root.Get("messages.2.content.1").Raw; got != row.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
	for name, c := range map[string]*chat.Conversation{
		"173 HEIC":           part(chat.Image, chat.Media{Type: "image/heic", Base64: base64.StdEncoding.EncodeToString([]byte("\x00\x00\x00\x18ftypheic...."))}),
		"173 SVG":            part(chat.Image, chat.Media{Type: "image/svg+xml", Base64: "PHN2Zz4="}),
		"179 sound":          part(chat.Audio, chat.Media{Type: "audio/wav", Base64: "UklGRg=="}),
		"183 a clip":         part(chat.Video, chat.Media{URL: "https://youtu.be/x"}),
		"185 someone's file": part(chat.Document, chat.Media{FileID: "file-abc"}),
		"an office file":     part(chat.Document, chat.Media{Type: "application/msword", Base64: "0M8R4A=="}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, c, plainModel, "messages[2].content[1]")
		})
	}
}

func TestHard181SoundOfTheAssistant(t *testing.T) {
	t.Parallel()
	c := conversation(said("a"), reply(chat.Part{Kind: chat.Audio, ID: "audio_1"}), said("b"), reply(chat.Part{Kind: chat.Audio, Text: "I said so."}), said("c"))
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("messages.2.content.0.text"), `"I said so."`)
	wantLost(t, call, "messages[1].content[0]", chat.Dropped)
}

func TestHard190And192Markers(t *testing.T) {
	t.Parallel()
	mark := &chat.Cache{}
	c := conversation(said("1", "2", "3", "4", "5", ""))
	for i := range c.Messages[0].Parts {
		c.Messages[0].Parts[i].Cache = mark
	}
	c.Messages[0].Parts[5].Cache = &chat.Cache{TTL: "1h"}
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("messages.0.content.#.cache_control.type"), `["ephemeral","ephemeral","ephemeral","ephemeral"]`)
	wantLost(t, call, "cache_control", chat.Ignored)
	c = conversation(said("1", ""))
	c.Messages[0].Parts[1].Cache = mark
	root, _ = send(t, c, plainModel)
	wantJSON(t, root.Get("messages.0.content.0.cache_control"), `{"type":"ephemeral"}`)
}
