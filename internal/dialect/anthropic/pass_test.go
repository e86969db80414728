package anthropic

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// pass passes a body through to a target.
func pass(t *testing.T, body string, h http.Header, target dialect.Upstream) dialect.Outgoing {
	t.Helper()
	req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(body), Header: h})
	if err != nil {
		t.Fatal(err)
	}
	call, err := Codec{}.PassRequest(req, target)
	if err != nil {
		t.Fatal(err)
	}
	if string(req.Origin.Body) != body {
		t.Error("the client's bytes were changed")
	}
	return call
}

func TestHard98OnlyTheModelChanges(t *testing.T) {
	t.Parallel()
	const body = "{ \"max_tokens\":1,  \"model\" :\t\"public/name\", \"unknown\":[1.0 ,  2e5], \"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"beta_block\",\"x\":\"\\u00e9\"}]}] ,\"model_\":1}\n"
	h := http.Header{versionHeader: {version2026}, betaHeader: {"a", "b,c"}, "Authorization": {"Bearer x"}, "X-Other": {"y"}}
	call := pass(t, body, h, dialect.Upstream{Model: `claude "x"`})
	if want := strings.Replace(body, `"public/name"`, `"claude \"x\""`, 1); string(call.Body) != want {
		t.Errorf("got  %s\nwant %s", call.Body, want)
	}
	if call.Header.Get(versionHeader) != version2026 || strings.Join(call.Header.Values(betaHeader), ";") != "a;b,c" || len(call.Header) != 2 ||
		call.Path != "/v1/messages" || len(call.Losses) > 0 {
		t.Errorf("%+v", call)
	}
	if call := pass(t, body, nil, dialect.Upstream{Model: "public/name"}); string(call.Body) != body || !lost(call.Losses, "anthropic-version", chat.Added) {
		t.Errorf("%+v", call)
	}
}

func TestLooseSwitchesBecomeTheAPIsOwn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ body, model, want string }{
		{`{"model":"m","max_tokens":1000,"thinking":true,"messages":[]}`, "claude-opus-5", `{"model":"claude-opus-5","max_tokens":1000,"messages":[],"thinking":{"type":"adaptive","display":"summarized"}}`},
		{`{"model":"m","max_tokens":1000,"thinking":true,"messages":[]}`, plainModel, `{"model":"claude-sonnet-4-5","max_tokens":9192,"messages":[],"thinking":{"type":"enabled","budget_tokens":8192}}`},
		{`{"model":"m","max_tokens":1000,"reasoning":false,"messages":[]}`, plainModel, `{"model":"claude-sonnet-4-5","max_tokens":1000,"messages":[],"thinking":{"type":"disabled"}}`},
		{`{"model":"m","reasoning_effort":false,"messages":[]}`, "claude-opus-5-5", `{"model":"claude-opus-5-5","messages":[],"output_config":{"effort":"low"}}`},
		{`{"model":"m","reasoning":true,"thinking":{"type":"disabled"},"messages":[]}`, plainModel, `{"model":"claude-sonnet-4-5","thinking":{"type":"disabled"},"messages":[]}`},
		{`{"model":"m","max_tokens":5,"extra_body":{"top_k":4,"max_tokens":9,"model":"evil"},"options":{"top_p":1,"a.b":2},"messages":[]}`, "c", `{"model":"c","max_tokens":5,"messages":[],"top_k":4,"top_p":1,"a.b":2}`},
		{`{"model":"m","reasoning_effort":"high","options":[1],"messages":[]}`, "c", `{"model":"c","reasoning_effort":"high","options":[1],"messages":[]}`},
	} {
		call := pass(t, row.body, http.Header{versionHeader: {version2023}}, dialect.Upstream{Model: row.model})
		if string(call.Body) != row.want {
			t.Errorf("%s\ngot  %s\nwant %s", row.body, call.Body, row.want)
		}
	}
}

func TestHard105EnvelopesAreOpenedOrLeftOut(t *testing.T) {
	t.Parallel()
	mine := chat.Envelope{Dialect: "anthropic", Provider: "p", Model: "c", Raw: "raw/sig=="}.Wrap()
	theirs := chat.Envelope{Dialect: "gemini", Provider: "g", Model: "x", Raw: "sig"}.Wrap()
	target := dialect.Upstream{Model: "c", Proof: func(text string) (string, bool) {
		e, ok := chat.Unwrap(text)
		return e.Raw, ok && e.Dialect == "anthropic"
	}}
	turns := func(content string) string {
		return `{"model":"c","thinking":{"type":"enabled","budget_tokens":2000}, "messages":[{"role":"user","content":"` + mine + `"},{"role":"assistant","content":` + content +
			`},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`
	}
	const call = `{"type":"tool_use", "id":"a","name":"f","input":{ }}`
	h := http.Header{versionHeader: {version2023}}
	got := pass(t, turns(`[{"type":"thinking","thinking":"x","signature":"`+mine+`"}, {"type":"redacted_thinking","data":"`+mine+`"}, `+call+`]`), h, target)
	want := turns(`[{"type":"thinking","thinking":"x","signature":"raw/sig=="},{"type":"redacted_thinking","data":"raw/sig=="},` + call + `]`)
	if string(got.Body) != want || len(got.Losses) > 0 {
		t.Errorf("got  %s\nwant %s\n%v", got.Body, want, got.Losses)
	}
	got = pass(t, turns(`[{"type":"thinking","thinking":"x","signature":"`+unsigned+`"},{"type":"thinking","thinking":"","signature":"`+theirs+`"},`+call+`]`), h, target)
	root := gjson.ParseBytes(got.Body)
	wantJSON(t, root.Get("messages.1.content"), "["+call+"]")
	wantJSON(t, root.Get("thinking"), `{"type":"disabled"}`)
	if !lost(got.Losses, "messages[1].content[0]", chat.Dropped) || !lost(got.Losses, "messages[1].content[1]", chat.Ignored) || !lost(got.Losses, "thinking", chat.Dropped) {
		t.Error(got.Losses)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"id":"x", "model": "claude-x" ,"content":[]}`:                                                                                   `{"id":"x", "model": "mine" ,"content":[]}`,
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"y\"}}\n\n":                                      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"mine\"}}\n\n",
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"\\\"model\\\"\",\"model\":\"z\"}}\n\n": "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"\\\"model\\\"\",\"model\":\"z\"}}\n\n",
		"event: ping\n\n": "event: ping\n\n",
	} {
		if got := string(Codec{}.Rename([]byte(given), "mine")); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
