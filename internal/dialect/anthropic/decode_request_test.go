package anthropic

import (
	"net/http"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

func TestWrongRequestsNameTheField(t *testing.T) {
	t.Parallel()
	const hi = `"messages":[{"role":"user","content":"Hi"}]`
	for body, want := range map[string]string{
		`{` + hi + `}`:                                                                    "model",
		`{"Model":"x","MESSAGES":[]}`:                                                     "model",
		`{"model":"",` + hi + `}`:                                                         "model",
		`{"model":5,` + hi + `}`:                                                          "model",
		`{"model":"m","stream":"yes",` + hi + `}`:                                         "stream",
		`{"model":"m","max_tokens":"100",` + hi + `}`:                                     "max_tokens",
		`{"model":"m","max_tokens":1.5,` + hi + `}`:                                       "max_tokens",
		`{"model":"m","max_tokens":-1,` + hi + `}`:                                        "max_tokens",
		`{"model":"m","temperature":"0.5",` + hi + `}`:                                    "temperature",
		`{"model":"m"}`:                                                                   "messages",
		`{"model":"m","messages":{}}`:                                                     "messages",
		`{"model":"m","messages":["Hi"]}`:                                                 "messages[0]",
		`{"model":"m","messages":[{"role":"tool","content":"Hi"}]}`:                       "messages[0].role",
		`{"model":"m","messages":[{"role":"user","content":5}]}`:                          "messages[0].content",
		`{"model":"m","messages":[{"role":"user","content":["Hi"]}]}`:                     "messages[0].content[0]",
		`{"model":"m","messages":[{"role":"user","content":[{"text":"Hi"}]}]}`:            "messages[0].content[0].type",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":5}]}]}`: "messages[0].content[0].text",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":{"type":"ftp"}}]}]}`:                 "messages[0].content[0].source.type",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"%%"}}]}]}`:  "messages[0].content[0].source.data",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image"}]}]}`:                                         "messages[0].content[0].source",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":["x"]}]}]}`: "messages[0].content[0].content[0]",
		`{"model":"m","system":5,` + hi + `}`:                                "system",
		`{"model":"m","system":[{"type":"text","text":1}],` + hi + `}`:       "system[0].text",
		`{"model":"m","tools":[{"description":"x"}],` + hi + `}`:             "tools[0].name",
		`{"model":"m","tool_choice":{"type":"maybe"},` + hi + `}`:            "tool_choice.type",
		`{"model":"m","thinking":{"type":"deep"},` + hi + `}`:                "thinking.type",
		`{"model":"m","thinking":"on",` + hi + `}`:                           "thinking",
		`{"model":"m","output_config":{"format":{"type":"xml"}},` + hi + `}`: "output_config.format.type",
		`{"model":"m","metadata":{"user_id":7},` + hi + `}`:                  "metadata.user_id",
		`[1]`:                                  "",
		``:                                     "",
		`{"model":"m","model":"n",` + hi + `}`: "model",
	} {
		req, err := Codec{}.DecodeRequest(incoming(body))
		if err == nil {
			_, err = req.Conversation()
		}
		e := fault.From(err)
		if err == nil || e.Code.ChatStatus() != http.StatusBadRequest {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if got, _ := e.Details["field"].(string); got != want {
			t.Errorf("%s: names %q, want %q", body, got, want)
		}
	}
}

func TestNothingOfARequestIsLostInSilence(t *testing.T) {
	t.Parallel()
	_, c := talk(t, `{"model":"m","max_tokens":0,"container":"c","mcp_servers":[{"url":"x"}],"diagnostics":{},"speed":"fast","new":1,"none":null,
		"metadata":{"user_id":"u","x":1},"output_config":{"task_budget":{}},"tools":[{"name":"f","defer_loading":true}],
		"messages":[{"role":"user","id":"x","content":[{"type":"image","source":{"type":"url","url":"https://e.com"},"transformations":{}}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{},"caller":{"type":"direct"}}]}]}`)
	want := map[string]chat.Effect{
		"anthropic.max_tokens": chat.Vital, "anthropic.container": chat.Vital, "anthropic.mcp_servers": chat.Vital, "anthropic.diagnostics": chat.Harmless,
		"anthropic.speed": chat.Shapes, "anthropic.new": chat.Shapes, "anthropic.metadata.x": chat.Harmless, "anthropic.output_config.task_budget": chat.Shapes,
		"anthropic.tools[0].defer_loading": chat.Shapes, "anthropic.messages[0].content[0].transformations": chat.Shapes,
	}
	for _, e := range c.Extra {
		effect, ok := want[e.Name]
		if !ok || effect != e.Effect {
			t.Errorf("%s %v", e.Name, e.Effect)
		}
		delete(want, e.Name)
	}
	if len(want) > 0 || c.User != "u" || c.Sampling.MaxTokens != nil {
		t.Error(want, c.User)
	}
	if !lost(c.Notes, "messages[0]", chat.Dropped) {
		t.Error(c.Notes)
	}
}

func TestHard125And265Versions(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","max_tokens":9,"temperature":0.3,"messages":[]}`
	notes := func(h http.Header) []chat.Loss {
		req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(body), Header: h})
		if err != nil {
			t.Fatal(err)
		}
		c, err := req.Conversation()
		if err != nil || *c.Sampling.Temperature != 0.3 {
			t.Fatal(c, err)
		}
		return c.Notes
	}
	if n := notes(http.Header{versionHeader: {version2023}}); len(n) > 0 {
		t.Error(n)
	}
	if n := notes(http.Header{versionHeader: {version2026}}); !lost(n, "temperature", chat.Approximated) {
		t.Error(n)
	}
	if n := notes(nil); !lost(n, "anthropic-version", chat.Added) {
		t.Error(n)
	}
}

func TestHard112ThinkingWithoutASignature(t *testing.T) {
	t.Parallel()
	_, c := talk(t, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"y"}]}]}`)
	if p := c.Messages[1].Parts[0]; p.Kind != chat.Thought || p.Text != "Hm." || p.Proof != "" {
		t.Errorf("%+v", p)
	}
}

func TestHard50ServerToolsHaveWords(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.name != "server_tools" {
			continue
		}
		_, c := talk(t, string(f.request))
		parts := c.Messages[1].Parts
		if parts[0].Kind != chat.Opaque || parts[0].Text != "[web_search claude shannon]" ||
			!strings.Contains(parts[1].Text, "Shannon https://en.wikipedia.org/wiki/Claude_Shannon") {
			t.Errorf("%+v", parts)
		}
		if c.Tools[0].Kind != chat.Server || c.Tools[0].Name != "web_search" {
			t.Errorf("%+v", c.Tools)
		}
	}
}

func TestHard268DeepAndLongBodiesAreRefusedQuickly(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"model":"m","messages":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + `}`,
		`{"model":"m","messages":[` + strings.Repeat(`{"role":"user"},`, 100000) + `1]}`,
	} {
		req, err := Codec{}.DecodeRequest(incoming(body))
		if err == nil {
			_, err = req.Conversation()
		}
		if err == nil {
			t.Error("accepted")
		}
	}
}
