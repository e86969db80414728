package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/scope"
)

type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// start runs a server on a free port whose pages are the given handler.
func start(t *testing.T, pages http.HandlerFunc) (s *Server, url string, log *journal, stop func() error) {
	t.Helper()
	log = new(journal)
	s = New(Options{
		Listen: "127.0.0.1:0", BasePath: "/stele",
		API:            http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "api "+r.URL.EscapedPath()) }),
		Pages:          pages,
		TrustedProxies: func() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} },
		Ready:          func(context.Context) error { return nil },
		Drain:          func() time.Duration { return 5 * time.Second },
		Observe:        func(Served) {},
		Bounds:         func() Bounds { return standard },
		Log:            slog.New(slog.NewTextHandler(log, nil)),
	})
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	var once sync.Once
	var err error
	stop = func() error {
		once.Do(func() { cancel(); err = <-done })
		return err
	}
	t.Cleanup(func() { _ = stop() })
	return s, "http://" + s.Addr().String(), log, stop
}

func get(t *testing.T, url string, header http.Header) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body), answer.Header
}

func TestRequestsFindTheirDoor(t *testing.T) {
	t.Parallel()
	_, url, _, _ := start(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "pages "+r.URL.EscapedPath()) })
	for path, want := range map[string]string{
		"/api/v1/models":           "api /api/v1/models",
		"/api":                     "api /api",
		"/apiary":                  "pages /apiary",
		"/console/":                "pages /console/",
		"/stele/api/v1/models":     "api /api/v1/models",
		"/stele/api/v1/apps/a%2Fb": "api /api/v1/apps/a%2Fb",
		"/stele":                   "pages /",
		"/steles":                  "pages /steles",
		"//api/v1/models":          "api //api/v1/models",
		"/x/../api/v1/models":      "api /x/../api/v1/models",
		"/api/../console/":         "api /api/../console/",
		"/healthz":                 "ok\n",
		"/stele/readyz":            "ok\n",
	} {
		if _, body, _ := get(t, url+path, nil); body != want {
			t.Errorf("%s: %q, want %q", path, body, want)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	_, url, log, _ := start(t, func(http.ResponseWriter, *http.Request) {})
	for sent, kept := range map[string]bool{
		"abc-123.X_y:z":                true,
		strings.Repeat("a", 128):       true,
		strings.Repeat("a", 129):       false,
		"":                             false,
		"with space":                   false,
		`"quoted"`:                     false,
		"-leading":                     false,
		"sk_live_00000000000000000000": false,
	} {
		_, _, header := get(t, url+"/", http.Header{"X-Request-Id": {sent}})
		got := header.Get("X-Request-Id")
		if (got == sent) != kept || got == "" {
			t.Errorf("sent %q, got %q", sent, got)
		}
	}
	if strings.Contains(log.String(), "sk_live_0") {
		t.Error("a key got into the log as a request id")
	}
}

func TestLogLineHasNoSecrets(t *testing.T) {
	t.Parallel()
	_, url, log, _ := start(t, func(_ http.ResponseWriter, r *http.Request) {
		scope.From(r.Context()).Note(slog.String("workspace", "acme"))
	})
	const key = "sk_dev_0123456789"
	get(t, url+"/x/"+key+"?key="+key, http.Header{"Authorization": {"Bearer " + key}, "X-Forwarded-For": {"198.51.100.7, 127.0.0.9"}})
	line := log.String()
	if strings.Count(line, "msg=request") != 1 || !strings.Contains(line, "workspace=acme") || !strings.Contains(line, "remote=198.51.100.7") {
		t.Errorf("log: %s", line)
	}
	if strings.Contains(line, key) {
		t.Errorf("the key is in the log: %s", line)
	}
}

func TestOnlyTrustedProxiesAreBelieved(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct {
		from, forwarded, proto string
		remote                 string
		secure                 bool
	}{
		{"203.0.113.5:1", "198.51.100.7", "https", "203.0.113.5", false},
		{"10.0.0.1:1", "", "", "10.0.0.1", false},
		{"10.0.0.1:1", "198.51.100.7", "https", "198.51.100.7", true},
		{"10.0.0.1:1", "1.1.1.1, 198.51.100.7", "http", "198.51.100.7", false},
		{"10.0.0.1:1", "1.1.1.1, 198.51.100.7, 10.0.0.2", "https", "198.51.100.7", true},
		{"10.0.0.1:1", "nonsense, 10.0.0.2", "", "10.0.0.2", false},
		{"[::ffff:10.0.0.1]:1", "198.51.100.7", "", "198.51.100.7", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.from
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if test.proto != "" {
			r.Header.Set("X-Forwarded-Proto", test.proto)
		}
		if remote, secure := origin(r, trusted); remote != test.remote || secure != test.secure {
			t.Errorf("%+v: %s, %v", test, remote, secure)
		}
	}
}

func TestAPanicBecomesA500AndALogLine(t *testing.T) {
	t.Parallel()
	_, url, log, _ := start(t, func(http.ResponseWriter, *http.Request) { panic("boom") })
	status, body, _ := get(t, url+"/", nil)
	if status != 500 || !strings.Contains(body, `"internal_error"`) || strings.Contains(body, "boom") {
		t.Errorf("%d %s", status, body)
	}
	if !strings.Contains(log.String(), "boom") || !strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("log: %s", log)
	}
}

func TestAPanicInTheMiddleBreaksOff(t *testing.T) {
	t.Parallel()
	_, url, _, _ := start(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic("boom")
	})
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.ReadAll(answer.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an answer ended with %v", err)
	}
}

func TestDrainLetsOpenRequestsFinish(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	s, url, _, stop := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(inside)
			<-leave
		}
		_, _ = io.WriteString(w, "done")
	})
	answered := make(chan string, 1)
	go func() {
		_, body, _ := get(t, url+"/slow", nil)
		answered <- body
	}()
	<-inside
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for !s.Draining() {
		runtime.Gosched()
	}
	if status, _, _ := get(t, url+"/readyz", nil); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz while draining: %d", status)
	}
	status, _, _ := get(t, url+"/healthz", nil)
	if status != http.StatusOK {
		t.Errorf("/healthz while draining: %d", status)
	}
	close(leave)
	if body := <-answered; body != "done" {
		t.Errorf("the open request got %q", body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
