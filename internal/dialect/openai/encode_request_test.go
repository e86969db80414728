package openai

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/chat"
	"stele/internal/dialect"
)

func TestRefusesWhatMustNotBeLeftOut(t *testing.T) {
	t.Parallel()
	author := dialect.Upstream{Model: "gpt-4o"}
	part := func(p chat.Part) *chat.Conversation { return &chat.Conversation{Messages: []chat.Message{user(p)}} }
	const here = "messages[0].content[0]"
	for name, row := range map[string]struct {
		c     *chat.Conversation
		field string
	}{
		"hard case 149: no tokens at all":   {&chat.Conversation{Sampling: chat.Sampling{MaxTokens: new(int64)}}, "max_completion_tokens"},
		"hard case 49: another's tool":      {&chat.Conversation{Tools: []chat.Tool{{Kind: chat.Server, Name: "googleSearch", Raw: []byte(`{"googleSearch":{}}`), At: 1}}}, "tools[1]"},
		"a vital field of another":          {&chat.Conversation{Extra: []chat.Extra{{Name: "gemini.cachedContent", Effect: chat.Vital}}}, "cachedContent"},
		"hard case 183: video":              {part(chat.Part{Kind: chat.Video, Media: &chat.Media{URL: "https://x"}}), here},
		"hard case 173: a type nobody sees": {part(chat.Part{Kind: chat.Image, Media: &chat.Media{Type: "image/heic", Base64: "AAAA"}}), here},
		"hard case 187: another's file":     {part(chat.Part{Kind: chat.Document, Media: &chat.Media{FileID: "https://generativelanguage.googleapis.com/v1beta/files/a"}}), here},
		"a document's address":              {part(chat.Part{Kind: chat.Document, Media: &chat.Media{URL: "https://x/a.pdf"}}), here},
		"an office file":                    {part(chat.Part{Kind: chat.Document, Media: &chat.Media{Type: "application/msword", Base64: "AAAA"}}), here},
		"a sound of another sort":           {part(chat.Part{Kind: chat.Audio, Media: &chat.Media{Type: "audio/ogg", Base64: "AAAA"}}), here},
		"pictures out":                      {&chat.Conversation{Output: []string{"image"}}, "modalities"},
		"hard case 52: no such tool":        {&chat.Conversation{Tools: []chat.Tool{{Name: "a"}}, Choice: chat.Choice{Mode: chat.Named, Name: "b"}}, "tool_choice"},
		"hard case 30: two of one name":     {&chat.Conversation{Tools: []chat.Tool{{Name: "a"}, {Name: "a", Description: "x", At: 1}}}, "tools[1]"},
		"nothing to require":                {&chat.Conversation{Choice: chat.Choice{Mode: chat.Required}}, "tool_choice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := refusedBy(t, row.c, author)
			if e.Details["field"] != row.field {
				t.Errorf("about %v: %s", e.Details["field"], e.Message)
			}
			if _, ok := e.About.(chat.Loss); !ok {
				t.Error("the loss is not there")
			}
		})
	}
}

func TestExtrasAndIdentity(t *testing.T) {
	t.Parallel()
	c := &chat.Conversation{
		User: strings.Repeat("u", 300), Tier: "standard_only", Cache: &chat.Cache{},
		Extra: []chat.Extra{
			{Name: "openai.logit_bias", Value: []byte(`{"1":1.0}`)}, {Name: "openai.store", Value: []byte("true"), Effect: chat.Harmless},
			{Name: "openai.min_p", Value: []byte("0.1")}, {Name: "openai.new thing", Value: []byte("1")},
			{Name: "gemini.safetySettings", Value: []byte("[]")}, {Name: "gemini.labels", Value: []byte("{}"), Effect: chat.Harmless},
		},
	}
	body, call := send(t, c, "gpt-4o")
	// Hard case 166: a long user id is hashed.
	if id := body.Get("safety_identifier").Str; len(id) != 64 || body.Get("service_tier").Str != "default" {
		t.Error(body.Raw)
	}
	if body.Get("logit_bias").Raw != `{"1":1.0}` || !body.Get("store").Exists() || body.Get("min_p").Exists() || !body.Get("new thing").Exists() {
		t.Error(body.Raw)
	}
	want := []string{"safety_identifier ignored", "cache_control ignored", "min_p dropped", "extra_body.google.safety_settings dropped", "gemini.labels ignored"}
	if diff := cmp.Diff(want, lost(call)); diff != "" {
		t.Error(diff)
	}
	body, _ = sendTo(t, c, dialect.Upstream{Model: "x", Compatible: true})
	for _, key := range []string{"safety_identifier", "service_tier", "store", "user"} {
		if body.Get(key).Exists() {
			t.Errorf("only OpenAI knows %s", key)
		}
	}
	if !body.Get("min_p").Exists() {
		t.Error(body.Raw)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	object := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	for name, row := range map[string]struct {
		format chat.Format
		want   string
		lost   []string
		system string
	}{
		"hard case 143: one of some": {chat.Format{Kind: chat.EnumText, Schema: []byte(`{"type":"string","enum":["x","y"]}`)}, "", []string{"response_format approximated"}, "Answer with exactly one of these and nothing else: x, y"},
		"free JSON":                  {chat.Format{Kind: chat.JSONObject}, `{"type":"json_object"}`, []string{"response_format added"}, "Answer with one JSON object only."},
		"as it is":                   {chat.Format{Kind: chat.JSONSchema, Schema: []byte(object)}, `{"type":"json_schema","json_schema":{"name":"answer","schema":` + object + `}}`, nil, ""},
		"closed for strict mode": {
			chat.Format{Kind: chat.JSONSchema, Name: "n", Schema: []byte(object), Strict: new(true)},
			`{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},"strict":true}}`,
			[]string{"response_format approximated"}, "",
		},
		"unfit for strict mode": {
			chat.Format{Kind: chat.JSONSchema, Name: "n", Schema: []byte(`{"type":"object","properties":{"a":{}}}`), Strict: new(true)},
			`{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"a":{}}},"strict":false}}`,
			[]string{"response_format approximated"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, call := send(t, &chat.Conversation{Format: &row.format, Messages: []chat.Message{user(text("hi"))}}, "gpt-4o")
			if got := body.Get("response_format").Raw; got != row.want {
				t.Errorf("%s\nwant\n%s", got, row.want)
			}
			system := ""
			if body.Get("messages.0.role").Str == "system" {
				system = body.Get("messages.0.content").Str
			}
			if system != row.system || !slices.Equal(lost(call), row.lost) {
				t.Errorf("%q %v", system, lost(call))
			}
		})
	}
}

func TestSchemasForStrictMode(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"type":"array","items":`, 300) + `{}` + strings.Repeat(`}`, 300)
	for in, want := range map[string]string{
		`{"type":"object","properties":{},"additionalProperties":false}`:                                      "same",
		`{"type":"object","properties":{"default":{"type":"string"}},"required":["default"]}`:                 `{"type":"object","properties":{"default":{"type":"string"}},"required":["default"],"additionalProperties":false}`,
		`{"$schema":"x","type":"object","default":{}}`:                                                        `{"type":"object","additionalProperties":false}`,
		`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"null"}]}},"required":["a"]}`: `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","additionalProperties":{"type":"string"}}`:                                          "unfit",
		`{"anyOf":[{"type":"object"}]}`:                                                                       "unfit",
		`{"type":"object","properties":{"a":{"allOf":[]}},"required":["a"]}`:                                  "unfit",
		`{"type":"object","properties":{"a":{}}}`:                                                             "unfit",
		deep: "unfit",
	} {
		e := &requestWriter{}
		got, strict := e.toStrictSchema([]byte(in), new(true), chat.Lost(chat.FieldFormat, chat.Approximated, ""))
		switch {
		case want == "same" && (string(got) != in || !*strict || len(e.losses) != 0):
		case want == "unfit" && (string(got) != in || *strict || len(e.losses) != 1):
		case want != "same" && want != "unfit" && (string(got) != want || !*strict || len(e.losses) != 1):
		default:
			continue
		}
		t.Errorf("%s: %s %v %v", in, got, *strict, e.losses)
	}
}

