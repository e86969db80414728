package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
)

func TestASignInHasTwoStepsThen(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	secret, codes := h.Authenticator()
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes", len(codes))
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/security", consoletest.Browser)), "Set up anew", "10 are left")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/people", consoletest.Browser)), "second factor")
	used := h.Code(secret)
	h.Cookie = ""
	step := h.FirstStep(t)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/signin/second?next=/console/keys", consoletest.Browser, step)), "Second step", consoletest.Email)
	second := func(code string, ticket consoletest.Header) *http.Response {
		return h.Post("/console/signin/second", url.Values{"code": {code}, "next": {"/console/keys"}}, consoletest.Browser, ticket)
	}
	for what, code := range map[string]string{"none": "", "wrong": "123456", "used when it was set up": used, "a made-up recovery code": "aaaaa-aaaaa"} {
		res := second(code, step)
		consoletest.WantStatus(t, res, 422)
		if consoletest.CookieOf(res, "stele_session") != "" {
			t.Errorf("%s: a session", what)
		}
	}
	h.Pass(30 * time.Second)
	right := h.Code(secret)
	res := second(right, step)
	consoletest.WantStatus(t, res, 303)
	h.Cookie = consoletest.CookieOf(res, "stele_session")
	consoletest.WantStatus(t, h.Get("/console/keys", consoletest.Browser), 200)
	h.Cookie = ""
	if res := second(right, step); res.StatusCode != http.StatusUnprocessableEntity { // the same code within its half minute
		t.Errorf("a code was good twice: %d", res.StatusCode)
	}
	// A recovery code, once.
	step = h.FirstStep(t)
	consoletest.WantStatus(t, second(strings.ToUpper(strings.ReplaceAll(codes[3], "-", " ")), step), 303)
	consoletest.WantStatus(t, second(codes[3], step), 422)
	// The ticket of the first step ends, and with another password.
	step = h.FirstStep(t)
	h.Pass(11 * time.Minute)
	consoletest.WantStatus(t, second(h.Code(secret), step), 303)
	if res := second(h.Code(secret), step); !strings.HasPrefix(res.Header.Get("Location"), "/console/signin?") {
		t.Errorf("a ticket that ran out leads to %s", res.Header.Get("Location"))
	}
	if res := second(h.Code(secret), consoletest.With("Cookie", "stele_second=x")); !strings.HasPrefix(res.Header.Get("Location"), "/console/signin?") {
		t.Errorf("a made-up ticket leads to %s", res.Header.Get("Location"))
	}
}

func TestGuessingTheSecondStepHasToWait(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	secret, _ := h.Authenticator()
	h.Pass(time.Minute)
	h.Cookie = ""
	step := h.FirstStep(t)
	second := func(code string) int {
		return h.Post("/console/signin/second", url.Values{"code": {code}}, consoletest.Browser, step).StatusCode
	}
	for range 5 {
		if got := second("000000"); got != 422 {
			t.Fatalf("a wrong code: %d", got)
		}
	}
	if got := second(h.Code(secret)); got != 429 {
		t.Errorf("after five wrong codes: %d", got)
	}
	h.Pass(time.Minute)
	if got := second(h.Code(secret)); got != 303 {
		t.Errorf("after waiting: %d", got)
	}
}

