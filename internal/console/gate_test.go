package console_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/console"
	"stele/internal/console/consoletest"
)

func TestInternalRoutesWantASessionAndNothingElse(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	valid := h.Cookie
	callers := []struct {
		name    string
		cookie  string
		headers []consoletest.Header
	}{
		{"no session", "", nil},
		{"made-up session", strings.Repeat("x", 43), nil},
		{"key as bearer", "", []consoletest.Header{consoletest.With("Authorization", "Bearer "+h.Key)}},
		{"key as X-API-Key", "", []consoletest.Header{consoletest.With("X-API-Key", h.Key)}},
		{"key in a browser", "", []consoletest.Header{consoletest.Browser, consoletest.With("Authorization", "Bearer "+h.Key)}},
		{"other key in a browser", "", []consoletest.Header{consoletest.Browser, consoletest.With("X-API-Key", h.Key)}},
		{"key as session", h.Key, nil},
	}
	for _, route := range console.Routes() {
		if route.Need == "" {
			continue
		}
		for _, caller := range callers {
			h.Cookie = caller.cookie
			res := h.Do(route.Method, consoletest.PathOf(route), url.Values{"name": {"x"}}, caller.headers...)
			t.Run(route.Method+" "+route.Pattern+" "+caller.name, func(t *testing.T) {
				t.Parallel()
				consoletest.WantCode(t, res, 401, "session_required")
				if got := res.Header.Get("WWW-Authenticate"); strings.Contains(got, "Bearer") {
					t.Errorf("WWW-Authenticate is %q", got)
				}
			})
		}
	}
	h.Cookie = valid
	if res := h.Get("/console/keys", consoletest.With("X-API-Key", "nonsense")); res.StatusCode != http.StatusOK {
		t.Errorf("a key beside a session: status %d", res.StatusCode)
	}
}

func TestASessionEnds(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	consoletest.WantStatus(t, h.Get("/console/keys", consoletest.Browser), 200)
	h.Pass(25 * time.Hour)
	consoletest.WantCode(t, h.Get("/console/keys"), 401, "session_required")
	consoletest.WantStatus(t, h.Get("/console/keys", consoletest.Browser), 303)
}

func TestABrowserIsShownTheWayToSignIn(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "http://127.0.0.1:8080")
	res := h.Get("/console/keys?page=2", consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	if got, want := res.Header.Get("Location"), "/console/signin?next=%2Fconsole%2Fkeys%3Fpage%3D2"; got != want {
		t.Errorf("sent to %s, want %s", got, want)
	}
	res = h.Post("/console/keys", url.Values{"name": {"x"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 401)
	consoletest.WantText(t, consoletest.Body(t, res), "Your session has ended", "/console/signin")
}

func TestOpenRoutesDoNotLookAtKeys(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "http://127.0.0.1:8080")
	for _, route := range console.Routes() {
		if route.Need != "" || route.Method != http.MethodGet {
			continue
		}
		without := h.Get(consoletest.PathOf(route))
		with := h.Get(consoletest.PathOf(route), consoletest.With("Authorization", "Bearer "+h.Key), consoletest.With("X-API-Key", "nonsense"))
		if without.StatusCode != with.StatusCode || with.StatusCode == http.StatusUnauthorized {
			t.Errorf("%s: %d without a key, %d with one", route.Pattern, without.StatusCode, with.StatusCode)
		}
	}
}

func TestChangesFromOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "https://stele.example.com/stele")
	h.SignIn()
	form := url.Values{"name": {"x"}, "scope": {"chat"}}
	for _, test := range []struct {
		name    string
		headers []consoletest.Header
		want    int
	}{
		{"cross-site", []consoletest.Header{consoletest.With("Sec-Fetch-Site", "cross-site"), consoletest.With("Origin", "https://evil.example.net")}, 403},
		{"same-site", []consoletest.Header{consoletest.With("Sec-Fetch-Site", "same-site"), consoletest.With("Origin", "https://other.example.com")}, 403},
		{"old browser", []consoletest.Header{consoletest.With("Origin", "https://evil.example.net")}, 403},
		{"null origin", []consoletest.Header{consoletest.With("Origin", "null")}, 403},
		{"same origin", []consoletest.Header{consoletest.With("Sec-Fetch-Site", "same-origin"), consoletest.With("Origin", "https://stele.example.com")}, 200},
		{"public URL behind a proxy", []consoletest.Header{consoletest.With("Origin", "https://stele.example.com"), consoletest.With("Host", "10.0.0.7:8080")}, 200},
		{"no browser", nil, 200},
	} {
		if res := h.Post("/console/keys", form, test.headers...); res.StatusCode != test.want {
			t.Errorf("%s: status %d, want %d", test.name, res.StatusCode, test.want)
		}
	}
	for _, route := range console.Routes() {
		if route.Method == http.MethodGet {
			continue
		}
		consoletest.WantCode(t, h.Do(route.Method, consoletest.PathOf(route), form, consoletest.With("Sec-Fetch-Site", "cross-site")), 403, "permission_denied")
	}
	res := h.Post("/console/keys", form, consoletest.Browser, consoletest.With("Sec-Fetch-Site", "cross-site"))
	consoletest.WantText(t, consoletest.Body(t, res), "page of another site")
}

