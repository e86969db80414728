package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/provider/sandbox"
	"stele/internal/relay"
	router "stele/internal/route"
)

// badIDs are names that nothing can have.
var badIDs = map[string]string{
	"NUL": "p/a\x00b", "newline": "p/a\nb", "long": "p/" + strings.Repeat("x", 6<<10), "very long": "p/" + strings.Repeat("x", 200<<10),
	"up": "p/../../../admin", "up, encoded": "p/%2e%2e/admin", "up, backslash": `p/..\admin`, "half": "p/a\u202eb", "dot": "p/./a", "empty part": "p/a//b",
	"one up": "..", "space": " ",
}

// asked writes the request of a route for a name, in its path or in its body.
func asked(t *testing.T, r route, name string) (path, body string) {
	t.Helper()
	quoted, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	path = r.path
	for _, place := range []string{"{model}", "{app}", "{id}"} {
		path = strings.ReplaceAll(path, place, url.PathEscape(name))
	}
	return path, fmt.Sprintf(`{"model":%s,"max_tokens":9,"prompt":"x","messages":[{"role":"user","content":"hi"}],"contents":[{"parts":[{"text":"hi"}]}]}`, quoted)
}

// TestNothingIsRecordedByANameThatCannotBe asks every route that takes a name.
func TestNothingIsRecordedByANameThatCannotBe(t *testing.T) {
	t.Parallel()
	b, taken, kept := noted(t)
	open := catalog.New()
	if err := open.Replace(catalog.Contents{Open: map[string]catalog.Model{"p": {}}}); err != nil {
		t.Fatal(err)
	}
	upstream := sandbox.New(sandbox.Options{Now: time.Now, Secret: []byte("secret")})
	b.door.Relay = relay.New(relay.Options{
		Catalog: open, Upstreams: func(string) (relay.Upstream, bool) { return upstream, true }, Router: router.New(), Keeper: kept,
		Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	b.door.Generations.Catalog = open
	for _, r := range table {
		if r.group != access.GroupChat && !strings.Contains(r.path, "{") && r.path != "/api/v1/generations" {
			continue
		}
		for what, name := range badIDs {
			path, body := asked(t, r, name)
			if len(path) > 64<<10 {
				continue // no server takes such a path
			}
			status, text, _ := b.do(t, r.method, path, strings.NewReader(body))
			if status != 404 || len(text) > 2048 || strings.Contains(text, "\\u0000") {
				t.Errorf("%s of route %d: %d %.300s", what, r.number, status, text)
			}
			if kept.last.ID != "" || len(taken) > 0 {
				t.Errorf("%s of route %d is recorded as %+.300v", what, r.number, kept.last)
				kept.last.ID = ""
			}
		}
	}
	path, body := asked(t, table[4], "p/any name: "+strings.Repeat("ü", 100))
	if status, text, _ := b.do(t, "POST", path, strings.NewReader(body)); status != 200 || kept.last.ID == "" {
		t.Errorf("a name that can be: %d %s", status, text)
	}
}

func TestNoAnswerIsKeptForANameThatCannotBe(t *testing.T) {
	t.Parallel()
	p := newKeyedHouse(t, "sqlite").process(t, "one")
	for what, name := range badIDs {
		_, body := asked(t, table[9], name)
		for range 2 {
			if got := p.post(t, "k-"+what, body); got.status != 404 || got.header.Get("Idempotency-Replayed") != "" || len(got.body) > 2048 {
				t.Errorf("%s: %d %v %.200s", what, got.status, got.header, got.body)
			}
		}
		if got := p.post(t, "k-"+what, order); got.status != 201 {
			t.Errorf("%s has taken the key: %d %s", what, got.status, got.body)
		}
	}
}
