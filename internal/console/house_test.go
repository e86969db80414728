package console_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	openapi "stele/api"
	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/scope"
	"stele/internal/seal"
)

const (
	email    = "admin@example.com"
	password = "correct horse battery"
)

// house is a console as the server would run it: behind its base path, with a
// scope around every request, and a clock that the test turns.
type house struct {
	t      *testing.T
	base   string
	store  *database
	access *access.Service
	token  string // of the set-up link
	key    string // the text of a working API key
	cookie string // of the signed-in administrator, "" before signIn
	serve  http.Handler
	bare   http.Handler // without base path and scope
	public *url.URL
	log    bytes.Buffer

	mu  sync.Mutex // guards now
	now time.Time
}

// open makes a house; more adds the rooms a test needs.
func open(t *testing.T, publicURL string, more ...func(*house, *console.Options)) *house {
	t.Helper()
	h := &house{t: t, store: newDatabase(t), now: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)}
	var err error
	if h.public, err = url.Parse(publicURL); err != nil {
		t.Fatal(err)
	}
	h.base = strings.TrimSuffix(h.public.Path, "/")
	h.access = access.New(h.store, seal.New(), h.clock)
	h.access.HashCheaply()
	first, err := h.access.FirstStart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.token, h.key = first.SetupToken, first.Key
	o := console.Options{
		Access: h.access, PublicURL: func() *url.URL { return h.public }, Document: openapi.Document(), Version: "test",
		Log: slog.New(slog.NewTextHandler(&h.log, nil)), Now: h.clock,
	}
	for _, add := range more {
		add(h, &o)
	}
	c, err := console.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.bare = c
	h.serve = http.StripPrefix(h.base, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := &scope.Request{ID: "req_test", Remote: "192.0.2.1", Secure: h.public.Scheme == "https"}
		c.ServeHTTP(w, r.WithContext(scope.With(r.Context(), at)))
	}))
	return h
}

// opened is a house with an administrator who is signed in.
func opened(t *testing.T, more ...func(*house, *console.Options)) *house {
	t.Helper()
	h := open(t, "http://127.0.0.1:8080", more...)
	h.signIn()
	return h
}

func (h *house) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func (h *house) signIn() {
	h.t.Helper()
	_, secret, err := h.access.SetUp(context.Background(), h.token, email, password, access.Browser{Remote: "192.0.2.1"})
	if err != nil {
		h.t.Fatal(err)
	}
	h.cookie = secret
}

// header changes a request before it is sent.
type header struct{ name, value string }

var browser = header{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}

func (h *house) get(path string, headers ...header) *http.Response {
	return h.do("GET", path, nil, headers...)
}

func (h *house) post(path string, form url.Values, headers ...header) *http.Response {
	return h.do("POST", path, form, headers...)
}

func (h *house) do(method, path string, form url.Values, headers ...header) *http.Response {
	r := httptest.NewRequest(method, h.base+path, strings.NewReader(form.Encode()))
	r.Host = h.public.Host
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if h.cookie != "" {
		addSession(r, h.cookie)
	}
	for _, set := range headers {
		if set.name == "Host" {
			r.Host = set.value
		}
		r.Header.Set(set.name, set.value)
	}
	w := httptest.NewRecorder()
	h.serve.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func wantStatus(t *testing.T, res *http.Response, want int) {
	t.Helper()
	if res.StatusCode != want {
		t.Fatalf("status %d, want %d", res.StatusCode, want)
	}
}

func wantText(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("page lacks %q", text)
		}
	}
}
