package bridge_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const list = `{"object":"list","data":[{"id":"a/b","object":"model","name":"A","description":"About A.","context_window":1000,"max_completion_tokens":100},{"id":"c","object":"model"}]}`

func TestOneModel(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newServer(t, list))
	for path, want := range map[string]string{
		"/v1/models/a/b": `{"id":"a/b",`, "/v1/models/a%2Fb": `{"id":"a/b",`, "/api/v1/models/c": `{"id":"c",`,
		"/v1beta/models/a/b": `{"name":"models/a/b","version":"1","displayName":"A","description":"About A.","inputTokenLimit":1000,"outputTokenLimit":100,"supportedGenerationMethods":[`,
		"/v1beta/models":     `{"models":[{"name":"models/a/b",`,
	} {
		if status, _, got := ask(t, "GET", b.URL+path, ""); status != http.StatusOK || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
	for path, want := range map[string]string{"/v1/models/a/b": `{"name":"models/a/b",`, "/v1/models": `{"models":[{"name":"models/a/b",`} {
		if status, _, got := ask(t, "GET", b.URL+path, "", "X-Goog-Api-Client", "google-genai-sdk/3.1.0"); status != http.StatusOK || !strings.HasPrefix(got, want) {
			t.Errorf("%s of Google's client: %d %s", path, status, got)
		}
	}
	for path, want := range map[string]string{"/v1/models/none": `"code":"model_not_found"`, "/v1beta/models/none": `"NOT_FOUND"`} {
		if status, _, got := ask(t, "GET", b.URL+path, ""); status != http.StatusNotFound || !strings.Contains(got, want) {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
}

// TestOneModelIsLookedForByItsName asks a server that finds models by names of no list.
func TestOneModelIsLookedForByItsName(t *testing.T) {
	t.Parallel()
	s := newServer(t, `{"data":[{"id":"gpt 5/o","name":"Fast"}]}`)
	b := newBridge(t, s)
	for path, want := range map[string]string{"/v1/models/gpt%205/o": `{"id":"gpt 5/o","name":"Fast"}`, "/v1beta/models/gpt%205%2Fo": `{"name":"models/gpt 5/o","version":"1","displayName":"Fast","description":"",`} {
		status, _, got := ask(t, "GET", b.URL+path, "")
		if asked := s.paths[len(s.paths)-1]; status != http.StatusOK || !strings.HasPrefix(got, want) || asked != "/api/v1/models?id=gpt+5%2Fo&limit=1000" {
			t.Errorf("%s: %d %s, by %s", path, status, got, asked)
		}
	}
	if _, _, _ = ask(t, "GET", b.URL+"/v1beta/models", ""); s.paths[len(s.paths)-1] != "/api/v1/models?limit=1000" {
		t.Errorf("the list was asked for by %s", s.paths)
	}
}

func TestAWrongKeyIsTold(t *testing.T) {
	t.Parallel()
	s := newServer(t, "{}")
	b := newBridge(t, s)
	for status, want := range map[int]string{http.StatusUnauthorized: "does not take the bridge's key", http.StatusForbidden: "does not open", http.StatusNotFound: "it answered 404"} {
		s.status = status
		if got, _, body := ask(t, "GET", b.URL+"/v1/models/a", ""); !strings.Contains(body, want) || status < 404 && got != status {
			t.Errorf("%d: %d %s", status, got, body)
		}
	}
}

// document is a block with a PDF of these bytes.
func document(bytes string) string {
	return `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n"+bytes)) + `"}}`
}

func TestTokensAreEstimated(t *testing.T) {
	t.Parallel()
	s := newServer(t, "")
	b := newBridge(t, s)
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 750, 100))); err != nil {
		t.Fatal(err)
	}
	coded := base64.StdEncoding.EncodeToString(picture.Bytes())
	words := strings.Repeat("word", 100)
	for _, c := range []struct{ path, body, want string }{
		{"/v1/messages/count_tokens", `{"model":"m","messages":[{"role":"user","content":"` + words + `"}]}`, `{"input_tokens":100}`},
		{"/v1/messages/count_tokens", `{"model":"m","system":"` + words + `","tools":[{"name":"abcd","input_schema":{"a":1}}],"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + coded + `"}}]}]}`, `{"input_tokens":203}`},
		{"/v1beta/models/a/b:countTokens", `{"contents":[{"parts":[{"text":"` + words + `"}]}]}`, `{"totalTokens":100}`},
		{"/v1/models/a/b:countTokens", `{"contents":[{"parts":[{"text":"` + words + `"}]}]}`, `{"totalTokens":100}`},
		{"/v1beta/models/a/b:countTokens", `{"generateContentRequest":{"model":"models/a/b","contents":[{"parts":[{"text":"` + words + `"}]}]}}`, `{"totalTokens":100}`},
		{"/v1beta/models/a/b:countTokens", `{"contents":[{"parts":[{"inlineData":{"mimeType":"audio/wav","data":"` + strings.Repeat("AAAA", 1000) + `"}},{"inlineData":{"mimeType":"video/mp4","data":"` + strings.Repeat("AAAA", 1000) + `"}}]}]}`, `{"totalTokens":12}`},
		{"/v1/messages/count_tokens", `{"model":"m","messages":[{"role":"user","content":[` + document("<</Type /Pages>> <</Type /Page >> <</Type/Page/x>>") + `]}]}`, `{"input_tokens":4000}`},
		{"/v1/messages/count_tokens", `{"model":"m","messages":[{"role":"user","content":[` + document(strings.Repeat("packed ", 20_000)) + `]}]}`, `{"input_tokens":4000}`},
		{"/v1/responses/input_tokens", `{"model":"m","input":"` + words + `"}`, `{"object":"response.input_tokens","input_tokens":100}`},
		{"/v1/responses/input_tokens", `{"model":null,"instructions":"` + words + `","input":"` + words + `"}`, `{"object":"response.input_tokens","input_tokens":200}`},
	} {
		status, header, got := ask(t, "POST", b.URL+c.path, c.body)
		if status != http.StatusOK || got != c.want || header.Get("X-Stele-Estimate") != "true" {
			t.Errorf("%s: %d %s, want %s", c.path, status, got, c.want)
		}
	}
	if len(s.asked) > 0 {
		t.Error("the server was asked")
	}
	if status, _, got := ask(t, "POST", b.URL+"/v1/messages/count_tokens", `{"messages":5}`); status != http.StatusBadRequest || !strings.Contains(got, `"type":"error"`) {
		t.Errorf("%d %s", status, got)
	}
}

// TestWhatAServerDoesNotCountIsEstimated has a server that tells no usage: clients shorten a
// conversation by it.
func TestWhatAServerDoesNotCountIsEstimated(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("word", 100)
	for usage, want := range map[string]string{
		"": "100 3 103 true", `"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`: "100 3 103 true",
		`"usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}`: "7 5 12 false",
	} {
		b := newBridge(t, newServer(t, chunks("stop", `"content":"hello"`, `"content":" there"`, `{"id":"c","choices":[],`+cmp.Or(usage, `"usage":null`)+`}`)))
		_, _, got := ask(t, "POST", b.URL+"/v1/responses", `{"model":"m","input":"`+words+`"}`)
		u := gjson.Get(got, "usage")
		if told := fmt.Sprint(u.Get("input_tokens"), u.Get("output_tokens"), u.Get("total_tokens"), u.Get("estimated").Bool()); told != want {
			t.Errorf("%q: %s, want %s", usage, told, want)
		}
	}
}