func TestMethodsAndPathsAreStrict(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	for _, test := range []struct {
		method, path, allow string
		status              int
		code                string
	}{
		{"DELETE", "/console/keys", "GET, HEAD, POST", 405, "method_not_allowed"},
		{"GET", "/console/signout", "POST", 405, "method_not_allowed"},
		{"GET", "/console/keys/key_0/rotate", "POST", 405, "method_not_allowed"},
		{"OPTIONS", "/reference", "GET, HEAD", 405, "method_not_allowed"},
		{"GET", "/console/nothing", "", 404, "not_found"},
		{"GET", "/console//keys", "", 404, "not_found"},
		{"GET", "/console/../console/keys", "", 404, "not_found"},
		{"GET", "/console/static/0/none.css", "", 404, "not_found"},
	} {
		res := h.Do(test.method, test.path, nil)
		consoletest.WantCode(t, res, test.status, test.code)
		if got := res.Header.Get("Allow"); got != test.allow {
			t.Errorf("%s %s: Allow is %q, want %q", test.method, test.path, got, test.allow)
		}
	}
	res := h.Get("/console/nothing", consoletest.Browser)
	consoletest.WantStatus(t, res, 404)
	consoletest.WantText(t, consoletest.Body(t, res), "There is no such page.", "req_test")
	consoletest.WantStatus(t, h.Do("HEAD", "/console/keys", nil), 200)
	consoletest.WantStatus(t, h.Post("/console/keys", url.Values{"name": {strings.Repeat("x", 70_000)}}), 413)
}

func TestEveryAnswerCarriesTheProtectiveHeaders(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	for _, p := range []string{"/console/keys", "/console/setup?token=x", "/console/nothing", "/reference", "/"} {
		res := h.Get(p, consoletest.Browser)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self';",
			"X-Content-Type-Options":  "nosniff",
			"X-Frame-Options":         "DENY",
			"Referrer-Policy":         "same-origin",
		} {
			if got := res.Header.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q", p, name, got)
			}
		}
		if strings.HasPrefix(p, "/console/") && res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be stored", p)
		}
	}
}

func TestFaultsInsideShowNothing(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	h.Store.Find = func() error { return errors.New("disk on fire") }
	consoletest.WantCode(t, h.Get("/console/keys"), 500, "internal_error")

	h.Store.Find = func() error { panic("water in the cellar") }
	res := h.Get("/console/keys", consoletest.Browser)
	consoletest.WantStatus(t, res, 500)
	page := consoletest.Body(t, res)
	consoletest.WantText(t, page, "Something went wrong")
	if strings.Contains(page, "cellar") {
		t.Error("the page tells what happened inside")
	}
	consoletest.WantText(t, h.Log.String(), "panic in the console", "water in the cellar", "req_test", "gate_test.go")
}
