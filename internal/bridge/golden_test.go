package bridge_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"stele/internal/bridge"
)

var update = flag.Bool("update", false, "write what the bridge does into the goldens")

// key is the developer's: no client of the bridge has it.
const key = "sk_dev_developer"

// server plays a Stele: it notes what it is asked and answers with what it is given.
type server struct {
	*httptest.Server

	mu     sync.Mutex // guards what follows
	asked  [][]byte
	paths  []string
	heads  []http.Header
	status int
	answer string
	refuse func(body string) string // what it says instead, with 400; "": nothing
	early  string                   // what it says it dropped, before and after
	late   string
	say    func(h http.Header) // in headers; nil: nothing
}

func newServer(t *testing.T, answer string) *server {
	t.Helper()
	s := &server{status: http.StatusOK, answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked, s.paths, s.heads = append(s.asked, body), append(s.paths, r.URL.String()), append(s.heads, r.Header)
		if s.say != nil {
			s.say(w.Header())
		}
		if s.refuse != nil && s.refuse(string(body)) != "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, s.refuse(string(body)))
			return
		}
		if s.early != "" {
			w.Header().Set("X-Stele-Dropped", s.early)
		}
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.answer)
		if s.late != "" {
			_ = http.NewResponseController(w).Flush() // what has a length has no trailer
			w.Header().Set(http.TrailerPrefix+"X-Stele-Dropped", s.late)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) last() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[len(s.asked)-1]
}

// newBridge is a bridge to a server.
func newBridge(t *testing.T, s *server) *httptest.Server {
	t.Helper()
	kept, err := bridge.NewKept(1<<20, "")
	if err != nil {
		t.Fatal(err)
	}
	b := httptest.NewServer(bridge.New(bridge.Options{Server: s.URL, Key: key, Client: s.Client(), Kept: kept, Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(b.Close)
	return b
}

func post(t *testing.T, url, body string) (int, http.Header, string) {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(body)) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(raw)
}

// TestGoldens has for each file a request, what the server is asked, what it answers, and
// the events that come of it. A request that is not streamed has its response instead.
func TestGoldens(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			golden(t, name)
		})
	}
}

func golden(t *testing.T, name string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]*txtar.File)
	for i := range archive.Files {
		files[archive.Files[i].Name] = &archive.Files[i]
	}
	s := newServer(t, string(files["stream"].Data))
	b := newBridge(t, s)
	status, header, body := post(t, b.URL+"/v1/responses", string(files["request"].Data))
	if strings.HasPrefix(body, "event: ") {
		lawful(t, body)
	}
	got := map[string]string{
		"chat":   indent(t, s.last()),
		"events": plainIDs(fmt.Sprintf("%d %s\n\n%s", status, header.Get("X-Stele-Dropped"), body)),
	}
	changed := false
	for part, text := range got {
		if *update {
			files[part].Data, changed = []byte(strings.TrimRight(text, "\n")+"\n"), true
			continue
		}
		if diff := cmp.Diff(strings.TrimSpace(string(files[part].Data)), strings.TrimSpace(text)); diff != "" {
			t.Errorf("%s (- wanted, + got):\n%s", part, diff)
		}
	}
	if changed {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func indent(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return b.String()
}

var (
	ids   = regexp.MustCompile(`\b(resp|msg|rs|fc|ctc|lsh|sh|apc|tsc|ig|call)_[0-9a-z]{26}\b`)
	times = regexp.MustCompile(`"(created_at|completed_at)":\d+`)
)

// plainIDs numbers ids in the order they come in, and forgets times.
func plainIDs(text string) string {
	seen := make(map[string]string)
	text = ids.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			prefix, _, _ := strings.Cut(id, "_")
			seen[id] = fmt.Sprintf("%s_%d", prefix, len(seen)+1)
		}
		return seen[id]
	})
	return times.ReplaceAllString(text, `"$1":0`)
}
