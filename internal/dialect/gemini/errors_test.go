package gemini

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/internal/fault"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	problem := func(code, message, status, details string) string {
		return `{"error":{"code":` + code + `,"message":"` + message + `","status":"` + status + `","details":[` + details + `]}}`
	}
	const retry = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"57.3s"}`
	for name, test := range map[string]struct {
		status int
		header string
		body   string
		want   fault.Code
		after  time.Duration
		says   string
		reason any
	}{
		"hard case 239: our key":               {status: 401, body: problem("401", "bad key AIzaSyA1234567890", "UNAUTHENTICATED", ""), want: fault.UpstreamError},
		"our key, Google's way":                {status: 400, body: problem("400", "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", `{"@type":"x","reason":"API_KEY_INVALID"}`), want: fault.UpstreamError},
		"our rights":                           {status: 403, body: problem("403", "no", "PERMISSION_DENIED", ""), want: fault.UpstreamError},
		"our country":                          {status: 400, body: problem("400", "User location is not supported for the API use.", "FAILED_PRECONDITION", ""), want: fault.UpstreamError},
		"hard case 241: too many, with a time": {status: 429, body: problem("429", "Quota exceeded", "RESOURCE_EXHAUSTED", retry), want: fault.RateLimited, after: 57300 * time.Millisecond},
		"too many, by header":                  {status: 429, header: "7", body: `[` + problem("429", "x", "RESOURCE_EXHAUSTED", "") + `]`, want: fault.RateLimited, after: 7 * time.Second},
		"the quota is gone":                    {status: 429, body: problem("429", "You exceeded your current quota, please check your plan and billing details.", "RESOURCE_EXHAUSTED", ""), want: fault.RateLimited},
		"hard case 243: overloaded":            {status: 503, body: problem("503", "The model is overloaded.", "UNAVAILABLE", ""), want: fault.Unavailable, reason: "server_is_overloaded"},
		"bad request":                          {status: 400, body: problem("400", `* GenerateContentRequest.contents: contents is not specified, see https://ai.google.dev/x for projects/123456789`, "INVALID_ARGUMENT", ""), want: fault.InvalidParameter, says: "* GenerateContentRequest.contents: contents is not specified, see [address] for [id]"},
		"too long":                             {status: 400, body: problem("400", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", "INVALID_ARGUMENT", ""), want: fault.InvalidParameter, reason: "context_length_exceeded"},
		"too large":                            {status: 400, body: problem("400", "Request payload size exceeds the limit: 20971520 bytes.", "INVALID_ARGUMENT", ""), want: fault.BodyTooLarge},
		"no such model":                        {status: 404, body: problem("404", "models/x is not found", "NOT_FOUND", ""), want: fault.ModelNotFound},
		"too slow":                             {status: 504, body: problem("504", "x", "DEADLINE_EXCEEDED", ""), want: fault.UpstreamTimeout},
		"hard case 245: HTML":                  {status: 502, body: "<html><body>Bad gateway</body></html>", want: fault.UpstreamError},
		"hard case 245: nothing":               {status: 500, want: fault.UpstreamError},
		"a string":                             {status: 400, body: `{"error":"nope"}`, want: fault.InvalidParameter, says: "nope"},
		"nothing said":                         {status: 400, body: `{}`, want: fault.UpstreamError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Codec{}.DecodeError(test.status, http.Header{"Retry-After": {test.header}}, []byte(test.body))
			if e.Code != test.want || e.RetryAfter != test.after || e.Details["reason"] != test.reason {
				t.Errorf("%+v", e)
			}
			if test.says != "" && e.Message != test.says {
				t.Errorf("says %q", e.Message)
			}
			if e.Err == nil || strings.Contains(e.Message, "AIza") || strings.Contains(e.Message, "<html") {
				t.Errorf("cause %v, message %q", e.Err, e.Message)
			}
		})
	}
}
