package console_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/console"
)

// path is a path that a route's pattern fits.
func path(route console.Route) string {
	return strings.NewReplacer("{id}", "key_0", "{app}", "social-card", "{run}", "gen_0", "{number}", "1", "{version}", "0", "{file}", "style.css").Replace(route.Pattern)
}

func wantCode(t *testing.T, res *http.Response, status int, code string) {
	t.Helper()
	var envelope struct {
		Error struct {
			Code      string `json:"code"`
			RequestID string `json:"request_id"`
		} `json:"error"`
	}
	text := body(t, res)
	if err := json.Unmarshal([]byte(text), &envelope); err != nil {
		t.Fatalf("status %d and no JSON: %s", res.StatusCode, text)
	}
	if res.StatusCode != status || envelope.Error.Code != code || envelope.Error.RequestID != "req_test" {
		t.Errorf("status %d and %s, want %d %s", res.StatusCode, text, status, code)
	}
}

func TestInternalRoutesWantASessionAndNothingElse(t *testing.T) {
	t.Parallel()
	h := opened(t)
	valid := h.cookie
	callers := []struct {
		name    string
		cookie  string
		headers []header
	}{
		{"no session", "", nil},
		{"made-up session", strings.Repeat("x", 43), nil},
		{"key as bearer", "", []header{{"Authorization", "Bearer " + h.key}}},
		{"key as X-API-Key", "", []header{{"X-API-Key", h.key}}},
		{"key in a browser", "", []header{browser, {"Authorization", "Bearer " + h.key}}},
		{"other key in a browser", "", []header{browser, {"X-API-Key", h.key}}},
		{"key as session", h.key, nil},
	}
	for _, route := range console.Routes() {
		if route.Need == "" {
			continue
		}
		for _, caller := range callers {
			h.cookie = caller.cookie
			res := h.do(route.Method, path(route), url.Values{"name": {"x"}}, caller.headers...)
			t.Run(route.Method+" "+route.Pattern+" "+caller.name, func(t *testing.T) {
				t.Parallel()
				wantCode(t, res, 401, "session_required")
				if got := res.Header.Get("WWW-Authenticate"); strings.Contains(got, "Bearer") {
					t.Errorf("WWW-Authenticate is %q", got)
				}
			})
		}
	}
	h.cookie = valid
	if res := h.get("/console/keys", header{"X-API-Key", "nonsense"}); res.StatusCode != http.StatusOK {
		t.Errorf("a key beside a session: status %d", res.StatusCode)
	}
}

func TestASessionEnds(t *testing.T) {
	t.Parallel()
	h := opened(t)
	wantStatus(t, h.get("/console/keys", browser), 200)
	h.pass(25 * time.Hour)
	wantCode(t, h.get("/console/keys"), 401, "session_required")
	wantStatus(t, h.get("/console/keys", browser), 303)
}

func TestABrowserIsShownTheWayToSignIn(t *testing.T) {
	t.Parallel()
	h := open(t, "http://127.0.0.1:8080")
	res := h.get("/console/keys?page=2", browser)
	wantStatus(t, res, 303)
	if got, want := res.Header.Get("Location"), "/console/signin?next=%2Fconsole%2Fkeys%3Fpage%3D2"; got != want {
		t.Errorf("sent to %s, want %s", got, want)
	}
	res = h.post("/console/keys", url.Values{"name": {"x"}}, browser)
	wantStatus(t, res, 401)
	wantText(t, body(t, res), "Your session has ended", "/console/signin")
}

func TestOpenRoutesDoNotLookAtKeys(t *testing.T) {
	t.Parallel()
	h := open(t, "http://127.0.0.1:8080")
	for _, route := range console.Routes() {
		if route.Need != "" || route.Method != http.MethodGet {
			continue
		}
		without := h.get(path(route))
		with := h.get(path(route), header{"Authorization", "Bearer " + h.key}, header{"X-API-Key", "nonsense"})
		if without.StatusCode != with.StatusCode || with.StatusCode == http.StatusUnauthorized {
			t.Errorf("%s: %d without a key, %d with one", route.Pattern, without.StatusCode, with.StatusCode)
		}
	}
}

func TestChangesFromOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	h := open(t, "https://stele.example.com/stele")
	h.signIn()
	form := url.Values{"name": {"x"}, "scope": {"chat"}}
	for _, test := range []struct {
		name    string
		headers []header
		want    int
	}{
		{"cross-site", []header{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example.net"}}, 403},
		{"same-site", []header{{"Sec-Fetch-Site", "same-site"}, {"Origin", "https://other.example.com"}}, 403},
		{"old browser", []header{{"Origin", "https://evil.example.net"}}, 403},
		{"null origin", []header{{"Origin", "null"}}, 403},
		{"same origin", []header{{"Sec-Fetch-Site", "same-origin"}, {"Origin", "https://stele.example.com"}}, 200},
		{"public URL behind a proxy", []header{{"Origin", "https://stele.example.com"}, {"Host", "10.0.0.7:8080"}}, 200},
		{"no browser", nil, 200},
	} {
		if res := h.post("/console/keys", form, test.headers...); res.StatusCode != test.want {
			t.Errorf("%s: status %d, want %d", test.name, res.StatusCode, test.want)
		}
	}
	for _, route := range console.Routes() {
		if route.Method == http.MethodGet {
			continue
		}
		wantCode(t, h.do(route.Method, path(route), form, header{"Sec-Fetch-Site", "cross-site"}), 403, "permission_denied")
	}
	res := h.post("/console/keys", form, browser, header{"Sec-Fetch-Site", "cross-site"})
	wantText(t, body(t, res), "page of another site")
}

func TestMethodsAndPathsAreStrict(t *testing.T) {
	t.Parallel()
	h := opened(t)
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
		res := h.do(test.method, test.path, nil)
		wantCode(t, res, test.status, test.code)
		if got := res.Header.Get("Allow"); got != test.allow {
			t.Errorf("%s %s: Allow is %q, want %q", test.method, test.path, got, test.allow)
		}
	}
	res := h.get("/console/nothing", browser)
	wantStatus(t, res, 404)
	wantText(t, body(t, res), "There is no such page.", "req_test")
	wantStatus(t, h.do("HEAD", "/console/keys", nil), 200)
	wantStatus(t, h.post("/console/keys", url.Values{"name": {strings.Repeat("x", 70_000)}}), 413)
}

func TestEveryAnswerCarriesTheProtectiveHeaders(t *testing.T) {
	t.Parallel()
	h := opened(t)
	for _, p := range []string{"/console/keys", "/console/setup?token=x", "/console/nothing", "/reference", "/"} {
		res := h.get(p, browser)
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
	h := opened(t)
	h.store.find = func() error { return errors.New("disk on fire") }
	wantCode(t, h.get("/console/keys"), 500, "internal_error")

	h.store.find = func() error { panic("water in the cellar") }
	res := h.get("/console/keys", browser)
	wantStatus(t, res, 500)
	page := body(t, res)
	wantText(t, page, "Something went wrong")
	if strings.Contains(page, "cellar") {
		t.Error("the page tells what happened inside")
	}
	wantText(t, h.log.String(), "panic in the console", "water in the cellar", "req_test", "gate_test.go")
}
