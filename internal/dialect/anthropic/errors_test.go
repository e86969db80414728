package anthropic

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stele/internal/fault"
)

func TestHard239To253UpstreamsErrors(t *testing.T) {
	t.Parallel()
	body := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`
	}
	for _, row := range []struct {
		status int
		header http.Header
		body   string
		code   fault.Code
		after  time.Duration
		reason string
	}{
		{401, nil, body("authentication_error", "invalid x-api-key"), fault.UpstreamError, 0, ""},
		{403, nil, body("permission_error", "no"), fault.UpstreamError, 0, ""},
		{402, nil, body("billing_error", "pay"), fault.UpstreamError, 0, ""},
		{400, nil, body("invalid_request_error", "max_tokens: Field required"), fault.InvalidParameter, 0, ""},
		{400, nil, body("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), fault.InvalidParameter, 0, "context_length_exceeded"},
		{400, nil, body("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), fault.RateLimited, 0, "insufficient_quota"},
		{404, nil, body("not_found_error", "model: claude-9"), fault.ModelNotFound, 0, ""},
		{404, nil, "<html>not here</html>", fault.UpstreamError, 0, ""},
		{404, nil, `{"type":"error","error":{"type":"not_found_error","message":"no thread","details":{"error_code":"thread_not_found"}}}`, fault.InvalidParameter, 0, ""},
		{413, nil, body("request_too_large", "too large"), fault.BodyTooLarge, 0, ""},
		{429, http.Header{"Retry-After": {"57.3"}}, body("rate_limit_error", "slow down"), fault.RateLimited, 57300 * time.Millisecond, ""},
		{429, http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"9"}}, body("rate_limit_error", "slow down"), fault.RateLimited, 1500 * time.Millisecond, ""},
		{429, nil, body("rate_limit_error", "You have reached your specified API usage limits."), fault.RateLimited, 0, "insufficient_quota"},
		{529, http.Header{"Retry-After": {"3"}}, body("overloaded_error", "Overloaded"), fault.Unavailable, 3 * time.Second, "server_is_overloaded"},
		{503, nil, "", fault.Unavailable, 0, "server_is_overloaded"},
		{504, nil, body("timeout_error", "late"), fault.UpstreamTimeout, 0, ""},
		{500, nil, "", fault.UpstreamError, 0, ""},
		{502, nil, "<html><body>Bad gateway at http://10.0.0.1</body></html>", fault.UpstreamError, 0, ""},
		{400, nil, "nonsense", fault.UpstreamError, 0, ""},
	} {
		e := Codec{}.DecodeError(row.status, row.header, []byte(row.body))
		reason, _ := e.Details["reason"].(string)
		if e.Code != row.code || e.RetryAfter != row.after || reason != row.reason {
			t.Errorf("%d %s: got %v after %v because %q", row.status, row.body, e.Code, e.RetryAfter, reason)
		}
		if e.Err == nil || strings.Contains(e.Message, "<html") || strings.Contains(e.Message, "api-key") {
			t.Errorf("%q %v", e.Message, e.Err)
		}
	}
	if e := (Codec{}).DecodeError(429, http.Header{"Retry-After": {time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}}, nil); e.RetryAfter < 50*time.Second {
		t.Error(e.RetryAfter)
	}
}

func TestMessagesTellNothingOfTheOperator(t *testing.T) {
	t.Parallel()
	const message = "bad: key sk-ant-api03-abcdefghijk of org-123456789 (0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f) by ops@example.com, see https://console.anthropic.com/x?y=z and req_011CSHoEeqs5"
	e := Codec{}.DecodeError(400, nil, []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"`+message+`"}}`))
	for _, secret := range []string{"sk-ant", "org-1", "0a1b2c3d", "example.com", "console.", "req_0"} {
		if strings.Contains(e.Message, secret) {
			t.Errorf("%q is in %q", secret, e.Message)
		}
	}
	if !strings.HasPrefix(e.Message, "bad: key [key] of ") {
		t.Error(e.Message)
	}
}

func TestOurErrorsHaveTheAPIsShape(t *testing.T) {
	t.Parallel()
	for code, want := range map[fault.Code]string{
		fault.Unavailable: "529 overloaded_error", fault.UpstreamError: "500 api_error", fault.RateLimited: "429 rate_limit_error",
		fault.InvalidParameter: "400 invalid_request_error", fault.BodyTooLarge: "413 request_too_large", fault.UpstreamTimeout: "504 timeout_error",
		fault.ModelNotFound: "404 not_found_error", fault.InsufficientCredits: "402 billing_error", fault.StrictMode: "400 invalid_request_error",
	} {
		status, body := Codec{}.EncodeError(fault.New(code, "No."), "req_1")
		kind, _, _ := strings.Cut(want, " ")
		if got := http.StatusText(status); kind != strconv.Itoa(status) || !strings.Contains(string(body), `"type":"`+strings.TrimPrefix(want, kind+" ")+`"`) {
			t.Errorf("%s: %d %s %s", code, status, got, body)
		}
	}
	frame := Codec{}.NewEncoder(nil).Fail(nil, fault.New(fault.Unavailable, "No."), "req_1")
	if !strings.HasPrefix(string(frame), "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"") || !strings.HasSuffix(string(frame), "}\n\n") {
		t.Errorf("%s", frame)
	}
}

// TestClientsHearThatThereAreNoThreads checks the code by which Anthropic's own
// tool runners know that they must send all of a conversation.
func TestClientsHearThatThereAreNoThreads(t *testing.T) {
	t.Parallel()
	_, body := Codec{}.EncodeError(fault.New(fault.InvalidParameter, "No.").Field("thread"), "req_1")
	if want := `"details":{"error_code":"thread_unsupported_request","unsupported":["thread"]}`; !strings.Contains(string(body), want) {
		t.Errorf("%s lacks %s", body, want)
	}
	lost := Codec{}.DecodeError(404, nil, []byte(`{"error":{"type":"not_found_error","message":"No.","details":{"error_code":"thread_not_found"}}}`))
	if _, body = (Codec{}).EncodeError(lost, "req_1"); !strings.Contains(string(body), `"details":{"error_code":"thread_not_found"}`) {
		t.Errorf("%s", body)
	}
}
