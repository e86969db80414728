package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect/openai"
)

func TestListsSayWhatIsKnownOfAModelAndNothingElse(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	target := func(provider, model string) []catalog.Target {
		return []catalog.Target{{Provider: provider, Model: model, Weight: 1}}
	}
	err := b.door.Catalog.Replace(catalog.Contents{
		Models: []catalog.Model{
			{ID: "old", Name: "Old", Owner: "stele", Created: time.Unix(7, 0), Targets: target("a", "claude-3-7-sonnet-20250219")},
			{ID: "own", Name: "Own", Owner: "stele", Created: time.Unix(7, 0), Targets: target("b", "made-here")},
		},
		Prices: catalog.Prices{Accounts: map[string]catalog.Account{"a": {Part: "anthropic"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"old","object":"model","created":7,"owned_by":"stele","name":"Old","capabilities":{"attachments":true,"reasoning":true,"tools":true},"tags":[],` +
		`"context_length":200000,"context_window":200000,"max_model_len":200000,"max_tokens":128000,"max_completion_tokens":128000,` +
		`"architecture":{"input_modalities":["text","image","file"],"output_modalities":["text"]},"top_provider":{"context_length":200000,"max_completion_tokens":128000},` +
		`"pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003","input_cache_write":"0.00000375","web_search":"0.01"},` +
		`"supported_parameters":["tools","tool_choice","reasoning","include_reasoning","reasoning_effort","max_tokens"],"expiration_date":"2026-02-19","successor":"claude-sonnet-4-6"},` +
		`{"id":"own","object":"model","created":7,"owned_by":"stele","name":"Own","capabilities":{},"tags":[]}]}`
	if _, got, _ := b.do(t, "GET", "/api/v1/models", nil); !strings.HasSuffix(got, want) {
		t.Errorf("OpenAI's list: %s\nwant %s", got, want)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.URL+"/api/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Anthropic-Version", "2023-06-01")
	r.Header.Set("X-Api-Key", b.key)
	answer, err := b.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	for _, part := range []string{
		`"max_input_tokens":200000,"max_tokens":128000,"lifecycle":"deprecated","deprecated_at":"2026-02-19T00:00:00Z","retires_at":"2026-02-19T00:00:00Z"`,
		`"image_input":{"supported":true}`, `"pdf_input":{"supported":true}`, `"batch":{}`, `"structured_outputs":{}`,
		`"thinking":{"supported":true,"types":{"adaptive":{}`, `"successor":"claude-sonnet-4-6"`,
		`{"type":"model","id":"own","display_name":"Own","created_at":"1970-01-01T00:00:07Z"}`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("Anthropic's list lacks %s: %s", part, got)
		}
	}
}

func TestAnAnswerOfAModelThatEndsSaysWhen(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	say(w, openAI, openai.Codec{}, &chat.Reply{Ends: chat.Ending{Known: time.Unix(1790121600, 0), On: time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)}})
	if h := w.Header(); h.Get("Deprecation") != "@1790121600" || h.Get("Sunset") != "Mon, 01 Feb 2027 00:00:00 GMT" {
		t.Errorf("%v", h)
	}
	w = httptest.NewRecorder()
	if say(w, openAI, openai.Codec{}, new(chat.Reply)); len(w.Header()) > 0 {
		t.Errorf("of a model that does not end: %v", w.Header())
	}
}
