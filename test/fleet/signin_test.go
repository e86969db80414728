package fleet

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stele/test/rig"
)

// TestWrongPasswordsCountOnAllServers spreads five of them over three servers: the next
// attempt has to wait on each, even with the right one.
func TestWrongPasswordsCountOnAllServers(t *testing.T) {
	t.Parallel()
	servers := newServers(t, 3)
	rig.Settle(t, servers[0].House)
	signIn := func(r *rig.Front, password string) int {
		form := url.Values{"email": {"admin@example.com"}, "password": {password}}.Encode()
		q := r.Request(t, http.MethodPost, "/console/signin")
		q.Body, q.ContentLength = io.NopCloser(strings.NewReader(form)), int64(len(form))
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		a, err := r.Send(q)
		if err != nil {
			t.Fatal(err)
		}
		return a.Status
	}
	for n := range 5 {
		if status := signIn(servers[n%3], "wrong horse battery"); status != http.StatusForbidden && status != http.StatusUnauthorized {
			t.Fatalf("try %d: status %d", n, status)
		}
	}
	for n, r := range servers {
		if status := signIn(r, "correct horse battery"); status != http.StatusTooManyRequests {
			t.Errorf("server %d: status %d, want 429", n, status)
		}
	}
}
