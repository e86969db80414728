package bridge_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/bridge"
)

// thinker is a server that is silent for a while, in its stream.
type thinker struct {
	silence time.Duration
	rest    io.Reader
}

func (t *thinker) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(t)}, nil
}

func (t *thinker) Read(p []byte) (int, error) {
	time.Sleep(t.silence)
	t.silence = 0
	return t.rest.Read(p)
}

// TestALongThoughtIsAlive has a model that says nothing for minutes. Comments keep the connection, events keep Codex, and numbers go
// on behind them. Others get no events: many take one that is not in OpenAI's types for an error (openai/openai-node#1964,
// openai/openai-java#767, davidmigloz/ai_clients_dart#71).
func TestALongThoughtIsAlive(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]struct{ comments, events int }{"codex_exec": {15, 5}, "": {20, 0}} {
		synctest.Test(t, func(t *testing.T) {
			kept, err := bridge.NewKept(1<<20, "")
			if err != nil {
				t.Fatal(err)
			}
			b := bridge.New(bridge.Options{
				Server: "http://server.example", Key: key, Kept: kept, Log: slog.New(slog.DiscardHandler),
				Client: &http.Client{Transport: &thinker{silence: 5*time.Minute + time.Second, rest: strings.NewReader(spoken)}},
			})
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/responses", strings.NewReader(`{"model":"m","input":"x","stream":true}`))
			r.Header.Set("Originator", client)
			w := httptest.NewRecorder()
			b.ServeHTTP(w, r)
			const comment = ": keep-alive\n\n"
			stream := w.Body.String()
			if got := strings.Count(stream, comment); got != want.comments {
				t.Errorf("%q: %d comments", client, got)
			}
			if got := strings.Count(stream, `data: {"type":"keepalive","sequence_number":`); got != want.events {
				t.Errorf("%q: %d events", client, got)
			}
			if last := lawful(t, strings.ReplaceAll(stream, comment, "")); last.Get("status").Str != "completed" {
				t.Error(stream)
			}
		})
	}
}
