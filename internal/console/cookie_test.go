package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stele/internal/console/consoletest"
	"stele/internal/scope"
)

// TestTheSessionsCookieIsAsSafeAsTheWay signs in wherever the console may be.
func TestTheSessionsCookieIsAsSafeAsTheWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		public string
		tls    bool // the request came over it, as far as we know
		name   string
		secure bool
	}{
		{"http://127.0.0.1:8080", false, "stele_session", false},
		{"http://localhost:8080/stele", false, "stele_session", false},
		{"http://127.0.0.1:8080", true, "__Host-stele_session", true},
		{"https://stele.example.com", false, "__Host-stele_session", true},
		{"https://stele.example.com/", true, "__Host-stele_session", true},
		{"https://stele.example.com/stele", false, "__Secure-stele_session", true},
		{"https://stele.example.com/stele/", true, "__Secure-stele_session", true},
	} {
		h := consoletest.Open(t, c.public)
		h.SignIn()
		h.Cookie = ""
		ask := func(method, path string, form url.Values, cookie *http.Cookie) *http.Response {
			r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
			r.Host = h.Public.Host
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if cookie != nil {
				r.AddCookie(cookie)
			}
			r = r.WithContext(scope.With(r.Context(), &scope.Request{ID: "req", Remote: "192.0.2.1", Secure: c.tls}))
			w := httptest.NewRecorder()
			h.Bare.ServeHTTP(w, r)
			return w.Result()
		}
		res := ask("POST", "/console/signin", url.Values{"email": {consoletest.Email}, "password": {consoletest.Password}}, nil)
		cookie := consoletest.SessionCookie(t, res)
		path := strings.TrimRight(h.Public.Path, "/") + "/"
		if cookie.Name != c.name || cookie.Secure != c.secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != path || cookie.Domain != "" {
			t.Errorf("%+v: %+v", c, cookie)
		}
		if res := ask("GET", "/console/keys", nil, cookie); res.StatusCode != http.StatusOK {
			t.Errorf("%+v: its own cookie is answered with %d", c, res.StatusCode)
		}
		planted := &http.Cookie{Name: "stele_session", Value: cookie.Value}
		if res := ask("GET", "/console/keys", nil, planted); (res.StatusCode == http.StatusOK) != (c.name == planted.Name) {
			t.Errorf("%+v: a cookie anybody could have set is answered with %d", c, res.StatusCode)
		}
	}
}
