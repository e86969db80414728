package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func sessionCookie(t *testing.T, res *http.Response) *http.Cookie {
	t.Helper()
	for _, cookie := range res.Cookies() {
		if strings.HasSuffix(cookie.Name, "stele_session") {
			return cookie
		}
	}
	t.Fatalf("no session in the answer, status %d", res.StatusCode)
	return nil
}

func TestTheSetUpLinkWorksOnce(t *testing.T) {
	t.Parallel()
	h := open(t, "http://127.0.0.1:8080")
	wantText(t, body(t, h.get("/console/setup?token="+h.token, browser)), "Set up Stele", h.token)

	form := url.Values{"token": {h.token}, "email": {email}, "password": {password}, "again": {"another"}}
	res := h.post("/console/setup", form, browser)
	wantStatus(t, res, 422)
	page := body(t, res)
	wantText(t, page, "The two passwords differ.", email)
	if strings.Contains(page, password) {
		t.Error("the page repeats the password")
	}
	form.Set("again", password)
	form.Set("email", "nobody")
	res = h.post("/console/setup", form, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "is not an e-mail address", `aria-invalid="true"`)

	form.Set("email", email)
	res = h.post("/console/setup", form, browser)
	wantStatus(t, res, 303)
	h.cookie = sessionCookie(t, res).Value
	wantText(t, body(t, h.get("/console/keys", browser)), email, "first key")

	for _, again := range []*http.Response{
		h.post("/console/setup", form, browser),
		h.get("/console/setup?token="+h.token, browser),
		h.get("/console/setup", browser),
	} {
		wantStatus(t, again, 404)
		wantText(t, body(t, again), "This link does not work", "/console/signin")
	}
	wantCode(t, h.get("/console/setup?token=x"), 404, "not_found")
}

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	h := open(t, "https://stele.example.com/stele/")
	wantText(t, body(t, h.get("/console/signin", browser)), "Nobody can sign in yet")
	h.signIn()
	first := h.cookie

	res := h.post("/console/signin", url.Values{"email": {email}, "password": {password}, "next": {"/console/keys?a=b"}}, browser)
	wantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/stele/console/keys?a=b" {
		t.Errorf("sent to %s", got)
	}
	cookie := sessionCookie(t, res)
	if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/stele/" || cookie.Domain != "" {
		t.Errorf("the cookie is %s", cookie)
	}
	wantStatus(t, h.get("/console/keys", browser), 303) // the session before has ended
	h.cookie = cookie.Value
	page := body(t, h.get("/console/keys", browser))
	for _, link := range []string{`href="/console`, `action="/console`, `src="/console`, `href="/reference`} {
		if strings.Contains(page, link) {
			t.Errorf("%s lacks the base path", link)
		}
	}
	wantText(t, page, `action="/stele/console/keys"`, `href="/stele/reference"`, `src="/stele/console/static/`)
	if res := h.get("/console/signin", browser); res.Header.Get("Location") != "/stele/console/" {
		t.Errorf("somebody signed in is sent to %q", res.Header.Get("Location"))
	}

	res = h.post("/console/signout", url.Values{}, browser)
	wantStatus(t, res, 303)
	if gone := sessionCookie(t, res); gone.MaxAge >= 0 || gone.Path != "/stele/" {
		t.Errorf("the cookie is not taken away: %s", gone)
	}
	for _, ended := range []string{first, cookie.Value} {
		h.cookie = ended
		wantCode(t, h.get("/console/keys"), 401, "session_required")
	}
}

func TestWrongPasswordsAreAnsweredAlikeAndThenSlowed(t *testing.T) {
	t.Parallel()
	h := opened(t)
	h.cookie = ""
	try := func(address, secret string) *http.Response {
		return h.post("/console/signin", url.Values{"email": {address}, "password": {secret}}, browser)
	}
	known, unknown := try(email, "wrong"), try("nobody@example.com", "wrong")
	wantStatus(t, known, 401)
	wantStatus(t, unknown, 401)
	one, other := body(t, known), strings.ReplaceAll(body(t, unknown), "nobody@example.com", email)
	if one != other {
		t.Error("the page tells who exists")
	}
	for range 3 {
		try(email, "wrong")
	}
	res := try(email, password)
	wantStatus(t, res, 429)
	if got := res.Header.Get("Retry-After"); got != "15" {
		t.Errorf("Retry-After is %q", got)
	}
	wantText(t, body(t, res), "Too many failed attempts", "in 15 seconds")
	h.pass(16 * time.Second)
	wantStatus(t, try(email, password), 303)
}

func TestNextNeverLeadsElsewhere(t *testing.T) {
	t.Parallel()
	h := opened(t)
	for next, want := range map[string]string{
		"/console/keys":                  "/console/keys",
		"/console/keys?q=a%20b&r=%2F":    "/console/keys?q=a%20b&r=%2F",
		"":                               "/console/",
		"https://evil.example.net":       "/console/",
		"//evil.example.net/console/":    "/console/",
		"///evil.example.net/console/":   "/console/",
		`/\evil.example.net/console/`:    "/console/",
		`/console/\..\..\evil`:           "/console/",
		"/console/../../evil":            "/console/",
		"/console//evil.example.net":     "/console/",
		"/console/%2e%2e/evil":           "/console/",
		"http:///console/keys":           "/console/",
		"javascript:alert(1)//console/":  "/console/",
		"/reference":                     "/console/",
		"/console/keys\r\nSet-Cookie: a": "/console/",
		"/consolex/":                     "/console/",
		"/console/signin":                "/console/",
		"/console/signout":               "/console/",
	} {
		res := h.get("/console/signin?next="+url.QueryEscape(next), browser)
		if got := res.Header.Get("Location"); got != want {
			t.Errorf("next=%q leads to %q, want %q", next, got, want)
		}
	}
}
