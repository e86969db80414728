package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"stele/internal/access"
	"stele/internal/console"
)

var (
	appTicket = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	appSecret = regexp.MustCompile(`id="app-secret" class="secret">([^<]+)<`)
	codeLine  = regexp.MustCompile(`(?m)[a-z2-7]{5}-[a-z2-7]{5}`)
)

// authenticator sets up an app for who is signed in, and gives its secret and the
// recovery codes.
func (h *house) authenticator() (secret string, codes []string) {
	h.t.Helper()
	page := body(h.t, h.get("/console/security/app", browser))
	wantText(h.t, page, "data:image/png;base64,")
	ticket := appTicket.FindStringSubmatch(page)[1]
	secret = appSecret.FindStringSubmatch(page)[1]
	res := h.post("/console/security/app", url.Values{"ticket": {ticket}, "code": {"000000"}}, browser)
	wantStatus(h.t, res, 422)
	again := body(h.t, res)
	wantText(h.t, again, "not the code", secret)
	res = h.post("/console/security/app", url.Values{"ticket": {ticket}, "code": {h.code(secret)}}, browser)
	wantStatus(h.t, res, 200)
	page = body(h.t, res)
	wantText(h.t, page, "Keep them now.")
	_, list, _ := strings.Cut(page, `<code id="codes">`)
	return secret, codeLine.FindAllString(list, -1)
}

func (h *house) code(secret string) string {
	h.t.Helper()
	code, err := totp.GenerateCode(secret, h.clock())
	if err != nil {
		h.t.Fatal(err)
	}
	return code
}

func cookieOf(res *http.Response, name string) string {
	for _, cookie := range res.Cookies() {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

// firstStep gives the password, and the ticket for the second step.
func (h *house) firstStep(t *testing.T) header {
	t.Helper()
	res := h.post("/console/signin", url.Values{"email": {email}, "password": {password}, "next": {"/console/keys"}}, browser)
	wantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/console/signin/second?next=%2Fconsole%2Fkeys" {
		t.Fatalf("sent to %s", got)
	}
	if cookieOf(res, "stele_session") != "" {
		t.Fatal("a session for half the proof")
	}
	return header{"Cookie", "stele_second=" + cookieOf(res, "stele_second")}
}

func TestASignInHasTwoStepsThen(t *testing.T) {
	t.Parallel()
	h := opened(t)
	secret, codes := h.authenticator()
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes", len(codes))
	}
	wantText(t, body(t, h.get("/console/security", browser)), "Set up anew", "10 are left")
	wantText(t, body(t, h.get("/console/people", browser)), "second factor")
	used := h.code(secret)
	h.cookie = ""
	step := h.firstStep(t)
	wantText(t, body(t, h.get("/console/signin/second?next=/console/keys", browser, step)), "Second step", email)
	second := func(code string, ticket header) *http.Response {
		return h.post("/console/signin/second", url.Values{"code": {code}, "next": {"/console/keys"}}, browser, ticket)
	}
	for what, code := range map[string]string{"none": "", "wrong": "123456", "used when it was set up": used, "a made-up recovery code": "aaaaa-aaaaa"} {
		res := second(code, step)
		wantStatus(t, res, 422)
		if cookieOf(res, "stele_session") != "" {
			t.Errorf("%s: a session", what)
		}
	}
	h.pass(30 * time.Second)
	right := h.code(secret)
	res := second(right, step)
	wantStatus(t, res, 303)
	h.cookie = cookieOf(res, "stele_session")
	wantStatus(t, h.get("/console/keys", browser), 200)
	h.cookie = ""
	if res := second(right, step); res.StatusCode != 422 { // the same code within its half minute
		t.Errorf("a code was good twice: %d", res.StatusCode)
	}
	// A recovery code, once.
	step = h.firstStep(t)
	wantStatus(t, second(strings.ToUpper(strings.ReplaceAll(codes[3], "-", " ")), step), 303)
	wantStatus(t, second(codes[3], step), 422)
	// The ticket of the first step ends, and with another password.
	step = h.firstStep(t)
	h.pass(11 * time.Minute)
	wantStatus(t, second(h.code(secret), step), 303)
	if res := second(h.code(secret), step); !strings.HasPrefix(res.Header.Get("Location"), "/console/signin?") {
		t.Errorf("a ticket that ran out leads to %s", res.Header.Get("Location"))
	}
	if res := second(h.code(secret), header{"Cookie", "stele_second=x"}); !strings.HasPrefix(res.Header.Get("Location"), "/console/signin?") {
		t.Errorf("a made-up ticket leads to %s", res.Header.Get("Location"))
	}
}

