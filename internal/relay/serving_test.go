package relay_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/meter"
	"stele/internal/price"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/route"
)

// shelf keeps records in memory.
type shelf struct {
	mu      sync.Mutex // guards records
	records []meter.Record
}

func (s *shelf) Keep(r *meter.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, *r)
	return nil
}

func (s *shelf) all() []meter.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]meter.Record(nil), s.records...)
}

// place is a relay over one upstream that speaks OpenAI's dialect.
func place(t *testing.T, serve http.HandlerFunc) (*relay.Relay, *shelf) {
	t.Helper()
	return placeRetrying(t, 0, serve)
}

// placeRetrying is a place where so many tries may follow on the first.
func placeRetrying(t *testing.T, retries int, serve http.HandlerFunc) (*relay.Relay, *shelf) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	offered := catalog.New()
	err := offered.Replace(catalog.Contents{Models: []catalog.Model{{
		ID: "m", Targets: []catalog.Target{{Provider: "p", Model: "gpt-4.1", Weight: 1}}, Price: price.MustPrice("2 - - 2"),
		Retries: retries,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	upstream := provider.NewChat(provider.Account{Name: "p", Kind: provider.Kind{Name: "openai", Dialect: "openai"}, BaseURL: server.URL}, openai.Codec{}, server.Client())
	kept := new(shelf)
	return relay.New(relay.Options{
		Catalog: offered, Upstreams: func(string) (relay.Upstream, bool) { return upstream, true }, Router: route.New(), Keeper: kept,
		Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}), kept
}

func request(t *testing.T, codec dialect.Server, body string) *chat.Request {
	t.Helper()
	req, err := codec.DecodeRequest(dialect.Incoming{Header: make(http.Header), Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return req
}

const (
	asked  = `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`
	frames = `data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"hello"},"finish_reason":null}],"usage":null}

data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

data: {"id":"x","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}

`
	done = "data: [DONE]\n\n"
)

// lingers streams a whole answer and does not hang up until its client does.
func lingers(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, frames)
	_ = http.NewResponseController(w).Flush()
	_, _ = io.WriteString(w, done)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestTheRecordIsKeptBeforeTheLastFrameIsOut(t *testing.T) {
	t.Parallel()
	r, kept := place(t, lingers)
	reply, err := r.Do(t.Context(), access.Principal{Key: "k"}, request(t, openai.Codec{}, asked))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Close()
	for chunk, err := range reply.Stream {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(chunk.Raw), done) {
			break
		}
	}
	if all := kept.all(); len(all) != 1 || all[0].Input != 7 || all[0].Output != 3 || all[0].Status != 200 || all[0].Nano != 20000 || all[0].Key != "k" {
		t.Errorf("kept %+v", all)
	}
}

func TestAReplyThatNobodyReadsIsCountedOnce(t *testing.T) {
	t.Parallel()
	r, kept := place(t, lingers)
	reply, err := r.Do(t.Context(), access.Principal{}, request(t, openai.Codec{}, asked))
	if err != nil {
		t.Fatal(err)
	}
	reply.Close()
	reply.Close()
	if all := kept.all(); len(all) != 1 || all[0].Output == 0 || !all[0].Estimated {
		t.Errorf("kept %+v", all)
	}
}

func TestHangingUpIsRecordedAndNotBlamed(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	r, kept := place(t, func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		arrived <- struct{}{}
		<-q.Context().Done()
	})
	const many = 10 // more than open a breaker
	for range many {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		if _, err := r.Do(ctx, access.Principal{}, request(t, openai.Codec{}, asked)); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		cancel()
	}
	all := kept.all()
	if len(all) != many {
		t.Fatalf("%d records", len(all))
	}
	for _, record := range all {
		if record.Status != 499 || record.Tries != 1 || record.Input == 0 || !record.Estimated {
			t.Errorf("kept %+v, want what was sent to be counted", record)
		}
	}
}

func TestWhatTheClientHearsIsWhatIsRecorded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codec  dialect.Server
		body   string
		answer string
		status int
		code   fault.Code
	}{
		"strict":  {anthropic.Codec{}, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"top_k":3}`, ``, 400, fault.StrictMode},
		"unknown": {openai.Codec{}, `{"model":"other","messages":[{"role":"user","content":"hi"}]}`, ``, 404, fault.ModelNotFound},
		"wrong":   {anthropic.Codec{}, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"f"}}]}]}`, ``, 400, ""},
		"cut":     {openai.Codec{}, asked, frames[:200], 502, fault.UpstreamError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, kept := place(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, c.answer)
			})
			req := request(t, c.codec, c.body)
			req.Strict = name == "strict"
			reply, err := r.Do(t.Context(), access.Principal{}, req)
			if err == nil {
				for _, err = range reply.Stream { //nolint:revive // to its end
				}
			}
			all := kept.all()
			if err == nil || len(all) != 1 || all[0].Status != c.status || c.code != "" && all[0].Code != string(c.code) {
				t.Errorf("%v; kept %+v", err, all)
			}
		})
	}
}