func TestAnAdministratorTakesASecondFactorAway(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	cookie, id := h.AsKnown("v@example.com", "default", access.Owner)
	h.With(cookie, func() {
		h.Authenticator()
		consoletest.WantCode(t, h.Post("/console/people/"+id+"/factors", url.Values{}), 403, "permission_denied") // an owner
	})
	consoletest.WantStatus(t, h.Post("/console/people/"+id+"/factors", url.Values{}, consoletest.Browser), 303)
	h.With(cookie, func() { consoletest.WantCode(t, h.Get("/console/keys"), 401, "session_required") })
	if _, _, err := h.Access.SignIn(t.Context(), "v@example.com", consoletest.Password, access.Browser{}); err != nil {
		t.Errorf("after the reset: %v", err)
	}
	entries, err := h.Access.Audit(t.Context(), access.CommandLine("default"), access.Filter{Action: "user.factor_reset", Limit: 5})
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func TestWhoMustHaveASecondFactorSetsItUpFirst(t *testing.T) {
	t.Parallel()
	for _, policy := range []access.Requirement{access.RequireNone, access.RequireAdministrators, access.RequireEveryone} {
		h := consoletest.OpenSignedIn(t)
		member, _ := h.AsKnown("m@example.com", "default", access.Member)
		through, _ := h.As("s@example.com", "default", access.Member) // the identity provider asks them
		h.Access.SetSignInRules(access.SignInRules{Second: policy})
		for name, test := range map[string]struct {
			cookie string
			asked  bool
		}{
			"administrator": {h.Cookie, policy != access.RequireNone},
			"member":        {member, policy == access.RequireEveryone},
			"sign-on":       {through, false},
		} {
			h.With(test.cookie, func() {
				for _, route := range console.Routes() {
					if route.Need != access.Viewer && route.Need != access.Member || route.Method != http.MethodGet || strings.Contains(route.Pattern, "{") {
						continue
					}
					res := h.Get(route.Pattern, consoletest.Browser)
					asked := res.StatusCode == http.StatusSeeOther && res.Header.Get("Location") == "/console/security"
					if open := route.Pattern == "/console/password"; asked != (test.asked && !open) && res.StatusCode != http.StatusNotFound {
						t.Errorf("%s, %s at %s: %d to %s", policy, name, route.Pattern, res.StatusCode, res.Header.Get("Location"))
					}
				}
				if !test.asked {
					return
				}
				consoletest.WantCode(t, h.Post("/console/keys", url.Values{"name": {"x"}, "scope": {"chat"}}), 403, "permission_denied")
				consoletest.WantText(t, consoletest.Body(t, h.Get("/console/security", consoletest.Browser)), "A second factor is needed here")
				h.Authenticator()
				consoletest.WantStatus(t, h.Get("/console/keys", consoletest.Browser), 200)
			})
		}
	}
}

func TestANewBrowserIsTold(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	in := func(device, agent string) *http.Response {
		return h.Post("/console/signin", url.Values{"email": {consoletest.Email}, "password": {consoletest.Password}}, consoletest.Browser,
			consoletest.With("User-Agent", agent), consoletest.With("Cookie", "stele_device="+device))
	}
	before := h.Cookie
	h.Cookie = ""
	res := in("", "Mozilla/5.0 (iPhone) Version/19.0 Safari/604.1")
	consoletest.WantStatus(t, res, 303)
	mark, mine := consoletest.CookieOf(res, "stele_device"), consoletest.CookieOf(res, "stele_session")
	if mark == "" {
		t.Fatal("the browser gets no mark")
	}
	h.Cookie = before
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "New sign-in:", "Safari on iPhone", "192.0.2.1", "It was me")
	h.With(mine, func() {
		if strings.Contains(consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "New sign-in:") {
			t.Error("the new browser is told of itself")
		}
	})
	// Who broke in cannot take the notice away.
	h.With(mine, func() {
		consoletest.WantStatus(t, h.Post("/console/security/heard", url.Values{}, consoletest.Browser), 303)
	})
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "New sign-in:")
	h.Elsewhere(t)
	h.With(mine, func() {
		if strings.Contains(consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "It was me") {
			t.Error("a new browser may say that another one is known")
		}
		consoletest.WantCode(t, h.Post("/console/security/heard", url.Values{}), 403, "permission_denied")
	})
	consoletest.WantStatus(t, h.Post("/console/security/heard", url.Values{"next": {"/console/keys"}}, consoletest.Browser), 303)
	if strings.Contains(consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "New sign-in:") {
		t.Error("it is told again")
	}
	// The same browser again is not new.
	h.Cookie = ""
	consoletest.WantStatus(t, in(mark, "Mozilla/5.0 (iPhone) Version/19.0 Safari/604.1"), 303)
	h.Cookie = before
	if strings.Contains(consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "New sign-in:") {
		t.Error("a browser that is known is told as new")
	}
	entries, err := h.Access.Audit(t.Context(), access.CommandLine("default"), access.Filter{Action: "session.new_device", Limit: 5})
	if err != nil || len(entries) != 2 || !strings.Contains(entries[0].Detail+entries[1].Detail, "192.0.2.1") {
		t.Errorf("%+v, %v", entries, err)
	}
}

