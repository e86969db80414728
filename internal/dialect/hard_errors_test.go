package dialect_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"stele/internal/fault"
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
	{number: 1004, name: "403 about the request, about the model and about the account", run: func(t *testing.T) {
		for _, row := range []struct {
			to, kind, body string
			want           int // to a client of OpenAI's or Anthropic's
			ours           bool
		}{
			{O, "xai", `{"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Team: 0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f, API key ID: 0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO"}`, 400, false},
			{O, "xai", `{"code":"permission-denied","error":"Access to the chat endpoint is denied."}`, 500, true},
			{O, "mistral", `{"message":"Request blocked by guardrail: violence","type":"guardrail"}`, 400, false},
			{O, "", `{"error":{"message":"Project proj_abcdefgh does not have access to model gpt-9","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, 404, false},
			{O, "groq", `{"error":{"message":"The model llama is blocked at the organization level. Please have the org admin enable it.","type":"permissions_error","code":"model_permission_blocked_org"}}`, 404, false},
			{O, "", `{"error":{"message":"Your account was flagged by our systems and is suspended.","type":"invalid_request_error","code":null}}`, 500, true},
			{O, "", `{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","code":"unsupported_country_region_territory"}}`, 500, true},
			{A, "", `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}`, 500, true},
			{A, "", `{"type":"error","error":{"type":"permission_error","message":"You don't have access to the model with the specified model ID."}}`, 404, false},
			{G, "", `{"error":{"code":403,"message":"CachedContent not found (or permission denied)","status":"PERMISSION_DENIED"}}`, 400, false},
			{G, "", `{"error":{"code":403,"message":"You do not have permission to access the File abc or it may not exist.","status":"PERMISSION_DENIED"}}`, 400, false},
			{G, "", `{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}`, 500, true},
		} {
			for _, from := range []string{O, A, G} {
				l := try(t, trip{from: from, to: row.to, kind: row.kind, ask: plain[from], status: http.StatusForbidden, answers: []string{row.body}})
				want := row.want
				if want == http.StatusInternalServerError && from == O {
					want = http.StatusBadGateway
				}
				if l.status != want || l.failure.Credentials != row.ours || strings.Contains(l.body, "0a1b2c3d") || strings.Contains(l.body, "proj_") {
					t.Errorf("%s, %s: %d %s", from, row.body, l.status, l.body)
				}
			}
		}
		for to, words := range map[string]string{A: "This organization has been disabled.", O: "Organization has been restricted. Please reach out to support if you believe this was in error."} {
			from := others(to)[0]
			if l := try(t, trip{from: from, to: to, ask: plain[from], status: 400, answers: []string{said(to, words)}}); !l.failure.Credentials {
				t.Errorf("%s: %s", to, l.body)
			}
		}
		l := try(t, trip{from: A, to: O, ask: plain[A], status: 400, answers: []string{said(O, "Invalid tool 'this organization has been disabled'")}})
		is(t, "a client's own words", l.failure.Code, fault.InvalidParameter)
	}},
}}
