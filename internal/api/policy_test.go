package api

import (
	"net/http"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/scope"
)

func TestAPolicyKeepsContentsFromBeingTakenDown(t *testing.T) {
	t.Parallel()
	b, taken, kept := noted(t)
	boss := access.CommandLine("default")
	if _, err := b.door.Access.SetPolicy(t.Context(), boss, "default", access.Policy{NoCapture: true}); err != nil {
		t.Fatal(err)
	}
	const body = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	status, _, _ := b.do(t, "POST", "/api/v1/chat/completions", strings.NewReader(body))
	if status != http.StatusOK || len(taken) > 0 || kept.last.Model != "m" {
		t.Errorf("%d, %d bodies kept, record %+v", status, len(taken), kept.last)
	}
}

// TestKeysAreBoundToAddressesOnEveryRoute walks the table: whichever route is added
// next is bound as well.
func TestKeysAreBoundToAddressesOnEveryRoute(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	from := "192.0.2.1"
	b.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.door.ServeHTTP(w, r.WithContext(scope.With(r.Context(), &scope.Request{ID: "req_1", Remote: from})))
	})
	boss := access.CommandLine("default")
	_, bound, err := b.door.Access.CreateKey(t.Context(), boss, access.NewKey{Name: "k", CIDRs: []string{"198.51.100.0/24"}})
	if err != nil {
		t.Fatal(err)
	}
	free := b.key
	place := strings.NewReplacer("{app}", "x", "{model}", "m", "{id}", "gen_1")
	for _, route := range Routes() {
		b.key = bound
		status, text, _ := b.do(t, route.Method, place.Replace(route.Path), strings.NewReader("{}"))
		if status != http.StatusForbidden || !strings.Contains(text, from) {
			t.Errorf("%s %s: %d %s", route.Method, route.Path, status, text)
		}
		b.key = free
		if status, text, _ = b.do(t, route.Method, place.Replace(route.Path), strings.NewReader("{}")); strings.Contains(text, from) {
			t.Errorf("%s %s with a free key: %d %s", route.Method, route.Path, status, text)
		}
	}
}
