package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/console/consoletest"
)

func TestTheSetUpLinkWorksOnce(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "http://127.0.0.1:8080")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/setup?token="+h.Token, consoletest.Browser)), "Set up Stele", h.Token)

	form := url.Values{"token": {h.Token}, "email": {consoletest.Email}, "password": {consoletest.Password}, "again": {"another"}}
	res := h.Post("/console/setup", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	page := consoletest.Body(t, res)
	consoletest.WantText(t, page, "The two passwords differ.", consoletest.Email)
	if strings.Contains(page, consoletest.Password) {
		t.Error("the page repeats the password")
	}
	form.Set("again", consoletest.Password)
	form.Set("email", "nobody")
	res = h.Post("/console/setup", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "is not an e-mail address", `aria-invalid="true"`)

	form.Set("email", consoletest.Email)
	res = h.Post("/console/setup", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	h.Cookie = consoletest.SessionCookie(t, res).Value
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), consoletest.Email, "first key")

	for _, again := range []*http.Response{
		h.Post("/console/setup", form, consoletest.Browser),
		h.Get("/console/setup?token="+h.Token, consoletest.Browser),
		h.Get("/console/setup", consoletest.Browser),
	} {
		consoletest.WantStatus(t, again, 404)
		consoletest.WantText(t, consoletest.Body(t, again), "This link does not work", "/console/signin")
	}
	consoletest.WantCode(t, h.Get("/console/setup?token=x"), 404, "not_found")
}

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "https://stele.example.com/stele/")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/signin", consoletest.Browser)), "Nobody can sign in yet")
	h.SignIn()
	first := h.Cookie

	res := h.Post("/console/signin", url.Values{"email": {consoletest.Email}, "password": {consoletest.Password}, "next": {"/console/keys?a=b"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/stele/console/keys?a=b" {
		t.Errorf("sent to %s", got)
	}
	cookie := consoletest.SessionCookie(t, res)
	if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/stele/" || cookie.Domain != "" {
		t.Errorf("the cookie is %s", cookie)
	}
	consoletest.WantStatus(t, h.Get("/console/keys", consoletest.Browser), 303) // the session before has ended
	h.Cookie = cookie.Value
	page := consoletest.Body(t, h.Get("/console/keys", consoletest.Browser))
	for _, link := range []string{`href="/console`, `action="/console`, `src="/console`, `href="/reference`} {
		if strings.Contains(page, link) {
			t.Errorf("%s lacks the base path", link)
		}
	}
	consoletest.WantText(t, page, `action="/stele/console/keys"`, `href="/stele/reference"`, `src="/stele/console/static/`)
	if res := h.Get("/console/signin", consoletest.Browser); res.Header.Get("Location") != "/stele/console/" {
		t.Errorf("somebody signed in is sent to %q", res.Header.Get("Location"))
	}

	res = h.Post("/console/signout", url.Values{}, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	if gone := consoletest.SessionCookie(t, res); gone.MaxAge >= 0 || gone.Path != "/stele/" {
		t.Errorf("the cookie is not taken away: %s", gone)
	}
	for _, ended := range []string{first, cookie.Value} {
		h.Cookie = ended
		consoletest.WantCode(t, h.Get("/console/keys"), 401, "session_required")
	}
}

func TestWrongPasswordsAreAnsweredAlikeAndThenSlowed(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	h.Cookie = ""
	try := func(address, secret string) *http.Response {
		return h.Post("/console/signin", url.Values{"email": {address}, "password": {secret}}, consoletest.Browser)
	}
	known, unknown := try(consoletest.Email, "wrong"), try("nobody@example.com", "wrong")
	consoletest.WantStatus(t, known, 401)
	consoletest.WantStatus(t, unknown, 401)
	one, other := consoletest.Body(t, known), strings.ReplaceAll(consoletest.Body(t, unknown), "nobody@example.com", consoletest.Email)
	if one != other {
		t.Error("the page tells who exists")
	}
	for range 3 {
		try(consoletest.Email, "wrong")
	}
	res := try(consoletest.Email, consoletest.Password)
	consoletest.WantStatus(t, res, 429)
	if got := res.Header.Get("Retry-After"); got != "15" {
		t.Errorf("Retry-After is %q", got)
	}
	consoletest.WantText(t, consoletest.Body(t, res), "Too many failed attempts", "in 15 seconds")
	h.Pass(16 * time.Second)
	consoletest.WantStatus(t, try(consoletest.Email, consoletest.Password), 303)
}

func TestNextNeverLeadsElsewhere(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
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
		res := h.Get("/console/signin?next="+url.QueryEscape(next), consoletest.Browser)
		if got := res.Header.Get("Location"); got != want {
			t.Errorf("next=%q leads to %q, want %q", next, got, want)
		}
	}
}
