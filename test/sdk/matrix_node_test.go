package sdk

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// TestNodeMatrix plays the scenes of matrix with the official Node SDKs and
// with the Vercel AI SDK. Each has a stage of its own.
func TestNodeMatrix(t *testing.T) {
	t.Parallel()
	program := rig.Node(t)
	files, err := filepath.Glob("matrix/*.test.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes for Node: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test.mjs"), func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			played := tally(runNode(t, program, file, "STELE_TEST_STAGE="+s.forNode(t)))
			if t.Logf("%d tests", played); played < 80 {
				t.Errorf("only %d tests were played", played)
			}
		})
	}
}

// tally is how many tests Node's reporter counts at its end.
func tally(out string) int {
	_, counts, _ := strings.Cut(out, "\nℹ tests ")
	counts, _, _ = strings.Cut(counts, "\n")
	n, _ := strconv.Atoi(counts)
	return n
}

// forNode is what matrix/stage.mjs reads.
func (s *stage) forNode(t *testing.T) string {
	t.Helper()
	type names struct {
		Dialect  string   `json:"dialect"`
		Plain    string   `json:"plain"`
		Thinker  string   `json:"thinker"`
		Thinkers []string `json:"thinkers"`
	}
	window := httptest.NewServer(s.window())
	t.Cleanup(window.Close)
	prepared := struct {
		URL       string  `json:"url"`
		Key       string  `json:"key"`
		Window    string  `json:"window"`
		Upstreams []names `json:"upstreams"`
		Cuts      int     `json:"cuts"`
		Step      int     `json:"step"`
	}{URL: s.URL, Key: s.Key, Window: window.URL, Cuts: randomCuts, Step: cutStep}
	for _, a := range s.away {
		prepared.Upstreams = append(prepared.Upstreams, names{a.dialect, a.plain, a.thinker, minds[a.dialect]})
	}
	text, err := json.Marshal(prepared)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// window is where another process sees what the upstreams have seen.
func (s *stage) window() http.Handler {
	m := http.NewServeMux()
	look := func(path string, what func(w http.ResponseWriter, a away, model string) bool) {
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			model := r.URL.Query().Get("model")
			for deadline := time.Now().Add(rig.Patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				for _, a := range s.away {
					if len(a.asked(model)) > 0 && what(w, a, model) {
						return
					}
				}
			}
			http.Error(w, "it did not happen", http.StatusGatewayTimeout)
		})
	}
	look("/asked", func(w http.ResponseWriter, _ away, _ string) bool {
		_, err := w.Write([]byte("{}"))
		return err == nil
	})
	look("/hangup", func(w http.ResponseWriter, a away, model string) bool {
		_, left := a.asked(model)[0].HungUp()
		if left {
			_, _ = w.Write([]byte("{}")) // the client that asked hears of it
		}
		return left
	})
	look("/sent", func(w http.ResponseWriter, a away, model string) bool {
		r := a.asked(model)[0]
		bytes, frames := r.Sent()
		return r.Ended() && json.NewEncoder(w).Encode(map[string]int{"bytes": bytes, "frames": frames}) == nil
	})
	return m
}
