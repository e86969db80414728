package operate

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stele/test/rig"
)

// leaver is who hangs up.
type leaver struct {
	*rig.House
	person *rig.Visitor
	key    string
	task   string // one that does not end
}

// TestClientsThatLeaveAreNoErrorsOfOurs has clients hang up at every route while they are
// served, and then a server that is stopping cut them off. Whatever that breaks is logged
// as what it is.
func TestClientsThatLeaveAreNoErrorsOfOurs(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var flags []string
			if engine == "postgres" {
				flags = []string{"--database-url", rig.NewDatabase(t), "--master-key-file", rig.NewMasterKey(t)}
			}
			h := rig.Start(t, rig.Options{Config: "drain: 500ms\n", Flags: flags})
			l := &leaver{House: h, key: h.CreateKey(t).Key, person: rig.Settle(t, h)}
			h.Await(t, l.key, http.StatusOK)
			order := h.Post(t, "/api/v1/generations", l.key, `{"model":"stele/sandbox-image","prompt":"x [[sandbox: work=1h]]"}`)
			l.task = rig.Text(rig.Parse(t, order.Body), "data", "id")
			paths := l.paths(t)
			for _, after := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond, 16 * time.Millisecond} {
				var all sync.WaitGroup
				for _, path := range paths {
					all.Go(func() { l.leave(t, path, after) })
				}
				all.Wait()
			}
			var open sync.WaitGroup
			for range 8 {
				open.Go(func() { l.leave(t, "GET /api/v1/generations/"+l.task+"?wait=60", time.Minute) })
			}
			<-time.After(300 * time.Millisecond) // until they are in
			h.Signal(t, syscall.SIGTERM)
			open.Wait()
			gone := 0
			for _, line := range h.WholeLog(t) {
				if strings.Contains(line.Text("error"), "i/o timeout") {
					continue // a machine that is too busy for its database: no client has a part in it
				}
				if line.Text("level") == "ERROR" || line["status"] == float64(http.StatusInternalServerError) {
					t.Errorf("%v", line)
				}
				if line["status"] == float64(499) {
					gone++
				}
			}
			if gone < 8 {
				t.Errorf("%d clients are said to have left", gone)
			}
		})
	}
}

// paths are what clients can ask for: of pages, those that change nothing.
func (l *leaver) paths(t *testing.T) []string {
	t.Helper()
	routes, err := os.ReadFile("../attack/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("{id}", l.task, "{app}", "words", "{model}", "stele/sandbox", "{version}", "1", "{file}", "x")
	var list []string
	for line := range strings.Lines(string(routes)) {
		if side, what, _ := strings.Cut(strings.TrimSpace(line), " "); side == "api" || side == "console" && strings.HasPrefix(what, http.MethodGet) {
			list = append(list, fill.Replace(what))
		}
	}
	if len(list) < 50 {
		t.Fatalf("%d routes", len(list))
	}
	return list
}

// leave asks for something as a program or as a person, and hangs up after a while.
func (l *leaver) leave(t *testing.T, what string, after time.Duration) {
	method, path, _ := strings.Cut(what, " ")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer time.AfterFunc(after, cancel).Stop()
	r := l.Request(t, method, path).WithContext(ctx)
	if method == http.MethodPost {
		const body = `{"model":"stele/sandbox","prompt":"x","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Type", "application/json")
	}
	client := l.Client
	if strings.HasPrefix(path, "/api") {
		r.Header.Set("Authorization", "Bearer "+l.key)
	} else {
		client = l.person.Client
	}
	if a, err := client.Do(r); err == nil {
		_, _ = io.Copy(io.Discard, a.Body)
		_ = a.Body.Close()
	}
}
