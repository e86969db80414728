package relay_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/route"
)

// web has the same bytes at every address.
type web struct{}

func (web) Fetch(_ context.Context, p *chat.Part, _ int64) (*chat.Media, error) {
	kind := "application/pdf"
	if p.Kind == chat.Image {
		kind = "image/png"
	}
	return &chat.Media{Type: kind, Base64: "RkVUQ0hFRA=="}, nil
}

// What passes through and points at an address is fetched where its upstream would not.
func TestAddressesThatNoUpstreamReadsAreFetched(t *testing.T) {
	t.Parallel()
	const (
		address = "https://files.example/x"
		file    = `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"Read."},{"type":"file","file":{"filename":"x.pdf","file_data":"` + address + `"}}]}],"odd":1}`
		picture = `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + address + `"}}]}],"odd":1}`
		source  = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"url","url":"` + address + `"}}]}],"odd":1}`
		uri     = `{"contents":[{"role":"user","parts":[{"fileData":{"mimeType":"application/pdf","fileUri":"` + address + `"}}]}],"odd":1}`
	)
	for name, c := range map[string]struct {
		kind    string
		codec   dialect.Dialect
		genuine string
		body    string
		fetched bool
	}{
		"a file to OpenAI":                     {"openai", openai.Codec{}, "true", file, true},
		"a picture to OpenAI":                  {"openai", openai.Codec{}, "true", picture, false},
		"a file to a compatible server":        {"openai", openai.Codec{}, "", file, false},
		"a file to Ollama":                     {"ollama", openai.Codec{}, "", file, true},
		"a picture to Ollama":                  {"ollama", openai.Codec{}, "", picture, true},
		"a document to Anthropic":              {"anthropic", anthropic.Codec{}, "true", source, false},
		"a document to Claude at a cloud":      {"vertex-claude", anthropic.Codec{}, "", source, true},
		"what lies at Gemini's own, or may":    {"gemini", gemini.Codec{}, "true", uri, false},
		"a document to a server like Claude's": {"anthropic", anthropic.Codec{}, "", source, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := sentTo(t, c.kind, c.codec, c.genuine, c.body)
			if fetched := strings.Contains(sent, "RkVUQ0hFRA==") && !strings.Contains(sent, address); fetched != c.fetched {
				t.Errorf("fetched: %t\n%s", fetched, sent)
			}
			if !strings.Contains(sent, `"odd":1`) {
				t.Errorf("the rest of the client's bytes is not what it was: %s", sent)
			}
		})
	}
}

// sentTo is the body that an upstream of a kind gets.
func sentTo(t *testing.T, kind string, spoken dialect.Dialect, genuine, body string) string {
	t.Helper()
	got := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got <- string(text)
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	account := provider.Account{Name: "p", BaseURL: server.URL, Options: map[string]string{"genuine": genuine, "project": "p", "region": "r"}}
	for _, k := range provider.Kinds() {
		if k.Name == kind {
			account.Kind = k
		}
	}
	upstream := provider.NewChat(account, spoken, server.Client())
	offered := catalog.New()
	if err := offered.Replace(catalog.Contents{Models: []catalog.Model{{ID: "m", Targets: []catalog.Target{{Provider: "p", Model: "m", Weight: 1}}}}}); err != nil {
		t.Fatal(err)
	}
	turns := relay.New(relay.Options{
		Catalog: offered, Upstreams: func(string) (relay.Upstream, bool) { return upstream, true }, Router: route.New(), Keeper: new(shelf),
		Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now, Fetch: web{},
	})
	req, err := spoken.DecodeRequest(dialect.Incoming{Model: "m", Header: make(http.Header), Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = turns.Do(t.Context(), access.Principal{}, req)
	select {
	case text := <-got:
		return text
	default:
		t.Fatal("nothing was sent:", err)
		return ""
	}
}
