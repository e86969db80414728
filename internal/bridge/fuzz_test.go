package bridge_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	"stele/internal/bridge"
)

// FuzzResponses has anything asked of the bridge, of a server that answers anything: what the
// server is sent is JSON, and so is what the client gets.
func FuzzResponses(f *testing.F) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var request, answer []byte
		for _, file := range archive.Files {
			switch file.Name {
			case "request":
				request = file.Data
			case "stream":
				answer = file.Data
			}
		}
		f.Add(request, answer)
	}
	f.Add([]byte(`{"model":"m","input":"go","stream":false}`), []byte(spoken))
	f.Add([]byte(`{"model":"m","input":[{"type":"message","role":"user","content":"go"},{"type":"compaction_trigger"}]}`), []byte(called))
	f.Fuzz(func(t *testing.T, request, answer []byte) {
		kept, err := bridge.NewKept(1<<20, "")
		if err != nil {
			t.Fatal(err)
		}
		upstream := saying(func(body []byte) []byte {
			if !gjson.ValidBytes(body) {
				t.Errorf("the server was sent %q", body)
			}
			return answer
		})
		b := bridge.New(bridge.Options{Server: "http://server.example", Key: key, Client: &http.Client{Transport: upstream}, Kept: kept, Log: slog.New(slog.DiscardHandler)})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/v1/responses", bytes.NewReader(request))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && !gjson.Valid(w.Body.String()) {
			t.Errorf("the client got %q", w.Body)
		}
		for line := range strings.Lines(w.Body.String()) {
			if data, found := strings.CutPrefix(line, "data: "); found && !gjson.Valid(data) {
				t.Errorf("the client got %q", line)
			}
		}
	})
}

// saying is a server that answers what a function makes of a request.
type saying func(body []byte) []byte

func (s saying) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(s(body))), Request: r,
	}, nil
}
