package main

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// served is the whole program, running in this process on a free port.
type served struct {
	t      *testing.T
	url    string
	data   string
	out    *notes // what it printed and logged
	client *http.Client
}

// notes is a buffer that several goroutines may write to.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.String()
}

var serving = regexp.MustCompile(`serves at (\S+)\n`)

// startServer runs stele until the test ends, with an empty environment.
func startServer(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{t: t, data: filepath.Join(t.TempDir(), "data"), out: new(notes), client: &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, append([]string{"--listen", "127.0.0.1:0", "--data", s.data}, args...), s.world())
	}()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		if err := <-done; err != nil {
			t.Errorf("serve: %v\n%s", err, s.out)
		}
	})
	eventually(t, func() bool {
		select {
		case err := <-done:
			done <- err
			t.Fatalf("serve ended early: %v\n%s", err, s.out)
		default:
		}
		if found := serving.FindStringSubmatch(s.out.String()); found != nil {
			s.url = found[1]
		}
		return s.url != ""
	})
	return s
}

func (s *served) world() world {
	return world{getenv: func(string) string { return "" }, dir: s.t.TempDir(), stdin: strings.NewReader(""), stdout: s.out, stderr: s.out}
}

// cli runs a command on the server's data folder and returns what it printed.
func (s *served) cli(args ...string) string {
	s.t.Helper()
	var out bytes.Buffer
	w := s.world()
	w.stdout, w.stderr = &out, &out
	if err := run(s.t.Context(), append(args, "--data", s.data), w); err != nil {
		s.t.Fatalf("stele %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return out.String()
}

// key makes a key on the command line and waits until the server knows it.
func (s *served) key(args ...string) (id, secret string) {
	s.t.Helper()
	var k wireKey
	if err := json.Unmarshal([]byte(s.cli(append([]string{"keys", "create", "--name", "test", "--json"}, args...)...)), &k); err != nil {
		s.t.Fatal(err)
	}
	return k.ID, k.Key
}

// ask sends a request and returns status, header and body.
func (s *served) ask(method, path string, header http.Header, body io.Reader) (int, http.Header, []byte) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	answer, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, b
}

func bearer(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

// eventually waits for an event with a deadline far beyond what it may take.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(10*time.Millisecond), time.After(3*time.Minute)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("did not happen within three minutes")
		}
	}
}
