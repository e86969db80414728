package provider

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/fault"
)

func TestAProbeSaysWhatCameOfIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		serve func(http.ResponseWriter, *http.Request)
		did   string
		says  string
		code  fault.Code
	}{
		"a list":           {jsonAnswer(`{"data":[{"id":"a"},{"id":"b"}]}`), "listed 2 models", "", ""},
		"a wrong key":      {refusal(401, "", `{"error":{"message":"Incorrect API key provided: sk-very-secret"}}`), "", "refused the credentials (status 401)", fault.UpstreamError},
		"a wrong path":     {refusal(404, "", `{}`), "", "Check the base URL", ""},
		"an empty account": {refusal(429, "", `{"error":{"message":"quota","code":"insufficient_quota"}}`), "", "limit or quota", fault.RateLimited},
		"its own trouble":  {refusal(500, "", `{}`), "", "trouble of its own (status 500)", ""},
		"no list":          {jsonAnswer(`<html>`), "", "no list came", ""},
	} {
		server := newCloud(t, test.serve)
		p := open(t, "openai", server.URL+"/v1", "sk-very-secret", nil, server.Client()).Probe(t.Context(), "")
		if test.did != "" && (p.Did != test.did || p.Problem != "" || p.Err != nil || p.Status != 200) {
			t.Errorf("%s: %+v", name, p)
		}
		if !strings.Contains(p.Problem, test.says) || test.says != "" && p.Err == nil {
			t.Errorf("%s: the problem is %q, want %q", name, p.Problem, test.says)
		}
		if test.code != "" && fault.From(p.Err).Code != test.code {
			t.Errorf("%s: %v", name, p.Err)
		}
		if strings.Contains(p.Problem, "sk-very-secret") || p.Err != nil && strings.Contains(p.Err.Error(), "sk-very-secret") {
			t.Errorf("%s: the key is in %q, %v", name, p.Problem, p.Err)
		}
	}
}

func TestAProbeSaysWhyNothingCame(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(func() { close(release); silent.Close() })
	for name, test := range map[string]struct{ address, says string }{
		"nobody there":  {closed.URL, "Nothing listens"},
		"no such host":  {"http://nothing.invalid", "nothing.invalid"},
		"a strange CA":  {secure.URL, "does not trust"},
		"no TLS at all": {strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS"},
		"silence":       {silent.URL, "No answer came in time"},
	} {
		within := 30 * time.Second // whatever the machine is busy with
		if name == "silence" {
			within = 500 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), within)
		p := open(t, "openai", test.address+"/v1", "k", nil, http.DefaultClient).Probe(ctx, "")
		cancel()
		if !strings.Contains(p.Problem, test.says) || p.Status != 0 || fault.From(p.Err).Code != fault.UpstreamError {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestWhatAnUpstreamSaidIsFoundInItsAnswer(t *testing.T) {
	t.Parallel()
	for cause, want := range map[string]string{
		`upstream answered 500: {"error":{"message":"on fire"}}`: "on fire",
		`[{"error":{"message":"Google's way"}}]`:                 "Google's way",
		`{"error":"just words"}`:                                 "just words",
		`upstream answered 502: <html>Bad Gateway</html>`:        "",
		`connection reset by peer`:                               "connection reset by peer",
	} {
		if got := WordsOf(cause); got != want {
			t.Errorf("Said(%q) is %q, want %q", cause, got, want)
		}
	}
}

func TestAProbeOfAnUnlistedKindSpeaksToAModel(t *testing.T) {
	t.Parallel()
	server := newCloud(t, jsonAnswer(`{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`))
	c := open(t, "perplexity", server.URL, "k", nil, server.Client())
	if p := c.Probe(t.Context(), ""); !strings.Contains(p.Problem, "Name one of its models") {
		t.Errorf("without a model: %+v", p)
	}
	p := c.Probe(t.Context(), "sonar")
	if p.Problem != "" || p.Did != "answered as sonar" {
		t.Errorf("with a model: %+v", p)
	}
	if _, _, body := server.asked(); !strings.Contains(body, `"sonar"`) {
		t.Errorf("asked %s", body)
	}
}
