package telemetry_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/guard"
	"stele/internal/store"
	"stele/internal/store/template"
	"stele/internal/telemetry"
)

// sink is an address that the audit log is sent on to.
type sink struct {
	*httptest.Server

	mu     sync.Mutex // guards all below
	status int
	seqs   []int64
	tokens []string
	posts  int
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{status: http.StatusNoContent}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.posts++
		s.tokens = append(s.tokens, r.Header.Get("Authorization"))
		if s.status < 300 {
			s.seqs = append(s.seqs, seqsIn(t, r.Body)...)
		}
		w.WriteHeader(s.status)
	}))
	t.Cleanup(s.Close)
	return s
}

func seqsIn(t *testing.T, r io.Reader) (seqs []int64) {
	t.Helper()
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var e struct {
			Seq     int64
			Action  string
			Changes []struct{ Field, Old, New string }
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Action != "a.b" || len(e.Changes) != 1 || e.Changes[0].New != "b" {
			t.Errorf("the line is %s: %v", lines.Text(), err)
		}
		seqs = append(seqs, e.Seq)
	}
	return seqs
}

type forwarding struct {
	db     *store.Store
	folder string
	sink   *sink
	now    time.Time
	log    strings.Builder
}

func newForwarding(t *testing.T) *forwarding {
	t.Helper()
	db, err := store.Open(t.Context(), "", template.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return &forwarding{db: db, folder: t.TempDir(), sink: newSink(t), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
}

func (f *forwarding) write(t *testing.T, n int) {
	t.Helper()
	for range n {
		e := access.Entry{ID: fmt.Sprintf("aud_%d", time.Now().UnixNano()), At: f.now, Action: "a.b", Changes: []access.Change{{Field: "x", Old: "a", New: "b"}}}
		if err := f.db.InsertEntry(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *forwarding) file() string { return filepath.Join(f.folder, "audit.jsonl") }

func (f *forwarding) node(name string, s telemetry.AuditSettings) (*telemetry.Forwarder, func(t *testing.T)) {
	client := guard.Operator(guard.Options{})
	one := telemetry.NewForwarder(telemetry.AuditOptions{
		Log: f.db, Node: name, Folder: f.folder, Now: func() time.Time { return f.now },
		Client: func() *http.Client { return client }, Settings: func() telemetry.AuditSettings { return s },
	})
	return one, func(t *testing.T) { one.Send(t.Context(), slog.New(slog.NewTextHandler(&f.log, nil))) }
}

func upTo(n int64) (list []int64) {
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

func TestTheAuditLogIsSentOnAndNothingIsMissing(t *testing.T) {
	t.Parallel()
	f := newForwarding(t)
	one, send := f.node("node_1", telemetry.AuditSettings{URL: f.sink.URL + "/audit", Token: "let-me-in"})
	f.write(t, 250)
	send(t)
	if !slices.Equal(f.sink.seqs, upTo(250)) || f.sink.posts != 3 || f.sink.tokens[0] != "Bearer let-me-in" {
		t.Fatalf("%d entries in %d posts with %v", len(f.sink.seqs), f.sink.posts, f.sink.tokens)
	}
	send(t)
	if f.sink.posts != 3 {
		t.Error("something was sent although there is nothing new")
	}

	// The address is away: nothing is lost, it is asked less and less, and people are told.
	f.sink.status = http.StatusBadGateway
	f.write(t, 5)
	for range 10 {
		send(t)
	}
	if f.sink.posts != 4 || strings.Count(f.log.String(), "cannot be sent on") != 1 {
		t.Errorf("%d posts, log: %s", f.sink.posts, f.log.String())
	}
	lags, err := one.Lags(t.Context())
	if err != nil || len(lags) != 1 || lags[0].Behind != 5 || !strings.Contains(lags[0].Problem, "502") {
		t.Errorf("lags are %+v, %v", lags, err)
	}
	f.sink.status = http.StatusOK
	f.now = f.now.Add(time.Hour)
	send(t)
	if !slices.Equal(f.sink.seqs, upTo(255)) {
		t.Errorf("%d entries arrived", len(f.sink.seqs))
	}
	if lags, err := one.Lags(t.Context()); err != nil || len(lags) != 0 {
		t.Errorf("lags are %+v, %v", lags, err)
	}
}

// A redirect is not followed: the token would go along.
func TestTheTokenDoesNotFollowARedirect(t *testing.T) {
	t.Parallel()
	f := newForwarding(t)
	elsewhere := newSink(t)
	moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(moved.Close)
	_, send := f.node("node_1", telemetry.AuditSettings{URL: moved.URL, Token: "let-me-in"})
	f.write(t, 1)
	send(t)
	if elsewhere.posts != 0 {
		t.Error("the redirect was followed")
	}
}

func TestTwoServersDoNotSendTwice(t *testing.T) {
	t.Parallel()
	f := newForwarding(t)
	settings := telemetry.AuditSettings{URL: f.sink.URL}
	_, first := f.node("node_1", settings)
	_, second := f.node("node_2", settings)
	f.write(t, 3)
	first(t)
	f.write(t, 3)
	second(t) // the first one has the lease
	if !slices.Equal(f.sink.seqs, upTo(3)) {
		t.Errorf("arrived: %v", f.sink.seqs)
	}
	f.now = f.now.Add(2 * time.Minute) // the first one is gone
	second(t)
	first(t)
	if !slices.Equal(f.sink.seqs, upTo(6)) {
		t.Errorf("arrived: %v", f.sink.seqs)
	}
}

func TestTheAuditFileHasEveryEntryOnce(t *testing.T) {
	t.Parallel()
	f := newForwarding(t)
	settings := telemetry.AuditSettings{File: f.file()}
	_, send := f.node("node_1", settings)
	read := func() []int64 {
		in, err := os.Open(f.file())
		if err != nil {
			return nil
		}
		defer in.Close()
		return seqsIn(t, in)
	}
	f.write(t, 120)
	send(t)
	if got := read(); !slices.Equal(got, upTo(120)) {
		t.Fatalf("%d lines", len(got))
	}
	if info, err := os.Stat(f.file()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// It is moved away: the new one goes on where the old one ended.
	if err := os.Rename(f.file(), f.file()+".1"); err != nil {
		t.Fatal(err)
	}
	f.write(t, 2)
	_, again := f.node("node_2", settings) // as after a restart
	again(t)
	if got := read(); !slices.Equal(got, []int64{121, 122}) {
		t.Errorf("after it was moved: %v", got)
	}

	// Killed after the line was written and before that was noted.
	if err := os.WriteFile(filepath.Join(f.folder, "audit-file.seq"), []byte("121\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.write(t, 1)
	again(t)
	if got := read(); !slices.Equal(got, []int64{121, 122, 123}) {
		t.Errorf("after a kill: %v", got)
	}
}