func TestGuessingTheSecondStepHasToWait(t *testing.T) {
	t.Parallel()
	h := opened(t)
	secret, _ := h.authenticator()
	h.pass(time.Minute)
	h.cookie = ""
	step := h.firstStep(t)
	second := func(code string) int {
		return h.post("/console/signin/second", url.Values{"code": {code}}, browser, step).StatusCode
	}
	for range 5 {
		if got := second("000000"); got != 422 {
			t.Fatalf("a wrong code: %d", got)
		}
	}
	if got := second(h.code(secret)); got != 429 {
		t.Errorf("after five wrong codes: %d", got)
	}
	h.pass(time.Minute)
	if got := second(h.code(secret)); got != 303 {
		t.Errorf("after waiting: %d", got)
	}
}

func TestAnAdministratorTakesASecondFactorAway(t *testing.T) {
	t.Parallel()
	h := opened(t)
	cookie, id := h.asKnown("v@example.com", "default", access.Owner)
	h.with(cookie, func() {
		h.authenticator()
		wantCode(t, h.post("/console/people/"+id+"/factors", url.Values{}), 403, "permission_denied") // an owner
	})
	wantStatus(t, h.post("/console/people/"+id+"/factors", url.Values{}, browser), 303)
	h.with(cookie, func() { wantCode(t, h.get("/console/keys"), 401, "session_required") })
	if _, _, err := h.access.SignIn(t.Context(), "v@example.com", password, access.Browser{}); err != nil {
		t.Errorf("after the reset: %v", err)
	}
	entries, err := h.access.Audit(t.Context(), access.CommandLine("default"), access.Filter{Action: "user.factor_reset", Limit: 5})
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func TestWhoMustHaveASecondFactorSetsItUpFirst(t *testing.T) {
	t.Parallel()
	for _, policy := range []access.Requirement{access.RequireNone, access.RequireAdministrators, access.RequireEveryone} {
		h := opened(t)
		member, _ := h.asKnown("m@example.com", "default", access.Member)
		through, _ := h.as("s@example.com", "default", access.Member) // the identity provider asks them
		h.access.SetSignInRules(access.SignInRules{Second: policy})
		for name, test := range map[string]struct {
			cookie string
			asked  bool
		}{
			"administrator": {h.cookie, policy != access.RequireNone},
			"member":        {member, policy == access.RequireEveryone},
			"sign-on":       {through, false},
		} {
			h.with(test.cookie, func() {
				for _, route := range console.Routes() {
					if route.Need != access.Viewer && route.Need != access.Member || route.Method != "GET" || strings.Contains(route.Pattern, "{") {
						continue
					}
					res := h.get(route.Pattern, browser)
					asked := res.StatusCode == 303 && res.Header.Get("Location") == "/console/security"
					if open := route.Pattern == "/console/password"; asked != (test.asked && !open) && res.StatusCode != 404 {
						t.Errorf("%s, %s at %s: %d to %s", policy, name, route.Pattern, res.StatusCode, res.Header.Get("Location"))
					}
				}
				if !test.asked {
					return
				}
				wantCode(t, h.post("/console/keys", url.Values{"name": {"x"}, "scope": {"chat"}}), 403, "permission_denied")
				wantText(t, body(t, h.get("/console/security", browser)), "A second factor is needed here")
				h.authenticator()
				wantStatus(t, h.get("/console/keys", browser), 200)
			})
		}
	}
}

func TestANewBrowserIsTold(t *testing.T) {
	t.Parallel()
	h := opened(t)
	in := func(device, agent string) *http.Response {
		return h.post("/console/signin", url.Values{"email": {email}, "password": {password}}, browser,
			header{"User-Agent", agent}, header{"Cookie", "stele_device=" + device})
	}
	before := h.cookie
	h.cookie = ""
	res := in("", "Mozilla/5.0 (iPhone) Version/19.0 Safari/604.1")
	wantStatus(t, res, 303)
	mark, mine := cookieOf(res, "stele_device"), cookieOf(res, "stele_session")
	if mark == "" {
		t.Fatal("the browser gets no mark")
	}
	h.cookie = before
	wantText(t, body(t, h.get("/console/keys", browser)), "New sign-in:", "Safari on iPhone", "192.0.2.1", "It was me")
	h.with(mine, func() {
		if strings.Contains(body(t, h.get("/console/keys", browser)), "New sign-in:") {
			t.Error("the new browser is told of itself")
		}
	})
	// Who broke in cannot take the notice away.
	h.with(mine, func() { wantStatus(t, h.post("/console/security/heard", url.Values{}, browser), 303) })
	wantText(t, body(t, h.get("/console/keys", browser)), "New sign-in:")
	h.elsewhere(t)
	h.with(mine, func() {
		if strings.Contains(body(t, h.get("/console/keys", browser)), "It was me") {
			t.Error("a new browser may say that another one is known")
		}
		wantCode(t, h.post("/console/security/heard", url.Values{}), 403, "permission_denied")
	})
	wantStatus(t, h.post("/console/security/heard", url.Values{"next": {"/console/keys"}}, browser), 303)
	if strings.Contains(body(t, h.get("/console/keys", browser)), "New sign-in:") {
		t.Error("it is told again")
	}
	// The same browser again is not new.
	h.cookie = ""
	wantStatus(t, in(mark, "Mozilla/5.0 (iPhone) Version/19.0 Safari/604.1"), 303)
	h.cookie = before
	if strings.Contains(body(t, h.get("/console/keys", browser)), "New sign-in:") {
		t.Error("a browser that is known is told as new")
	}
	entries, err := h.access.Audit(t.Context(), access.CommandLine("default"), access.Filter{Action: "session.new_device", Limit: 5})
	if err != nil || len(entries) != 2 || !strings.Contains(entries[0].Detail+entries[1].Detail, "192.0.2.1") {
		t.Errorf("%+v, %v", entries, err)
	}
}

// Strangers who guess do not stand in the way of a browser that is known.
func TestAKnownBrowserIsLetInWhateverStrangersDo(t *testing.T) {
	t.Parallel()
	h := opened(t)
	h.cookie = ""
	form := url.Values{"email": {email}, "password": {password}}
	res := h.post("/console/signin", form, browser)
	mark := cookieOf(res, "stele_device")
	for range 8 {
		h.post("/console/signin", url.Values{"email": {email}, "password": {"wrong"}}, browser)
	}
	wantStatus(t, h.post("/console/signin", form, browser), 429)
	wantStatus(t, h.post("/console/signin", form, browser, header{"Cookie", "stele_device=" + strings.Repeat("x", 43)}), 429)
	wantStatus(t, h.post("/console/signin", form, browser, header{"Cookie", "stele_device=" + mark}), 303)
}

func TestSingleSignOnOnly(t *testing.T) {
	t.Parallel()
	h, _ := provided(t)
	h.signIn()
	_, link, err := h.access.AddPerson(t.Context(), access.CommandLine("default"), access.NewPerson{Email: "v@example.com", Role: access.Viewer})
	if err != nil {
		t.Fatal(err)
	}
	h.access.SetSignInRules(access.SignInRules{SSOOnly: true})
	wantCode(t, h.get("/console/keys"), 401, "session_required") // a session that a password opened
	h.cookie = ""
	page := body(t, h.get("/console/signin", browser))
	wantText(t, page, "Continue with id.example.com")
	if strings.Contains(page, `name="password"`) || strings.Contains(page, "passkey</button>") {
		t.Error("other ways in are offered")
	}
	wantStatus(t, h.post("/console/signin", url.Values{"email": {email}, "password": {password}}, browser), 401)
	wantStatus(t, h.get("/console/welcome?token="+link, browser), 404)
	wantStatus(t, h.post("/console/welcome", url.Values{"token": {link}, "password": {password}, "again": {password}}, browser), 404)
	wantStatus(t, h.post("/console/signin/passkey/ask", url.Values{}), 404)
	// The way in for the day on which the provider is gone.
	root, err := h.access.Accounts(t.Context(), access.CommandLine("default"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range root {
		_, secret, err := h.access.RescueLink(t.Context(), access.CommandLine("default"), p.ID)
		if !p.Admin {
			if err == nil {
				t.Errorf("a link for %s, who is no administrator", p.Email)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, body(t, h.get("/console/welcome?token="+secret, browser)), "emergency link", email)
		res := h.post("/console/welcome", url.Values{"token": {secret}}, browser)
		wantStatus(t, res, 303)
		h.with(sessionCookie(t, res).Value, func() {
			wantStatus(t, h.get("/console/people", browser), 200)
			res := h.post("/console/people", url.Values{"email": {"w@example.com"}, "role": {"viewer"}}, browser)
			wantStatus(t, res, 303) // no link: they come through the provider
		})
		wantStatus(t, h.post("/console/welcome", url.Values{"token": {secret}}, browser), 404)
	}
	if _, _, err := h.access.RescueLink(t.Context(), access.Principal{User: "usr_1", Admin: true, Workspace: "default"}, root[0].ID); err == nil {
		t.Error("the console makes an emergency link")
	}
}

// elsewhere signs the administrator in with another browser.
func (h *house) elsewhere(t interface {
	Context() context.Context
	Fatal(args ...any)
},
) {
	from := access.Browser{Remote: "203.0.113.7", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	root, err := h.access.Account(t.Context(), access.CommandLine("default"), email)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := h.access.RescueLink(t.Context(), access.CommandLine("default"), root.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.access.FollowLink(t.Context(), secret, "", from); err != nil {
		t.Fatal(err)
	}
}
