package upstream

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestErrorsInEveryDialect looks at status, type and the time to wait.
func TestErrorsInEveryDialect(t *testing.T) {
	t.Parallel()
	servers := all(t)
	for _, c := range []struct {
		api    string
		answer Answer
		status int
		body   string
	}{
		{"openai", RateLimited(57300 * time.Millisecond), 429, `"code":"rate_limit_exceeded"`},
		{"openai", QuotaGone(), 429, `"code":"insufficient_quota"`},
		{"openai", Overloaded(), 503, `"code":"server_is_overloaded"`},
		{"openai", TooLong(), 400, `"code":"context_length_exceeded"`},
		{"openai", Broken(), 500, `"type":"server_error"`},
		{"openai", BadKey(), 401, `"code":"invalid_api_key"`},
		{"openai", HTML(502), 502, `<h1>Bad Gateway</h1>`},
		{"openai", Status(500, ""), 500, ``},
		{"openai", ErrorIn200(), 200, `{"error":{`},
		{"anthropic", RateLimited(time.Second), 429, `"type":"rate_limit_error"`},
		{"anthropic", Overloaded(), 529, `"type":"overloaded_error"`},
		{"anthropic", Status(529, `{"x":1}`), 529, `{"x":1}`},
		{"anthropic", Fail(504, "slow"), 504, `"type":"timeout_error","message":"slow"`},
		{"gemini", RateLimited(57300 * time.Millisecond), 429, `"retryDelay":"57.300s"`},
		{"gemini", Overloaded(), 503, `"status":"UNAVAILABLE"`},
		{"gemini", BadKey(), 400, `"reason":"API_KEY_INVALID"`},
	} {
		s := servers[c.api]
		where, body := streamed(s)
		s.Next(c.answer)
		answer := post(t, s, where, body)
		if answer.status != c.status || !strings.Contains(answer.body, c.body) {
			t.Errorf("%s: %d %s, not %d %s", c.api, answer.status, answer.body, c.status, c.body)
		}
		if wait := answer.header.Get("Retry-After"); (c.status == 429 && c.api == "openai") && strings.Contains(c.body, "rate") && wait != "58" {
			t.Errorf("Retry-After %q", wait)
		}
	}
}

func TestErrorAfter(t *testing.T) {
	t.Parallel()
	for name, s := range all(t) {
		where, body := streamed(s)
		s.Next(ErrorAfter(3))
		es := events(t, post(t, s, where, body).body)
		if last := es[len(es)-1].data; len(es) != 4 || !strings.Contains(last, `"error":{`) {
			t.Errorf("%s: %v", name, es)
		}
	}
}

// TestOddities only looks that each is what its name says.
func TestOddities(t *testing.T) {
	t.Parallel()
	servers := all(t)
	for _, c := range []struct {
		api    string
		answer Answer
		want   string
	}{
		{"openai", InterleavedCalls(), `[{"index":1,"function":{"arguments":":2}"}}]`},
		{"openai", CallsAllIndexZero(), `"index":0,"id":"call_g"`},
		{"openai", CallsWithoutIndex(), `"tool_calls":[{"id":"call_g"`},
		{"openai", CallsRepeatingNames(), `"id":"call_f","type":"function","function":{"name":"f","arguments":":1}"`},
		{"openai", EmptyChoices(), `"choices":[]}`},
		{"openai", Chain(Say(Text("a")), Finished("content_filter")), `"finish_reason":"content_filter"`},
		{"openai", Say(Think("hm"), Text("a")), `"reasoning_content":"hm"`},
		{"anthropic", Chain(Say(Text("a"), Call("f", `{}`), Text("b"), Call("g", `{}`)), Finished("max_tokens")), `"stop_reason":"max_tokens"`},
		{"anthropic", Used(`{"input_tokens":12,"cache_read_input_tokens":18000,"output_tokens":900}`), `"usage":{"input_tokens":12,"cache_read_input_tokens":18000,"output_tokens":900}`},
		{"anthropic", Say(Block{Kind: "call", Name: "f", Args: `{"a":"é"}`, Pieces: []string{`{"a":"\u00`, `e9"}`}}), `"partial_json":"{\"a\":\"\\u00"}`},
		{"anthropic", Say(Redacted(), Text("a")), `"redacted_thinking"`},
		{"gemini", Blocked("SAFETY"), `"promptFeedback":{"blockReason":"SAFETY"`},
		{"gemini", Malformed(), `"finishReason":"MALFORMED_FUNCTION_CALL"`},
		{"gemini", NoCandidates(), `data: {"usageMetadata"`},
		{"gemini", Continued("tok"), `"continuationToken":"tok"`},
		{"gemini", StopEverywhere(), `"parts":[{"text":"You "}],"role":"model"},"finishReason":"STOP"`},
		{"gemini", BareEnd(), `"candidates":[{"finishReason":"STOP"`},
		{"gemini", Say(Block{Kind: "text", Text: "a b", Signature: "c2ln"}), `{"text":"","thoughtSignature":"c2ln"}`},
		{"gemini", Say(Call("f", `{}`), Call("g", `{}`)), `{"functionCall":{"name":"g","args":{}}}`},
	} {
		s := servers[c.api]
		where, body := streamed(s)
		s.Next(c.answer)
		answer := post(t, s, where, body)
		if answer.status != 200 || !strings.Contains(answer.body, c.want) {
			t.Errorf("%s: %d %s\nwithout %s", c.api, answer.status, answer.body, c.want)
		}
	}
}

