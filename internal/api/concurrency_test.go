package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

// TestPlacesAreBoundedByKeyAndByWorkspace takes all there are, and gives them back.
func TestPlacesAreBoundedByKeyAndByWorkspace(t *testing.T) {
	t.Parallel()
	bound := int64(3)
	p := newConcurrency("requests", func() int64 { return bound })
	var leave []func()
	take := func(key, workspace string) bool {
		l, err := p.take(access.Principal{Key: key, Workspace: workspace})
		if err != nil {
			if e := fault.From(err); e.Code != fault.ConcurrencyLimit || e.RetryAfter <= 0 {
				t.Error(err)
			}
			return false
		}
		leave = append(leave, l)
		return true
	}
	for n := range ample {
		for range bound {
			if !take(fmt.Sprint("key", n), "a") {
				t.Fatalf("key %d has no place", n)
			}
		}
		if take(fmt.Sprint("key", n), "a") {
			t.Errorf("key %d has a place too many", n)
		}
	}
	if take("fresh", "a") {
		t.Error("a workspace has all it wants, key by key")
	}
	if !take("other", "b") {
		t.Error("another workspace has no place")
	}
	bound = 4
	if !take("key0", "a") {
		t.Error("a larger bound is not taken over")
	}
	bound = 0
	for range 100 {
		if !take("key0", "a") {
			t.Fatal("no bound is one")
		}
	}
	for _, l := range leave {
		l()
	}
	if p.keys.Taken() != 0 || p.workspaces.Taken() != 0 {
		t.Errorf("%d and %d places are never left", p.keys.Taken(), p.workspaces.Taken())
	}
}

// TestTheFirstRequestsAllHaveAPlace: the bound is taken over before any is refused.
func TestTheFirstRequestsAllHaveAPlace(t *testing.T) {
	t.Parallel()
	p := newConcurrency("requests", func() int64 { return 100 })
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := p.take(access.Principal{Key: "k", Workspace: "w"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestEveryChatRouteIsBounded asks each chat route with a key whose places are taken:
// 429 in its family's shape, and when to come back.
func TestEveryChatRouteIsBounded(t *testing.T) {
	t.Parallel()
	settings := roomy
	settings.OpenChats = 1
	b := newBench(t, settings)
	who, _, err := b.door.Access.Admit(b.key, "")
	if err != nil {
		t.Fatal(err)
	}
	leave, err := b.door.chats.take(who)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, route := range Routes() {
		if route.Group != access.GroupChat {
			continue
		}
		asked++
		path := strings.ReplaceAll(route.Path, "{model}", "m")
		status, text, header := b.do(t, route.Method, path, strings.NewReader("{}"))
		shape := map[string]string{"openai": `"rate_limit_error"`, "anthropic": `"rate_limit_error"`, "gemini": `"RESOURCE_EXHAUSTED"`}[route.Family]
		if status != http.StatusTooManyRequests || !strings.Contains(text, shape) || !strings.Contains(text, "concurrency_limit") || header.Get("Retry-After") != "1" {
			t.Errorf("%s: %d %s %v", path, status, text, header)
		}
	}
	leave()
	if asked == 0 || !slices.ContainsFunc(Routes(), func(r Route) bool { return r.Group == access.GroupChat }) {
		t.Error("no route was asked")
	}
	if status, text, _ := b.do(t, "POST", "/api/v1/chat/completions", strings.NewReader("{}")); status == http.StatusTooManyRequests {
		t.Errorf("a place that was left: %d %s", status, text)
	}
}

// TestWaitsForGenerationsAreBounded waits in both ways with a key whose places are
// taken. Only looking is always possible.
func TestWaitsForGenerationsAreBounded(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	p := h.process(t, "node_1")
	p.door.waits.bound = func() int64 { return 1 }
	if a := p.post(t, "k", `{"model":"acme/paint","prompt":"x"}`); a.status != http.StatusCreated {
		t.Fatal(a)
	}
	who, _, err := p.door.Access.Admit(p.key, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.door.waits.take(who); err != nil {
		t.Fatal(err)
	}
	ask := func(query, accept string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/api/v1/generations/"+h.tasks(t)[0]+query, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+p.key)
		r.Header.Set("Accept", accept)
		answer, err := p.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode, answer.Header.Get("Retry-After")
	}
	for _, c := range []struct {
		query, accept string
		status        int
	}{
		{"", "*/*", 200}, {"?wait=0", "*/*", 200}, {"?wait=60", "*/*", 429}, {"?wait=0.5", "", 429},
		{"?wait=", "*/*", 200}, {"?wait=abc", "*/*", 400}, {"?wait=-1", "*/*", 400}, {"?wait=NaN", "text/event-stream", 400}, {"?wait=1e999", "*/*", 429},
		{"?wait=5s", "*/*", 400}, {"", "text/event-stream", 429}, {"?wait=1", "application/json, Text/Event-Stream", 429},
	} {
		if status, after := ask(c.query, c.accept); status != c.status || status == 429 && after != "1" {
			t.Errorf("%+v: %d, Retry-After %q", c, status, after)
		}
	}
}

// TestAWaitThatIsNoTimeIsRefused orders with odd waits: in the query they are refused, as a
// preference they are passed over (RFC 7240, 2).
func TestAWaitThatIsNoTimeIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		query, prefer string
		wait          time.Duration
		preferred     bool
		field         string
	}{
		{query: "wait=2", wait: 2 * time.Second}, {query: "wait=600", wait: longestWait}, {query: "wait=Inf", wait: longestWait}, {query: "wait=0"}, {query: "wait="},
		{query: "wait=abc", field: "wait"}, {query: "wait=-1", field: "wait"}, {query: "wait=nan", field: "wait"}, {query: "wait=60s", field: "wait"},
		{query: "wait=true", field: "wait"}, {query: "wait=1,5", field: "wait"},
		{prefer: "wait=abc"}, {prefer: "wait=-1"}, {prefer: "wait"}, {prefer: "wait=3", wait: 3 * time.Second, preferred: true},
		{prefer: "wait=abc", query: "wait=2", wait: 2 * time.Second}, {prefer: "wait=abc", query: "wait=abc", field: "wait"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/generations?"+c.query, http.NoBody)
		r.Header.Set("Prefer", c.prefer)
		wait, preferred, err := waitOf(call{Request: r})
		field, code := any(""), fault.Code("")
		if e := fault.From(err); e != nil {
			field, code = e.Details["field"], e.Code
		}
		if wait != c.wait || preferred != c.preferred || field != c.field || code != "" && code != fault.InvalidRequestBody {
			t.Errorf("%+v: %s %t %v %s", c, wait, preferred, field, code)
		}
	}
}
