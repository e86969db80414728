package upgrade

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	"stele/test/rig"
)

// chunk is an event of an upstream of OpenAI's dialect.
func chunk(text, finish string) string {
	return fmt.Sprintf(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]}`+"\n\n", text, finish)
}

// heldUpstream begins every answer, and ends it when it is let go.
func heldUpstream(t *testing.T) (url string, let func()) {
	t.Helper()
	held := make(chan struct{})
	let = sync.OnceFunc(func() { close(held) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, chunk("one ", "null"))
		w.(http.Flusher).Flush()
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
		_, _ = io.WriteString(w, chunk("two", "null")+chunk("", `"stop"`)+"data: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	t.Cleanup(let)
	return s.URL, let
}

// openStream begins a stream and returns when its first event is there; end reads the rest and says what was wrong.
func openStream(h *rig.House, key, model string) (end func() error, err error) {
	body := `{"model": "` + model + `", "stream": true, "messages": [{"role": "user", "content": "hi"}]}`
	r, err := http.NewRequest(http.MethodPost, h.URL+"/api/v1/chat/completions", strings.NewReader(body)) //nolint:noctx // the client has a time limit
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := h.Client.Do(r)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(answer.Body)
	begun, err := lines.ReadString('\n')
	if err != nil || answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%d %s: %w", answer.StatusCode, begun, errors.Join(err, answer.Body.Close()))
	}
	return func() error {
		defer answer.Body.Close()
		rest, err := io.ReadAll(lines)
		if err != nil || !strings.Contains(string(rest), "two") || !strings.HasSuffix(strings.TrimSpace(string(rest)), "[DONE]") {
			return fmt.Errorf("cut after %q: %w", begun+string(rest), err)
		}
		return nil
	}, nil
}

// A server that is told to go lets every open stream come to its end.
func TestNoStreamIsCutByADrain(t *testing.T) {
	t.Parallel()
	url, let := heldUpstream(t)
	h := rig.Start(t, rig.Options{Config: "drain: 2m\nproviders:\n  held: {kind: openai, base_url: " + url + ", api_key: k, models: ['*']}\n"})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	ends := make([]func() error, openStreams)
	var all sync.WaitGroup
	for i := range ends {
		all.Go(func() {
			var err error
			if ends[i], err = openStream(h, key, "held/m"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	h.Signal(t, syscall.SIGTERM)
	rig.Eventually(t, "the server is not ready any more", func() bool {
		a, err := h.Send(h.Request(t, "GET", "/readyz"))
		return err == nil && a.Status == http.StatusServiceUnavailable
	})
	let()
	for _, end := range ends {
		all.Go(func() {
			if err := end(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	h.Client.CloseIdleConnections()
	h.Wait(t)
}