func TestTheOtherForm(t *testing.T) {
	t.Parallel()
	for name, s := range all(t) {
		where, body := streamed(s)
		s.Next(Whole())
		if answer := post(t, s, where, body); !strings.HasPrefix(answer.body, "{") || !strings.HasPrefix(answer.header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %s", name, answer.body)
		}
		s.Next(Streamed())
		where = strings.Replace(where, "streamGenerateContent?alt=sse", "generateContent", 1)
		if answer := post(t, s, where, strings.Replace(body, `,"stream":true`, ``, 1)); len(events(t, answer.body)) < 3 {
			t.Errorf("%s: %s", name, answer.body)
		}
	}
}

// TestScriptsAndRefusals has a refusal come before a script, and not use it up.
func TestScriptsAndRefusals(t *testing.T) {
	t.Parallel()
	s := NewAnthropic(t, WithKey("other"), WithModels("claude-a", "claude-b"))
	s.Next(Status(529, `{}`))
	s.Handle(func(r *Recorded) Answer {
		if strings.Contains(string(r.Body), "special") {
			return Fail(http.StatusTeapot, "short and stout")
		}
		return nil
	})
	for i, c := range []struct {
		body   string
		status int
	}{
		{`{}`, 400}, {chatClaude("claude-a", userClaude, ``), 529}, {chatClaude("claude-a", userClaude, ``), 200},
		{chatClaude("claude-a", `{"role":"user","content":"special"}`, ``), 418}, {chatClaude("claude-c", userClaude, ``), 404},
	} {
		if answer := post(t, s, "/v1/messages", c.body); answer.status != c.status {
			t.Errorf("%d: %d %s", i, answer.status, answer.body)
		}
	}
	if len(s.Requests()) != 5 || len(s.Refusals()) != 2 || s.Refusals()[1].Refusal.Status != 404 {
		t.Errorf("%d requests, refused %v", len(s.Requests()), s.Refusals())
	}
	r := request(t, s, "/v1/models", "")
	r.Method = http.MethodGet
	if v := send(t, r).value(t); textAt(v, "data", 1, "id") != "claude-b" || textAt(v, "first_id") != "claude-a" {
		t.Errorf("models %s", encode(v))
	}
}

func TestLenient(t *testing.T) {
	t.Parallel()
	s := NewOpenAI(t, Lenient())
	for _, body := range []string{`{"model":"x","messages":[{"role":"user","content":"hi","odd":1}],"top_k":3}`, `not json`, `[]`, `{"messages":5}`} {
		if answer := post(t, s, "/openai/v1/chat/completions", body); answer.status != 200 {
			t.Errorf("%s: %d %s", body, answer.status, answer.body)
		}
	}
	if string(s.Last(t).Body) != `{"messages":5}` || s.Last(t).Path != "/openai/v1/chat/completions" {
		t.Errorf("%+v", s.Last(t))
	}
}
