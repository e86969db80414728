package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/provider"
)

// fakeList is an upstream's list that can be told what to say.
type fakeList struct {
	mu    sync.Mutex // guards all below
	names []string
	err   error
	asked int
}

func (*fakeList) Lists() bool { return true }

func (f *fakeList) List(context.Context) ([]provider.Listed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	var list []provider.Listed
	for _, name := range f.names {
		list = append(list, provider.Listed{ID: name})
	}
	return list, f.err
}

func (f *fakeList) say(err error, names ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names, f.err = names, err
}

func listedIDs(c *catalog.Catalog) (ids []string) {
	for _, m := range c.Models(access.Scope{}) {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestUpstreamsListsAreOnTheShelf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		models := catalog.New()
		s := newShelf(models)
		upstream := new(fakeList)
		upstream.say(nil, "a", "b")
		offered := catalog.Contents{
			Models: []catalog.Model{{ID: "fast"}, {ID: "up/b", Name: "by hand"}},
			Open:   map[string]catalog.Model{"up": {Owner: "up", Retries: 2}},
		}
		if err := s.offer(offered, map[string]source{"up": {upstream, "x"}}); err != nil {
			t.Fatal(err)
		}
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if diff := cmp.Diff(want, listedIDs(models)); diff != "" {
				t.Error(diff)
			}
		}
		expect("fast", "up/b") // nobody waits for an upstream
		var told strings.Builder
		log := slog.New(slog.NewTextHandler(&told, nil))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go s.run(ctx, log)
		expect("fast", "up/b", "up/a")
		if m, err := models.Model("up/a", access.Scope{}); err != nil || m.Name != "a" || m.Retries != 2 || m.Targets[0].Model != "a" {
			t.Error(m, err)
		}
		if _, err := models.Model("up/unlisted", access.Scope{}); err != nil {
			t.Error(err)
		}

		upstream.say(nil, "c")
		time.Sleep(listEvery - time.Second)
		expect("fast", "up/b", "up/a")
		time.Sleep(2 * time.Second)
		expect("fast", "up/b", "up/c")

		upstream.say(errors.New("down"))
		time.Sleep(listEvery)
		expect("fast", "up/b", "up/c") // it is likely to be back
		if !strings.Contains(told.String(), "not listed") || !strings.Contains(told.String(), "down") {
			t.Error(told.String())
		}
		before := told.Len()
		upstream.say(nil, "d")
		time.Sleep(listAgain)
		expect("fast", "up/b", "up/d")
		if told.Len() != before {
			t.Errorf("said twice: %s", told.String())
		}

		other := new(fakeList)
		other.say(nil, "e")
		if err := s.offer(offered, map[string]source{"up": {other, "y"}}); err != nil {
			t.Fatal(err)
		}
		expect("fast", "up/b", "up/e") // another address, another list, at once
		if err := s.offer(catalog.Contents{Models: []catalog.Model{{ID: "x"}, {ID: "x"}}}, nil); err == nil {
			t.Error("two models of one id")
		}
		expect("fast", "up/b", "up/e")
		if err := s.offer(catalog.Contents{Models: []catalog.Model{{ID: "fast"}}}, nil); err != nil {
			t.Fatal(err)
		}
		expect("fast")
	})
}

func TestTheServerListsWhatItsUpstreamsHave(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = io.WriteString(w, `{"data":[{"id":"qwen3:8b","created":1},{"id":"nomic-embed-text"}]}`)
		}
	}))
	t.Cleanup(upstream.Close)
	file := filepath.Join(t.TempDir(), "stele.yaml")
	text := "providers:\n  local: {kind: ollama, base_url: '" + upstream.URL + "/v1', models: ['*']}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, "--config", file)
	_, key := s.key()
	eventually(t, func() bool {
		_, _, body := s.ask("GET", "/api/v1/models", bearer(key), nil)
		return strings.Contains(string(body), `"local/qwen3:8b"`) && !strings.Contains(string(body), "nomic")
	})
}
