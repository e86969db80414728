package apps_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/api"
	"stele/internal/app"
	"stele/internal/console/consoletest"
	"stele/internal/replay"
	"stele/internal/scope"
)

// An app that is published here is called with a key there, and a run keeps the
// version that was offered when it was ordered.
func TestAPublishedAppIsCalledWithAKey(t *testing.T) {
	t.Parallel()
	h, w := consoletest.OpenApps(t)
	if err := h.Access.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	door := api.New(api.Options{
		Access: h.Access, Catalog: w.Runner.Catalog, Apps: w.Runner, Files: w.Files, Generations: w.Generations,
		Replay:   replay.New(replay.Options{Store: h.Store, Node: "node", Alone: true, Now: time.Now}),
		Settings: func() api.Settings { return api.Settings{JSONBody: 1 << 20, AllowDevelopment: true} },
		Draining: func() bool { return false },
	})
	call := func(method, path, sent string, into any) int {
		r := httptest.NewRequest(method, path, strings.NewReader(sent))
		r.Header.Set("Authorization", "Bearer "+h.Key)
		out := httptest.NewRecorder()
		door.ServeHTTP(out, r.WithContext(scope.With(r.Context(), &scope.Request{ID: "req_test"})))
		if into != nil {
			if err := json.Unmarshal(out.Body.Bytes(), into); err != nil {
				t.Fatalf("%s: %v", out.Body, err)
			}
		}
		return out.Code
	}
	if status := call("GET", "/api/v1/apps/greeting", "", nil); status != http.StatusNotFound {
		t.Fatalf("before there is one: %d", status)
	}
	consoletest.WantStatus(t, h.Post("/console/apps/new", url.Values{"id": {"greeting"}, "from": {"social-card"}}, consoletest.Browser), 303)
	if status := call("GET", "/api/v1/apps/greeting", "", nil); status != http.StatusNotFound {
		t.Fatalf("a draft can be called: %d", status)
	}
	all, _ := w.Library.Page("default", 1, 100, func(*app.Recipe) bool { return true })
	recipe := all[0]
	for _, r := range all {
		if r.ID == "social-card" {
			recipe = r
		}
	}
	source := strings.Replace(recipe.Source(), "app: social-card", "app: greeting", 1)
	consoletest.WantStatus(t, h.Post("/console/apps/greeting/publish", url.Values{"source": {source}}, consoletest.Browser), 303)

	type run struct {
		Data struct{ ID, Status, App string }
	}
	var first, second run
	if status := call("POST", "/api/v1/apps/greeting/generations", `{"headline":"one"}`, &first); status != http.StatusCreated {
		t.Fatalf("%d %+v", status, first)
	}
	next := strings.Replace(source, "style: card", "style: poster", 1)
	consoletest.WantStatus(t, h.Post("/console/apps/greeting/publish", url.Values{"source": {next}}, consoletest.Browser), 303)
	var shown struct{ Data struct{ Version int } }
	if status := call("GET", "/api/v1/apps/greeting", "", &shown); status != http.StatusOK || shown.Data.Version != 2 {
		t.Errorf("%d, version %d", status, shown.Data.Version)
	}
	if status := call("POST", "/api/v1/apps/greeting/generations", `{"headline":"two"}`, &second); status != http.StatusCreated {
		t.Fatalf("%d %+v", status, second)
	}
	for id, want := range map[string][]string{first.Data.ID: {"version: 1", "style: card"}, second.Data.ID: {"version: 2", "style: poster"}} {
		task := w.End(t, id)
		if task.State != "success" {
			t.Fatalf("%s %s", task.State, task.Message)
		}
		consoletest.WantText(t, task.Order.Recipe, want...)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/apps/greeting/runs/"+first.Data.ID, consoletest.Browser)), "Version 1")
	consoletest.WantStatus(t, h.Post("/console/apps/greeting/unpublish", nil, consoletest.Browser), 303)
	if status := call("POST", "/api/v1/apps/greeting/generations", `{"headline":"three"}`, nil); status != http.StatusNotFound {
		t.Errorf("an app that was taken back can be called: %d", status)
	}
	if status := call("GET", "/api/v1/apps/greeting/generations/"+first.Data.ID, "", nil); status != http.StatusOK {
		t.Errorf("its runs are gone: %d", status)
	}
}
