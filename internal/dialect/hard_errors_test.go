package dialect_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

var plain = map[string]string{O: talkO(says("user", "go")), A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}]}`, G: `{"contents":[{"parts":[{"text":"go"}]}]}`}

var refusals = map[string]string{
	O: `{"error":{"message":"%","type":"invalid_request_error","param":null,"code":null}}`,
	A: `{"type":"error","error":{"type":"invalid_request_error","message":"%"}}`,
	G: `{"error":{"code":401,"message":"%","status":"UNAUTHENTICATED"}}`,
}

var hardErrors = section{"L", "errors", []hard{
	{number: 239, name: "the operator's key is bad", run: func(t *testing.T) {
		for _, to := range []string{O, A, G} {
			for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
				for _, from := range []string{O, A, G} {
					l := try(t, trip{from: from, to: to, ask: plain[from], status: status, answers: []string{strings.Replace(refusals[to], "%", "bad key sk-secret123456", 1)}})
					if l.status < 500 || strings.Contains(l.body, "secret") || strings.Contains(l.body, "auth") {
						t.Errorf("%s from %s: %d %s", from, to, l.status, l.body)
					}
				}
			}
		}
	}},
	{number: 241, name: "when to come back", run: func(t *testing.T) {
		l := try(t, trip{from: O, to: G, ask: plain[O], status: http.StatusTooManyRequests, answers: []string{
			`{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"57.3s"}]}}`,
		}})
		is(t, "the status", l.status, http.StatusTooManyRequests)
		l.gets("error.code", `"rate_limit_exceeded"`)
		is(t, "the wait", l.failure.RetryAfter, 57300*time.Millisecond)
	}},
	{number: 243, name: "Anthropic is overloaded", run: func(t *testing.T) {
		for from, want := range map[string]int{O: 503, G: 503, A: 529} {
			l := try(t, trip{from: from, to: A, ask: plain[from], status: 529, answers: []string{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}})
			is(t, "the status for "+from, l.status, want)
			switch from {
			case O:
				l.gets("error.code", `"server_is_overloaded"`)
			case G:
				l.gets("error.status", `"UNAVAILABLE"`)
			case A:
				l.gets("error.type", `"overloaded_error"`)
			}
		}
	}},
	{number: 244, name: "OpenAI is overloaded", run: func(t *testing.T) {
		l := try(t, trip{from: A, to: O, ask: plain[A], status: 503, answers: []string{`{"error":{"message":"busy","type":"service_unavailable_error","code":"server_is_overloaded"}}`}})
		is(t, "the status", l.status, 529)
		l.gets("error.type", `"overloaded_error"`)
	}},
	{number: 245, name: "errors that are no JSON", run: func(t *testing.T) {
		for _, from := range []string{O, A, G} {
			for _, to := range []string{O, A, G} {
				for status, body := range map[int]string{502: "<html>nginx</html>", 500: ""} {
					l := try(t, trip{from: from, to: to, ask: plain[from], status: status, answers: []string{body}})
					if l.status < 500 || !gjson.Get(l.body, "error.message").Exists() || strings.Contains(l.body, "nginx") {
						t.Errorf("%s from %s: %d %s", from, to, l.status, l.body)
					}
				}
			}
		}
	}},
	{number: 247, name: "OpenAI's quota is gone", answer: "429 rate_limit_error without Retry-After", run: func(t *testing.T) {
		l := try(t, trip{from: A, to: O, ask: plain[A], status: 429, header: http.Header{"Retry-After": {"20"}}, answers: []string{
			`{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`,
		}})
		is(t, "the status", l.status, 429)
		l.gets("error.type", `"rate_limit_error"`)
		is(t, "the wait", l.failure.RetryAfter, 0)
		is(t, "the calls", len(l.sent), 1)
	}},
	{number: 249, name: "a call that the model could not write", run: func(t *testing.T) {
		answer := `{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"x"}]}`
		l := try(t, trip{from: O, to: G, ask: plain[O], answers: []string{answer}})
		if l.failure == nil || l.status < 500 {
			t.Errorf("%d %s", l.status, l.body)
		}
		l = try(t, trip{from: O, to: G, stream: true, ask: withO(`"stream":true`), answers: []string{sse(answer)}})
		if l.failure == nil {
			t.Error(l.body)
		}
	}},
	{number: 251, name: "a filter in the middle of a stream", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{chunksO("content_filter", `{"content":"so far"}`)}})
		is(t, "the text", l.joined("delta.text"), "so far")
		is(t, "stop_reason", l.joined("delta.stop_reason"), "refusal")
		is(t, "stop_details", l.joined("delta.stop_details.type"), "refusal")
	}},
	{number: 253, name: "a body over the limit", answer: "413 in all three", elsewhere: "TestHard253ABodyOverTheLimit"},
}}