func TestTheRecordHasWhatWasAskedAndWhatServed(t *testing.T) {
	t.Parallel()
	r, kept := place(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
	})
	who := access.Principal{Workspace: "w", Scope: access.Scope{Policy: &access.Policy{Names: access.Names{{Pattern: "claude-*", Model: "m"}}}}}
	for _, ask := range []string{"claude-haiku", "m"} {
		reply, err := r.Do(t.Context(), who, request(t, openai.Codec{}, `{"model":"`+ask+`","messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if reply.Target != "gpt-4.1" {
			t.Errorf("%s was served by %s", ask, reply.Target)
		}
	}
	list := kept.all()
	if len(list) != 2 || list[0].Model != "m" || list[0].Asked != "claude-haiku" || list[1].Model != "m" || list[1].Asked != "" {
		t.Errorf("kept %+v", list)
	}
	if _, err := r.Do(t.Context(), who, request(t, openai.Codec{}, `{"model":"gpt-9","messages":[{"role":"user","content":"hi"}]}`)); err == nil {
		t.Error("a name that leads nowhere was served")
	}
}

// TestALostTryIsBookedBesideTheOneThatServes has an upstream break its first answer off:
// it may bill it, and it bills the second.
func TestALostTryIsBookedBesideTheOneThatServes(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	r, kept := placeRetrying(t, 1, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		const answer = `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`
		if tries.Add(1) == 1 {
			w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
			_, _ = io.WriteString(w, answer[:40])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, answer)
	})
	if _, err := r.Do(t.Context(), access.Principal{}, request(t, openai.Codec{}, strings.Replace(asked, `,"stream":true`, "", 1))); err != nil {
		t.Fatal(err)
	}
	all := kept.all()
	if len(all) != 2 {
		t.Fatalf("kept %+v", all)
	}
	lost, served := all[0], all[1]
	if !lost.Estimated || lost.Input == 0 || lost.Nano == 0 || lost.Status != 502 || lost.Code == "" || lost.ID == served.ID || lost.Request != served.Request {
		t.Errorf("the lost one: %+v", lost)
	}
	if served.Estimated || served.Nano != 20000 || served.Status != 200 || served.Tries != 2 {
		t.Errorf("the one that served: %+v", served)
	}
}

// A model's targets may speak different dialects: what one of them cannot carry is no fault of the request's.
func TestHard1152WhatOneTargetCannotCarryAnotherMay(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"msg_1","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":"found"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1}}`)
	}))
	t.Cleanup(server.Close)
	upstreams := map[string]relay.Upstream{
		"o": provider.NewChat(provider.Account{Name: "o", Kind: provider.Kind{Name: "openai", Dialect: "openai"}, BaseURL: server.URL}, openai.Codec{}, server.Client()),
		"a": provider.NewChat(provider.Account{Name: "a", Kind: provider.Kind{Name: "anthropic", Dialect: "anthropic"}, BaseURL: server.URL}, anthropic.Codec{}, server.Client()),
	}
	serve := func(targets ...catalog.Target) (*chat.Reply, error) {
		offered := catalog.New()
		if err := offered.Replace(catalog.Contents{Models: []catalog.Model{{ID: "m", Targets: targets}}}); err != nil {
			t.Fatal(err)
		}
		relayed := relay.New(relay.Options{
			Catalog: offered, Upstreams: func(name string) (relay.Upstream, bool) { return upstreams[name], true }, Router: route.New(), Keeper: new(shelf),
			Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		req := request(t, anthropic.Codec{}, `{"model":"m","max_tokens":9,"tools":[{"type":"web_search_20250305","name":"web_search"}],"messages":[{"role":"user","content":"go"}]}`)
		return relayed.Do(t.Context(), access.Principal{Workspace: "w"}, req)
	}
	reply, err := serve(catalog.Target{Provider: "o", Model: "gpt-4.1", Weight: 1}, catalog.Target{Provider: "a", Model: "claude-opus-4-5", Weight: 1})
	if err != nil || reply.Provider != "a" || asked.Load() != 1 {
		t.Fatalf("%v after %d calls", err, asked.Load())
	}
	_, err = serve(catalog.Target{Provider: "o", Model: "gpt-4.1", Weight: 1})
	if e := fault.From(err); e.Code != fault.InvalidParameter || asked.Load() != 1 {
		t.Fatalf("%v after %d calls, want a refusal", err, asked.Load())
	}
}