func TestCompatibleUpstreams(t *testing.T) {
	t.Parallel()
	target := dialect.Upstream{Model: "llama", Compatible: true}
	body, call := sendTo(t, &chat.Conversation{
		System: []chat.Part{text("a"), text("b")},
		Tools:  []chat.Tool{{Name: "p", Kind: chat.Custom, Grammar: []byte(`{}`)}, {Name: "f"}},
		Choice: chat.Choice{Mode: chat.Allowed, Names: []string{"p"}},
		Messages: []chat.Message{user(text("q")), model(chat.Part{Kind: chat.Thought, Text: "hmm", Proof: "S"},
			chat.Part{Kind: chat.ToolCall, ID: "c", Name: "p", Custom: true, Text: "x\"y"}), user(answered("c", text("1"), text("2")))},
	}, target)
	if body.Get("messages.0.content").Str != "a\n\nb" || body.Get("messages.2.reasoning_content").Str != "hmm" || body.Get("messages.2.reasoning_details").Exists() {
		t.Error(body.Raw)
	}
	if body.Get("messages.2.tool_calls.0.function.arguments").Str != `{"input":"x\"y"}` || body.Get("messages.3.content").Str != "1\n2" {
		t.Error(body.Raw)
	}
	if body.Get("tools.#").Int() != 1 || body.Get("tools.0.function.parameters.required.0").Str != "input" || body.Get("tool_choice").Str != "auto" {
		t.Error(body.Raw)
	}
	if len(call.Losses) != 2 {
		t.Error(lost(call))
	}
}

// TestThePromptGrowsOnlyAtItsEnd: whatever a turn adds, the list of messages of
// the turn before is how the next one begins.
func TestThePromptGrowsOnlyAtItsEnd(t *testing.T) {
	t.Parallel()
	for _, target := range []dialect.Upstream{
		{Model: "gpt-5.1", Stream: true}, {Model: "x", Compatible: true}, {Model: "gpt-5.6"},
	} {
		c := &chat.Conversation{
			System: []chat.Part{text("s"), {Kind: chat.Text, Text: "t", Cache: &chat.Cache{TTL: "1h"}}},
			Tools:  []chat.Tool{{Name: "a.b", Schema: []byte(`{"type":"object"}`)}}, Format: &chat.Format{Kind: chat.JSONObject},
		}
		before := ""
		for turn := range 100 {
			id := fmt.Sprintf("toolu:%d", turn)
			c.Messages = append(c.Messages, user(text(fmt.Sprint("q", turn)), picture()))
			if turn%3 == 1 {
				c.Messages = append(c.Messages, model(chat.Part{Kind: chat.Thought, Text: "json?", Proof: "S"}, text("wait"), called(id, "a.b", `{"x":1.0}`)),
					user(answered(id, text("r"), picture())))
			}
			if turn%7 == 5 {
				c.Messages = append(c.Messages, chat.Message{Role: chat.System, Parts: []chat.Part{text("now JSON")}}, user(text("go")))
			}
			body, _ := sendTo(t, c, target)
			now := strings.TrimSuffix(body.Get("messages").Raw, "]")
			if !strings.HasPrefix(now, before) {
				t.Fatalf("turn %d changed what was said before", turn)
			}
			before = now
			c.Messages = append(c.Messages, model(text("a")))
		}
	}
}
