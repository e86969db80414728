package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/provider"
	"stele/internal/relay"
)

// far answers calls one after another with what a function says: a status and a body.
type far struct {
	mu   sync.Mutex // guards sent
	sent []gjson.Result
	say  func(n int, body gjson.Result) (int, string)
}

func (f *far) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, _ := io.ReadAll(r.Body)
	body := gjson.ParseBytes(raw)
	f.mu.Lock()
	n := len(f.sent)
	f.sent = append(f.sent, body)
	f.mu.Unlock()
	status, text := f.say(n, body)
	kind := "text/event-stream"
	if strings.HasPrefix(text, "{") {
		kind = "application/json"
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(text)), ContentLength: -1, Request: r,
	}, nil
}

// ask sends an OpenAI request, or one of the upstream's own dialect, to an upstream.
func ask(t *testing.T, client, upstream dialect.Dialect, body string, f *far) (*chat.Reply, error) {
	t.Helper()
	req, err := client.DecodeRequest(dialect.Incoming{Model: "m", Header: http.Header{"Anthropic-Version": {"2023-06-01"}}, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	a := provider.Account{Name: "far", Kind: provider.Kind{Name: upstream.Name(), Dialect: upstream.Name()}, BaseURL: "http://far"}
	model := map[string]string{"openai": "gpt-4.1", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-3-pro"}[upstream.Name()]
	return provider.NewChat(a, upstream, &http.Client{Transport: f}).Do(t.Context(), req, relay.Target{
		Model: model, Timeouts: catalog.Timeouts{FirstByte: time.Minute, Gap: time.Minute, Total: time.Minute},
	})
}

func message(stop string, blocks ...string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[` + strings.Join(blocks, ",") + `],"stop_reason":"` + stop + `","usage":{"input_tokens":5,"output_tokens":2}}`
}

func words(text string) string { return `{"type":"text","text":"` + text + `"}` }

func TestSeveralAnswersAreSeveralCalls(t *testing.T) {
	t.Parallel()
	f := &far{say: func(n int, _ gjson.Result) (int, string) { return 200, message("end_turn", words(fmt.Sprint(n))) }}
	reply, err := ask(t, openai.Codec{}, anthropic.Codec{}, `{"model":"m","n":4,"messages":[{"role":"user","content":"go"}]}`, f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range reply.Whole.Answers {
		seen[a.Parts[0].Text] = true
	}
	if u := reply.Whole.Usage; len(f.sent) != 4 || len(seen) != 4 || u.Input != 20 || u.Output != 8 || !u.Known {
		t.Errorf("%d calls, answers %v, usage %+v", len(f.sent), seen, u)
	}
}

func TestSeveralAnswersFailTogether(t *testing.T) {
	t.Parallel()
	f := &far{say: func(n int, _ gjson.Result) (int, string) {
		if n == 2 {
			return 429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`
		}
		return 200, message("end_turn", words("x"))
	}}
	_, err := ask(t, openai.Codec{}, anthropic.Codec{}, `{"model":"m","n":4,"messages":[{"role":"user","content":"go"}]}`, f)
	if e := fault.From(err); err == nil || e.Code != fault.RateLimited {
		t.Errorf("%v", err)
	}
}

// TestSeveralAnswersArePaidForEachByItself has one of several fail when another is there.
func TestSeveralAnswersArePaidForEachByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &far{say: func(n int, _ gjson.Result) (int, string) {
			if n > 0 {
				time.Sleep(time.Second)
				return 529, `{"type":"error","error":{"type":"overloaded_error","message":"m"}}`
			}
			return 200, message("end_turn", words("x"))
		}}
		_, err := ask(t, openai.Codec{}, anthropic.Codec{}, `{"model":"m","n":2,"max_tokens":99,"messages":[{"role":"user","content":"go"}]}`, f)
		spoilt, ok := errors.AsType[*chat.Spoilt](err)
		if e := fault.From(err); !ok || spoilt.Usage.Input != 5 || spoilt.Usage.Output != 2 || !spoilt.Usage.Known || !e.Owed || e.Code != fault.Unavailable {
			t.Errorf("%v, used %+v", err, spoilt)
		}
	})
}

