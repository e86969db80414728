package openai

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"stele/internal/fault"
)

func TestUpstreamRefusals(t *testing.T) {
	t.Parallel()
	said := func(message, kind, code string) string {
		return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":"` + code + `"}}`
	}
	for name, row := range map[string]struct {
		status int
		header string
		body   string
		code   fault.Code
		reason string
		after  time.Duration
	}{
		"hard case 239: our key":           {401, "", said("Incorrect API key provided: sk-abc123456789", "invalid_request_error", "invalid_api_key"), fault.UpstreamError, "", 0},
		"hard case 239: our country":       {403, "", said("no", "x", "unsupported_country"), fault.UpstreamError, "", 0},
		"our money":                        {402, "", said("pay", "x", ""), fault.UpstreamError, "", 0},
		"our key, said otherwise":          {400, "", said("API key not valid", "x", ""), fault.UpstreamError, "", 0},
		"limited":                          {429, "Retry-After: 20", said("Rate limit reached", "requests", "rate_limit_exceeded"), fault.RateLimited, "", 20 * time.Second},
		"limited, milliseconds":            {429, "Retry-After-Ms: 350", said("Rate limit reached", "requests", "rate_limit_exceeded"), fault.RateLimited, "", 350 * time.Millisecond},
		"limited, in words":                {429, "", said("Please try again in 6m0.5s.", "tokens", "rate_limit_exceeded"), fault.RateLimited, "", 6*time.Minute + 500*time.Millisecond},
		"hard case 247: quota":             {429, "Retry-After: 20", said("You exceeded your current quota, check your plan and billing", "insufficient_quota", "insufficient_quota"), fault.RateLimited, "insufficient_quota", 0},
		"hard case 244: overloaded":        {503, "", said("busy", "service_unavailable_error", "server_is_overloaded"), fault.Unavailable, "server_is_overloaded", 0},
		"overloaded, as another says it":   {529, "", ``, fault.Unavailable, "server_is_overloaded", 0},
		"bad request":                      {400, "", said("Invalid value", "invalid_request_error", "invalid_value"), fault.InvalidParameter, "", 0},
		"bad request of FastAPI":           {422, "", `{"detail":[{"loc":["body","x"],"msg":"field required"}]}`, fault.InvalidParameter, "", 0},
		"too long":                         {400, "", said("This model's maximum context length is 128000 tokens.", "invalid_request_error", "context_length_exceeded"), fault.InvalidParameter, "context_length_exceeded", 0},
		"no model":                         {404, "", said("The model `x` does not exist", "invalid_request_error", "model_not_found"), fault.ModelNotFound, "", 0},
		"no such address":                  {404, "", `<html>404</html>`, fault.UpstreamError, "", 0},
		"too large":                        {413, "", ``, fault.BodyTooLarge, "", 0},
		"timeout":                          {504, "", `<html>`, fault.UpstreamTimeout, "", 0},
		"hard case 245: HTML":              {502, "", `<html><body>Bad gateway</body></html>`, fault.UpstreamError, "", 0},
		"hard case 245: nothing":           {500, "", ``, fault.UpstreamError, "", 0},
		"a bad request that says nothing":  {400, "", ``, fault.UpstreamError, "", 0},
		"a date far away":                  {429, "Retry-After: Fri, 31 Dec 2199 23:59:59 GMT", `{}`, fault.RateLimited, "", 24 * time.Hour},
		"a list, as Gemini's endpoint has": {400, "", `[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`, fault.InvalidParameter, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			if key, value, ok := strings.Cut(row.header, ": "); ok {
				h.Set(key, value)
			}
			e := Codec{}.DecodeError(row.status, h, []byte(row.body))
			reason, _ := e.Details["reason"].(string)
			if e.Code != row.code || reason != row.reason || e.RetryAfter != row.after || e.Err == nil {
				t.Errorf("%s %q after %s: %v", e.Code, reason, e.RetryAfter, e)
			}
			if strings.Contains(e.Message, "<") {
				t.Errorf("HTML reaches the client: %s", e.Message)
			}
		})
	}
}

func TestMessagesTellNothingOfTheOperator(t *testing.T) {
	t.Parallel()
	secret := "Request for org-AbC123456789 in proj_abcdef123456 with key sk-proj-abc***********xyz failed, see https://platform.openai.com/account or mail ops@example.com, request req_0123456789abcdef, id 123e4567-e89b-12d3-a456-426614174000, Bearer abc.def"
	e := Codec{}.DecodeError(400, nil, []byte(`{"error":{"message":"`+secret+`","param":"messages[0]"}}`))
	for _, word := range []string{"AbC123", "abcdef", "sk-", "platform", "ops@", "0123456789", "123e4567", "abc.def"} {
		if strings.Contains(e.Message, word) {
			t.Errorf("%q in %q", word, e.Message)
		}
	}
	if e.Details["field"] != "messages[0]" || !strings.Contains(e.Err.Error(), "org-AbC123456789") {
		t.Error(e.Details, e.Err)
	}
	long := Codec{}.DecodeError(400, nil, []byte(`{"error":{"message":"`+strings.Repeat("é", 5000)+`"}}`))
	if len(long.Message) > 1100 || len(long.Err.Error()) > 2200 {
		t.Error(len(long.Message), len(long.Err.Error()))
	}
}

func TestErrorsTowardsClients(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*fault.Error{
		"429 rate_limit_error rate_limit_exceeded":           fault.New(fault.RateLimited, "x"),
		"400 invalid_request_error context_length_exceeded":  fault.New(fault.InvalidParameter, "x").With("reason", "context_length_exceeded"),
		"429 insufficient_quota+insufficient_quota":          fault.New(fault.RateLimited, "x").With("reason", "insufficient_quota"),
		"503 service_unavailable_error server_is_overloaded": fault.New(fault.Unavailable, "x").With("reason", "server_is_overloaded"),
		"503 service_unavailable_error unavailable":          fault.New(fault.Unavailable, "x"),
		"404 invalid_request_error model_not_found":          fault.New(fault.ModelNotFound, "x"),
		"502 server_error upstream_error":                    fault.New(fault.UpstreamError, "x"),
		"400 invalid_request_error invalid_parameter":        fault.New(fault.InvalidParameter, "x").With("reason", "something else"),
	} {
		status, body := Codec{}.EncodeError(e, "")
		b := gjson.ParseBytes(body).Get("error")
		if got := strings.TrimSpace(http.StatusText(status)); got == "" {
			t.Errorf("status %d", status)
		}
		if got := strings.Join([]string{itoa(status), b.Get("type").Str, b.Get("code").Str}, " "); got != strings.ReplaceAll(want, "+", " ") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func itoa(n int) string { return gjson.Result{Type: gjson.Number, Num: float64(n)}.String() }
