package relay_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/openai"
	"stele/internal/price"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/route"
)

// TestAnAnswerOfNoUseIsBookedByItsCountBesideTheOneThatServes has a model call a tool without a
// name first: its provider bills that as well.
func TestAnAnswerOfNoUseIsBookedByItsCountBesideTheOneThatServes(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	r, kept := placeRetrying(t, 1, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if tries.Add(1) == 1 {
			_, _ = io.WriteString(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"n","type":"function","function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":70,"completion_tokens":30,"total_tokens":100}}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`)
	})
	if _, err := r.Do(t.Context(), access.Principal{}, request(t, anthropic.Codec{}, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`)); err != nil {
		t.Fatal(err)
	}
	all := kept.all()
	if len(all) != 2 {
		t.Fatalf("kept %+v", all)
	}
	if lost := all[0]; lost.Estimated || lost.Input != 70 || lost.Output != 30 || lost.Nano != 200000 || lost.Code != "upstream_error" {
		t.Errorf("the useless one: %+v", lost)
	}
	if served := all[1]; served.Nano != 20000 || served.Status != 200 || served.Tries != 2 {
		t.Errorf("the one that served: %+v", served)
	}
}

// leaving is a way to an upstream whose client leaves as soon as it would have to wait for more of
// an answer.
type leaving struct{ leave func() }

func (l leaving) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		answer.Body = &waiting{ReadCloser: answer.Body, leave: l.leave}
	}
	return answer, err
}

type waiting struct {
	io.ReadCloser
	leave func()
	came  []byte
}

func (w *waiting) Read(p []byte) (int, error) {
	if strings.Contains(string(w.came), "text_delta") && strings.HasSuffix(string(w.came), "\n\n") {
		w.leave()
	}
	n, err := w.ReadCloser.Read(p)
	w.came = append(w.came, p[:n]...)
	return n, err
}

// TestHangingUpOnALongWholeAnswerIsBookedAsFarAsItCame has the client of a whole answer leave
// while it comes as a stream.
func TestHangingUpOnALongWholeAnswerIsBookedAsFarAsItCame(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":50,\"output_tokens\":1}}}\n\n"+
			"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"+
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""+strings.Repeat("word ", 80)+"\"}}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	offered := catalog.New()
	if err := offered.Replace(catalog.Contents{Models: []catalog.Model{{ID: "m", Targets: []catalog.Target{{Provider: "p", Model: "claude-sonnet-4-5"}}, Price: price.MustPrice("2 - - 2")}}}); err != nil {
		t.Fatal(err)
	}
	upstream := provider.NewChat(provider.Account{Name: "p", Kind: provider.Kind{Name: "anthropic", Dialect: "anthropic"}, BaseURL: server.URL}, anthropic.Codec{}, &http.Client{Transport: leaving{leave}})
	kept := new(shelf)
	r := relay.New(relay.Options{
		Catalog: offered, Upstreams: func(string) (relay.Upstream, bool) { return upstream, true }, Router: route.New(), Keeper: kept,
		Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if _, err := r.Do(ctx, access.Principal{}, request(t, openai.Codec{}, strings.Replace(asked, `,"stream":true`, "", 1))); err == nil {
		t.Fatal("it was answered")
	}
	all := kept.all()
	if len(all) != 1 || all[0].Code != "client_gone" || all[0].Input != 50 || all[0].Output != 100 || !all[0].Estimated || all[0].Nano != 300000 {
		t.Errorf("kept %+v", all)
	}
}
