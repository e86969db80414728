package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// A client of Google's that writes models/ only before ids without a slash or another version of the
// API, and one of Groq's that writes /openai/v1 before every path, is sent to the route before any key is looked at,
// and to nothing else.
func TestPathsThatNoBaseURLMendsAreSentToTheRoute(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	b.door.Public = func() *url.URL { return &url.URL{Scheme: "https", Host: "x.example", Path: "/stele"} }
	b.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b.key = "wrong"
	for _, test := range []struct{ method, path, to string }{
		{"POST", "/api/v1beta/stele/sandbox:generateContent", "/stele/api/v1beta/models/stele/sandbox:generateContent"},
		{"POST", "/api/v1beta/stele/sandbox:streamGenerateContent?alt=sse", "/stele/api/v1beta/models/stele/sandbox:streamGenerateContent?alt=sse"},
		{"POST", "/api/v1beta/a/b/c:free:generateContent", "/stele/api/v1beta/models/a/b/c:free:generateContent"},
		{"POST", "/api/v1beta/a/b%2Fc:generateContent", "/stele/api/v1beta/models/a/b/c:generateContent"},
		{"POST", "/api/v1beta/stele%2Fsandbox:generateContent", "/stele/api/v1beta/models/stele/sandbox:generateContent"},
		{"POST", "/api/v1beta/models%2fsandbox:generateContent", "/stele/api/v1beta/models/sandbox:generateContent"},
		{"POST", "/api/v1beta/..%2Fsandbox:generateContent", ""},
		{"POST", "/api/v1beta/%2Fevil.example/x:generateContent", ""},
		{"POST", "/api/openai/v1/chat/completions?x=1", "/stele/api/v1/chat/completions?x=1"},
		{"GET", "/api/openai/v1/models", "/stele/api/v1/models"},
		{"POST", "/api/v1/openai/chat/completions", "/stele/api/v1/chat/completions"},
		{"POST", "/api/openai/v1/models", ""},
		{"POST", "/api/openai/v1/embeddings", ""},
		{"POST", "/api/openai/v1//chat/completions", ""},
		{"POST", "/api/openai/v1//evil.example/chat/completions", ""},
		{"POST", "/openai/v1/chat/completions", ""},
		{"GET", "/api/v1beta/stele/sandbox:generateContent", ""},
		{"POST", "/api/v1beta/sandbox:generateContent", ""},
		{"POST", "/api/v1beta/stele/sandbox:countTokens", ""},
		{"POST", "/api/v1beta/stele/../sandbox:generateContent", ""},
		{"POST", "/api/v1beta//sandbox:generateContent", ""},
		{"POST", "/api/v1beta//evil.example/x:generateContent", ""},
		{"POST", "/api/v1/models/m:generateContent", "/stele/api/v1beta/models/m:generateContent"},
		{"POST", "/api/v1/models/a/b%2Fc:streamGenerateContent?alt=sse", "/stele/api/v1beta/models/a/b/c:streamGenerateContent?alt=sse"},
		{"POST", "/api/v1alpha/models/m:generateContent", "/stele/api/v1beta/models/m:generateContent"},
		{"POST", "/api/v1beta1/models/m:generateContent", "/stele/api/v1beta/models/m:generateContent"},
		{"POST", "/api/v1/stele/sandbox:generateContent", "/stele/api/v1beta/models/stele/sandbox:generateContent"},
		{"GET", "/api/v1/models/m:generateContent", ""},
		{"POST", "/api/v1/models/m:countTokens", ""},
		{"POST", "/api/v1/models/m", ""},
		{"POST", "/api/v1/models/../m:generateContent", ""},
		{"POST", "/api/v1/models//evil.example/m:generateContent", ""},
		{"POST", "/api/v2/models/m:generateContent", ""},
	} {
		status, body, h := b.do(t, test.method, test.path, strings.NewReader("{}"))
		want := http.StatusPermanentRedirect
		if test.to == "" {
			want = http.StatusNotFound
		}
		if status != want || h.Get("Location") != test.to {
			t.Errorf("%s %s: %d to %q, want %q; %s", test.method, test.path, status, h.Get("Location"), test.to, body)
		}
	}
}

func TestAWrongBaseURLIsToldTheRightOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	b.door.Public = func() *url.URL { return &url.URL{Scheme: "https", Host: "x.example"} }
	const openAI, other = "https://x.example/api/v1,", "https://x.example/api,"
	const unversioned, google = "https://x.example/api/v1,", "https://x.example/api/v1beta,"
	for _, test := range []struct{ path, route, base, message string }{
		{"/v1/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/api/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/api/v1/v1/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/api/api/v1/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/api/v1/api/v1/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/api/v1/chat/completions/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/api/v1//chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/api/v1/chat/completions/", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/openai/v1/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/v1/models", "GET /api/v1/models", openAI, "error.message"},
		{"/v1/messages", "POST /api/v1/messages", other, "error.message"},
		{"/api/messages", "POST /api/v1/messages", unversioned, "error.message"},
		{"/messages", "POST /api/v1/messages", unversioned, "error.message"},
		{"/anthropic/messages/", "POST /api/v1/messages", unversioned, "error.message"},
		{"/api/models/m:generateContent", "POST /api/v1beta/models/m:generateContent", google, "error.message"},
		{"/models/a/b:streamGenerateContent?alt=sse", "POST /api/v1beta/models/a/b:streamGenerateContent", google, "error.message"},
		{"/v1/models/m:generateContent", "POST /api/v1beta/models/m:generateContent", other, "error.message"},
		{"/api/v1/v1/messages?beta=true", "POST /api/v1/messages", other, "error.message"},
		{"/api/v1/messages/v1/messages", "POST /api/v1/messages", other, "error.message"},
		{"/anthropic/v1/messages", "POST /api/v1/messages", other, "error.message"},
		{"/v1beta/models/m:generateContent", "POST /api/v1beta/models/m:generateContent", other, "error.message"},
		{"/api/v1beta/v1beta/models/a/b:streamGenerateContent?alt=sse", "POST /api/v1beta/models/a/b:streamGenerateContent", other, "error.message"},
		{"/api/v1/v1beta/models/m:generateContent", "POST /api/v1beta/models/m:generateContent", other, "error.message"},
		{"/api/v1beta/models/v1beta/models/m:generateContent", "POST /api/v1beta/models/m:generateContent", other, "error.message"},
		{"/api/v1/models/chat/completions", "POST /api/v1/chat/completions", openAI, "error.message"},
		{"/v1/generations", "POST /api/v1/generations", "", "error.message"},
		{"/v1/responses", "POST /api/v1/chat/completions", "", "error.message"},
		{"/v1/messages/count_tokens", "POST /api/v1/messages", "", "error.message"},
		{"/v1/audio/transcriptions", "input_audio", "", "error.message"},
		{"/api/v1/audio/translations", "input_audio", "", "error.message"},
		{"/api/v1/audio/speech", "POST /api/v1/generations", "", "error.message"},
		{"/v1/moderations", "Moderation is not offered", "", "error.message"},
		{"/api/tags", "Ollama's own API is not served", "", "error.message"},
		{"/api/generate", "Ollama's own API is not served", "", "error.message"},
		{"/api/openai/deployments/m/chat/completions?api-version=1", "Azure's paths are not served", "", "error.message"},
		{"/api/upload/v1beta/files", "Use POST /api/v1/files", "", "error.message"},
		{"/openai/deployments/m/chat/completions?api-version=1", "Azure's paths are not served", "", "error.message"},
		{"/v1beta1/projects/p/locations/l/publishers/google/models/m:generateContent", "Vertex AI's paths are not served", "", "error.message"},
		{"/api/v1beta1/publishers/google/models/m:streamGenerateContent?alt=sse", "Vertex AI's paths are not served", "", "error.message"},
		{"/model/anthropic.claude-sonnet-5/invoke", "Bedrock's paths are not served", "", "error.message"},
		{"/api/model/m/converse-stream", "Bedrock's paths are not served", "", "error.message"},
		{"/model/info", "GET /api/v1/models", "", "error.message"},
		{"/api/v1/auth/key", "X-Stele-Include-Cost", "", "error.message"},
		{"/v1beta/models/m:embedContent", "Embeddings are not offered", "", "error.message"},
		{"/api/v1beta/models/m:batchEmbedContents", "Embeddings are not offered", "", "error.message"},
		{"/api/v1/models/m:batchEmbedContents", "Embeddings are not offered", "", "error.message"}, // @google/genai 3
		{"/v1beta/models/m:countTokens", "POST /api/v1beta/models/{model}:generateContent counts them", "", "error.message"},
		{"/api/v1beta/models/a/m:batchGenerateContent", "Batches are not offered", "", "error.message"},
		{"/v1beta/models/m:predictLongRunning", "POST /api/v1/generations", "", "error.message"},
	} {
		path, _, _ := strings.Cut(test.path, "?")
		if !strings.HasPrefix(path, "/api/") && !Astray(path) {
			t.Errorf("%s is left to the pages", path)
		}
		status, body, h := b.do(t, "POST", test.path, strings.NewReader("{}"))
		said := gjson.Get(body, test.message).Str
		if status != http.StatusNotFound || !strings.Contains(said, test.route) || !strings.Contains(said, test.base) {
			t.Errorf("%s: %d %s, want %s and %s", test.path, status, body, test.route, test.base)
		}
		if h.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: may be tried again", test.path)
		}
		family := gjson.Get(body, "type").Str + gjson.Get(body, "error.status").Str
		if anthropic := strings.Contains(path, "/messages"); anthropic != (family == "error") {
			t.Errorf("%s: the shape of %q", test.path, family)
		}
		if gemini := strings.Contains(path, "models/") && strings.Contains(path, ":"); gemini != (family == "NOT_FOUND") && !strings.Contains(path, "count") {
			t.Errorf("%s: the shape of %q", test.path, family)
		}
	}
	for _, path := range []string{"/", "/console/keys", "/reference", "/favicon.ico", "/console/models", "/x/v1/models", "/welcome"} {
		if Astray(path) {
			t.Errorf("%s is taken from the pages", path)
		}
	}
}