// Strangers who guess do not stand in the way of a browser that is known.
func TestAKnownBrowserIsLetInWhateverStrangersDo(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	h.Cookie = ""
	form := url.Values{"email": {consoletest.Email}, "password": {consoletest.Password}}
	res := h.Post("/console/signin", form, consoletest.Browser)
	mark := consoletest.CookieOf(res, "stele_device")
	for range 8 {
		h.Post("/console/signin", url.Values{"email": {consoletest.Email}, "password": {"wrong"}}, consoletest.Browser)
	}
	consoletest.WantStatus(t, h.Post("/console/signin", form, consoletest.Browser), 429)
	consoletest.WantStatus(t, h.Post("/console/signin", form, consoletest.Browser, consoletest.With("Cookie", "stele_device="+strings.Repeat("x", 43))), 429)
	consoletest.WantStatus(t, h.Post("/console/signin", form, consoletest.Browser, consoletest.With("Cookie", "stele_device="+mark)), 303)
}

func TestSingleSignOnOnly(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenWithProvider(t)
	h.SignIn()
	_, link, err := h.Access.AddPerson(t.Context(), access.CommandLine("default"), access.NewPerson{Email: "v@example.com", Role: access.Viewer})
	if err != nil {
		t.Fatal(err)
	}
	h.Access.SetSignInRules(access.SignInRules{SSOOnly: true})
	consoletest.WantCode(t, h.Get("/console/keys"), 401, "session_required") // a session that a password opened
	h.Cookie = ""
	page := consoletest.Body(t, h.Get("/console/signin", consoletest.Browser))
	consoletest.WantText(t, page, "Continue with id.example.com")
	if strings.Contains(page, `name="password"`) || strings.Contains(page, "passkey</button>") {
		t.Error("other ways in are offered")
	}
	consoletest.WantStatus(t, h.Post("/console/signin", url.Values{"email": {consoletest.Email}, "password": {consoletest.Password}}, consoletest.Browser), 401)
	consoletest.WantStatus(t, h.Get("/console/welcome?token="+link, consoletest.Browser), 404)
	consoletest.WantStatus(t, h.Post("/console/welcome", url.Values{"token": {link}, "password": {consoletest.Password}, "again": {consoletest.Password}}, consoletest.Browser), 404)
	consoletest.WantStatus(t, h.Post("/console/signin/passkey/ask", url.Values{}), 404)
	// The way in for the day on which the provider is gone.
	root, err := h.Access.Accounts(t.Context(), access.CommandLine("default"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range root {
		_, secret, err := h.Access.RescueLink(t.Context(), access.CommandLine("default"), p.ID)
		if !p.Admin {
			if err == nil {
				t.Errorf("a link for %s, who is no administrator", p.Email)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		consoletest.WantText(t, consoletest.Body(t, h.Get("/console/welcome?token="+secret, consoletest.Browser)), "emergency link", consoletest.Email)
		res := h.Post("/console/welcome", url.Values{"token": {secret}}, consoletest.Browser)
		consoletest.WantStatus(t, res, 303)
		h.With(consoletest.SessionCookie(t, res).Value, func() {
			consoletest.WantStatus(t, h.Get("/console/people", consoletest.Browser), 200)
			res := h.Post("/console/people", url.Values{"email": {"w@example.com"}, "role": {"viewer"}}, consoletest.Browser)
			consoletest.WantStatus(t, res, 303) // no link: they come through the provider
		})
		consoletest.WantStatus(t, h.Post("/console/welcome", url.Values{"token": {secret}}, consoletest.Browser), 404)
	}
	if _, _, err := h.Access.RescueLink(t.Context(), access.Principal{User: "usr_1", Admin: true, Workspace: "default"}, root[0].ID); err == nil {
		t.Error("the console makes an emergency link")
	}
}