func TestSeveralAnswersEndWithTheirClient(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := &far{say: func(int, gjson.Result) (int, string) {
		cancel()
		return 200, message("end_turn", words("x"))
	}}
	req, err := openai.Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(`{"model":"m","n":2,"messages":[{"role":"user","content":"go"}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	a := provider.Account{Name: "far", Kind: provider.Kind{Name: "anthropic", Dialect: "anthropic"}, BaseURL: "http://far"}
	_, err = provider.NewChat(a, anthropic.Codec{}, &http.Client{Transport: f}).Do(ctx, req, relay.Target{
		Model: "m", Timeouts: catalog.Timeouts{FirstByte: time.Minute, Gap: time.Minute, Total: time.Minute},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAPausedTurnGoesOn(t *testing.T) {
	t.Parallel()
	f := &far{say: func(n int, _ gjson.Result) (int, string) {
		if n == 0 {
			return 200, message("pause_turn", words("one "))
		}
		return 200, message("end_turn", words("two"))
	}}
	reply, err := ask(t, openai.Codec{}, anthropic.Codec{}, `{"model":"m","messages":[{"role":"user","content":"go"}]}`, f)
	if err != nil {
		t.Fatal(err)
	}
	answer := reply.Whole.Answers[0]
	if len(answer.Parts) != 1 || answer.Parts[0].Text != "one two" || answer.Stop.Reason != chat.EndTurn || reply.Whole.Usage.Output != 4 {
		t.Errorf("%+v %+v", answer, reply.Whole.Usage)
	}
	if last := f.sent[1].Get("messages.1"); last.Get("role").Str != "assistant" || strings.TrimSpace(last.Get("content.0.text").Str) != "one" {
		t.Errorf("sent back %s", f.sent[1].Raw)
	}
}

func streamed(stop, text string) string {
	var b strings.Builder
	for _, data := range []string{
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + text + `"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + stop + `"},"usage":{"output_tokens":2}}`,
		`{"type":"message_stop"}`,
	} {
		b.WriteString("event: " + gjson.Get(data, "type").Str + "\ndata: " + data + "\n\n")
	}
	return b.String()
}

func TestAPausedStreamGoesOnInTheSameBlock(t *testing.T) {
	t.Parallel()
	f := &far{say: func(n int, _ gjson.Result) (int, string) {
		if n < 2 {
			return 200, streamed("pause_turn", fmt.Sprint(n, " "))
		}
		return 200, streamed("end_turn", "end")
	}}
	reply, err := ask(t, openai.Codec{}, anthropic.Codec{}, `{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}]}`, f)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []chat.EventKind
	var text string
	var finish chat.Event
	for chunk, err := range reply.Stream {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range chunk.Events {
			if e.Kind != chat.Delta {
				kinds = append(kinds, e.Kind)
			}
			if e.Block != 0 {
				t.Errorf("block %d", e.Block)
			}
			text += e.Part.Text
			finish = e
		}
	}
	if fmt.Sprint(kinds) != fmt.Sprint([]chat.EventKind{chat.Start, chat.Open, chat.Close, chat.Finish}) || text != "0 1 end" {
		t.Errorf("%v %q", kinds, text)
	}
	if finish.Stop.Reason != chat.EndTurn || finish.Usage.Output != 6 || finish.Usage.Input != 15 || reply.Seen.Usage.Output != 6 {
		t.Errorf("%+v, seen %+v", finish, reply.Seen)
	}
	if said := f.sent[2].Get("messages.1.content.0.text").Str; strings.TrimSpace(said) != "0 1" {
		t.Errorf("sent back %q", said)
	}
	reply.Close()
}

// TestWhatPassesIsNotJudged has a stream of nothing but a call that names no tool: its client's own
// dialect is its upstream's, and every event is looked at on the way.
func TestWhatPassesIsNotJudged(t *testing.T) {
	t.Parallel()
	frames := strings.NewReplacer(`{"type":"text","text":""}`, `{"type":"tool_use","id":"t","name":"","input":{}}`, `{"type":"text_delta","text":"{}"}`, `{"type":"input_json_delta","partial_json":"{}"}`).Replace(streamed("tool_use", "{}"))
	f := &far{say: func(int, gjson.Result) (int, string) { return 200, frames }}
	req, err := anthropic.Codec{}.DecodeRequest(dialect.Incoming{Header: http.Header{"Anthropic-Version": {"2023-06-01"}}, Body: []byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"go"}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	a := provider.Account{Name: "far", Kind: provider.Kind{Name: "anthropic", Dialect: "anthropic"}, BaseURL: "http://far"}
	reply, err := provider.NewChat(a, anthropic.Codec{}, &http.Client{Transport: f}).Do(t.Context(), req, relay.Target{
		Model: "m", Watched: true, Timeouts: catalog.Timeouts{FirstByte: time.Minute, Gap: time.Minute, Total: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	var raw []byte
	for chunk, err := range reply.Stream {
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, chunk.Raw...)
	}
	if string(raw) != frames {
		t.Errorf("%s", raw)
	}
}

const signed = `{"type":"thinking","thinking":"hm","signature":"old"}`

func TestRefusedSignaturesAreForgottenOnce(t *testing.T) {
	t.Parallel()
	say := func(_ int, body gjson.Result) (int, string) {
		if strings.Contains(body.Raw, `"signature"`) {
			return 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0: Invalid `signature` in `thinking` block\"}}"
		}
		return 200, message("end_turn", words("x"))
	}
	own := `{ "model":"m","max_tokens":9000,"odd":1.0,"thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":"go"},` +
		`{"role":"assistant","content":[` + signed + `,{"type":"text", "text":"so"}]},{"role":"user","content":"more"}]}`
	f := &far{say: say}
	reply, err := ask(t, anthropic.Codec{}, anthropic.Codec{}, own, f)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(strings.Replace(own, signed+",", "", 1), `"m"`, `"claude-sonnet-4-5"`, 1)
	if len(f.sent) != 2 || f.sent[1].Raw != want || !reply.Passed || len(reply.Dropped) != 1 {
		t.Errorf("%d calls, the last\n%s\nwant\n%s\n%+v", len(f.sent), f.sent[len(f.sent)-1].Raw, want, reply.Dropped)
	}
	f = &far{say: func(int, gjson.Result) (int, string) { return say(0, gjson.Parse(`{"signature":1}`)) }}
	if _, err = ask(t, anthropic.Codec{}, anthropic.Codec{}, own, f); err == nil || len(f.sent) != 2 {
		t.Errorf("%d calls, %v", len(f.sent), err)
	}
}

func TestRefusedSignaturesOfAnotherDialect(t *testing.T) {
	t.Parallel()
	f := &far{say: func(n int, _ gjson.Result) (int, string) {
		if n == 0 {
			return 400, `{"error":{"code":400,"message":"Corrupted thought signature.","status":"INVALID_ARGUMENT"}}`
		}
		return 200, `{"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"finishReason":"STOP"}]}`
	}}
	envelope := chat.Envelope{Dialect: "gemini", Provider: "far", Model: "gemini-3-pro", Raw: "b2xk"}.Wrap()
	body := `{"model":"m","tools":[{"type":"function","function":{"name":"f"}}],"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[` +
		`{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"` + envelope + `"}}}]},{"role":"tool","tool_call_id":"c","content":"x"}]}`
	reply, err := ask(t, openai.Codec{}, gemini.Codec{}, body, f)
	if err != nil {
		t.Fatal(err)
	}
	const place = "contents.1.parts.0.thoughtSignature"
	if f.sent[0].Get(place).Str != "b2xk" || f.sent[1].Get(place).Str == "b2xk" || f.sent[1].Get(place).Str == "" {
		t.Errorf("%s\n%s", f.sent[0].Raw, f.sent[1].Raw)
	}
	if len(reply.Dropped) == 0 {
		t.Error("in silence")
	}
}

func TestGoogleSignaturesAreForgottenWhereTheyPass(t *testing.T) {
	t.Parallel()
	f := &far{say: func(n int, _ gjson.Result) (int, string) {
		if n == 0 {
			return 400, `{"error":{"code":400,"message":"Corrupted thought signature.","status":"INVALID_ARGUMENT"}}`
		}
		return 200, `{"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"finishReason":"STOP"}]}`
	}}
	reply, err := ask(t, gemini.Codec{}, gemini.Codec{}, `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"b2xk"}]},`+
		`{"parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`, f)
	if err != nil || len(f.sent) != 2 || strings.Contains(f.sent[1].Raw, "b2xk") || !strings.Contains(f.sent[1].Raw, "skip_thought_signature_validator") || len(reply.Dropped) != 1 {
		t.Errorf("%v %v", err, f.sent)
	}
}