// Bodies of the native routes are objects, and what is there twice is named in every family.
func TestBodiesThatAreNoObjects(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	for _, test := range []struct{ path, body, field, at string }{
		{"/api/v1/generations", "null", "", ""},
		{"/api/v1/generations", ` null `, "", ""},
		{"/api/v1/generations", `7`, "", ""},
		{"/api/v1/generations", `{"model":"a","model":"b"}`, "model", "error.details.field"},
		{"/api/v1/generations", `{"model":"a","x":[{"y":1,"y":2}]}`, "x[0].y", "error.details.field"},
		{"/api/v1/chat/completions", "null", "", ""},
		{"/api/v1/chat/completions", `{"model":"a","messages":[{"role":"user","role":"user"}]}`, "messages[0].role", "error.param"},
		{"/api/v1/messages", "null", "", ""},
		{"/api/v1/messages", `{"model":"a","model":"b"}`, "model", ""},
		{"/api/v1beta/models/m:generateContent", "null", "", ""},
		{"/api/v1beta/models/m:generateContent", `{"contents":[],"contents":[]}`, "contents", ""},
	} {
		status, body, h := b.do(t, "POST", test.path, strings.NewReader(test.body))
		if status != http.StatusBadRequest || !strings.Contains(body, "invalid_request_body") || h.Get("X-Should-Retry") != "false" {
			t.Errorf("%s %s: %d %s", test.path, test.body, status, body)
		}
		if test.at != "" && gjson.Get(body, test.at).Str != test.field {
			t.Errorf("%s %s: %s", test.path, test.body, body)
		}
	}
}

// TestWhatOthersServeNamesWhatToUse asks for all that is told about and not served: each
// path has its own hint, in the place where its clients read errors.
func TestWhatOthersServeNamesWhatToUse(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	b.key = "wrong"
	for _, s := range substitutes {
		path := strings.TrimSuffix(s.prefix, "/")
		if path != s.prefix {
			path += "/x"
		}
		status, body, _ := b.do(t, "PUT", path, strings.NewReader("{}"))
		if message := gjson.Get(body, "error.message").Str; status != http.StatusNotFound || !strings.HasSuffix(message, s.hint) {
			t.Errorf("%s: %d %q, want %q", path, status, message, s.hint)
		}
	}
}

// TestGooglesClientsAreToldInTheirShape asks below Google's version for what a route of another family does.
func TestGooglesClientsAreToldInTheirShape(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	for _, method := range []string{"GET", "POST"} {
		if status, body, _ := b.do(t, method, "/api/v1beta/files", nil); status != http.StatusNotFound || gjson.Get(body, "error.status").Str != "NOT_FOUND" {
			t.Errorf("%s: %d %s", method, status, body)
		}
	}
}
