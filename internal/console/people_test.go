package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
)

// as lets somebody into a workspace and returns what their browser holds.
func (h *house) as(address, workspace string, role access.Role) (cookie, id string) {
	h.t.Helper()
	_, _, err := h.access.AddPerson(h.t.Context(), access.CommandLine(workspace), access.NewPerson{Email: address, Role: role})
	if err != nil {
		h.t.Fatal(err)
	}
	// Not by the password: comparing it takes long.
	who := access.Identity{Subject: "id " + address, Email: address, Verified: true}
	from := access.Browser{Remote: "192.0.2.5", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	v, cookie, err := h.access.SignOn(h.t.Context(), who, access.SignOnRules{}, from)
	if err != nil {
		h.t.Fatal(err)
	}
	return cookie, v.User.ID
}

// asKnown is as for somebody who has a password.
func (h *house) asKnown(address, workspace string, role access.Role) (cookie, id string) {
	h.t.Helper()
	_, _, err := h.access.AddPerson(h.t.Context(), access.CommandLine(workspace), access.NewPerson{Email: address, Role: role, Password: password})
	if err != nil {
		h.t.Fatal(err)
	}
	from := access.Browser{Remote: "192.0.2.5", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	v, cookie, err := h.access.SignIn(h.t.Context(), address, password, from)
	if err != nil {
		h.t.Fatal(err)
	}
	return cookie, v.User.ID
}

// with does something with another browser.
func (h *house) with(cookie string, do func()) {
	before := h.cookie
	h.cookie = cookie
	do()
	h.cookie = before
}

var linkIn = regexp.MustCompile(`id="link" class="secret">([^<]+)<`)

// link is the path of the link that a page shows.
func (h *house) link(t *testing.T, page string) string {
	t.Helper()
	found := linkIn.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no link in the page:\n%s", page)
	}
	path, ours := strings.CutPrefix(found[1], strings.TrimSuffix(h.public.String(), "/"))
	if !ours {
		t.Fatalf("the link is %s", found[1])
	}
	return path
}

func TestAnOwnerLetsSomebodyIn(t *testing.T) {
	t.Parallel()
	h := open(t, "https://stele.example.com/stele")
	h.signIn()
	res := h.post("/console/people", url.Values{"email": {"nobody"}, "role": {"viewer"}}, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "is not an e-mail address", `aria-invalid="true"`)
	res = h.post("/console/people", url.Values{"email": {email}, "role": {"viewer"}}, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "is already here")
	res = h.post("/console/people", url.Values{"email": {"v@example.com"}, "role": {"king"}}, browser)
	wantStatus(t, res, 422)

	res = h.post("/console/people", url.Values{"email": {"v@example.com"}, "role": {"viewer"}}, browser)
	wantStatus(t, res, 200)
	page := body(t, res)
	wantText(t, page, "Copy it now.", "v@example.com", "18 Nov 2026, 09:30 UTC")
	link := h.link(t, page)
	page = body(t, h.get("/console/people", browser))
	wantText(t, page, "v@example.com", "invited", "never")
	if strings.Contains(page, link) {
		t.Error("the link is shown again")
	}

	h.cookie = ""
	wantText(t, body(t, h.get(link, browser)), "Choose a password", "v@example.com")
	token, _ := url.Parse(link)
	form := url.Values{"token": {token.Query().Get("token")}, "password": {password}, "again": {"another"}}
	res = h.post("/console/welcome", form, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "The two passwords differ.")
	form.Set("again", password)
	res = h.post("/console/welcome", form, browser)
	wantStatus(t, res, 303)
	h.cookie = sessionCookie(t, res).Value
	page = body(t, h.get("/console/keys", browser))
	wantText(t, page, "first key", "v@example.com")
	for _, hidden := range []string{"New key", "Rotate", "Revoke", "/console/people", "/console/audit"} {
		if strings.Contains(page, hidden) {
			t.Errorf("a viewer is offered %s", hidden)
		}
	}
	for _, used := range []*http.Response{h.get(link, browser), h.post("/console/welcome", form, browser)} {
		wantStatus(t, used, 404)
		wantText(t, body(t, used), "This link does not work")
	}
	wantCode(t, h.get(link), 404, "not_found")
}

// Whoever may not do something is refused, whatever page they come from.
func TestEveryRouteKeepsItsRole(t *testing.T) {
	t.Parallel()
	h := opened(t)
	ranks := []access.Role{access.Viewer, access.Member, access.Owner, access.Administrator}
	for _, workspace := range []string{"acme", access.DefaultWorkspace} {
		for i, role := range ranks[:3] {
			cookie, _ := h.as(string(role)+"@"+workspace+".example.com", workspace, role)
			for _, route := range console.Routes() {
				if slices.Index(ranks, route.Need) <= i {
					continue // it opens, or needs no role at all
				}
				h.with(cookie, func() {
					wantCode(t, h.do(route.Method, path(route), url.Values{"name": {"x"}}), 403, "permission_denied")
				})
			}
		}
	}
}

// Every workspace shares the providers and models, so whatever changes them is for
// administrators, however many routes there will be.
func TestProvidersAndModelsAreForAdministrators(t *testing.T) {
	t.Parallel()
	for _, route := range console.Routes() {
		shared := strings.HasPrefix(route.Pattern, "/console/providers") || strings.HasPrefix(route.Pattern, "/console/models")
		changes := route.Method != http.MethodGet || strings.HasSuffix(route.Pattern, "/new") || strings.HasSuffix(route.Pattern, "/edit")
		if shared && changes && route.Need != access.Administrator {
			t.Errorf("%s %s is open to %s", route.Method, route.Pattern, route.Need)
		}
	}
}

func TestAChangedRoleCountsAtOnce(t *testing.T) {
	t.Parallel()
	h := opened(t)
	cookie, id := h.asKnown("v@example.com", "default", access.Viewer)
	form := url.Values{"name": {"x"}, "scope": {"chat"}}
	h.with(cookie, func() { wantStatus(t, h.post("/console/keys", form, browser), 403) })
	wantStatus(t, h.post("/console/people/"+id+"/role", url.Values{"role": {"member"}}, browser), 303)
	h.with(cookie, func() { wantStatus(t, h.post("/console/keys", form, browser), 200) })
	wantStatus(t, h.post("/console/people/"+id+"/role", url.Values{"role": {"owner"}}, browser), 303)
	h.with(cookie, func() { wantStatus(t, h.get("/console/people", browser), 200) })
	wantStatus(t, h.post("/console/people/"+id+"/remove", url.Values{}, browser), 303)
	h.with(cookie, func() { wantCode(t, h.get("/console/keys"), 401, "session_required") })
	wantText(t, body(t, h.get("/console/people?done=removed", browser)), "no longer belong", "Accounts without a workspace")

	// Without a workspace they may come in and see nothing.
	res := h.post("/console/signin", url.Values{"email": {"v@example.com"}, "password": {password}}, browser)
	h.with(sessionCookie(t, res).Value, func() {
		res := h.get("/console/keys", browser)
		wantStatus(t, res, 403)
		wantText(t, body(t, res), "No workspace yet", "v@example.com", "/console/signout")
		wantCode(t, h.get("/console/sessions"), 403, "permission_denied")
		wantCode(t, h.post("/console/workspace", url.Values{"workspace": {"default"}}), 404, "not_found")
		wantStatus(t, h.post("/console/signout", url.Values{}, browser), 303)
	})
	h.signOnAgain(t)
	wantStatus(t, h.post("/console/people", url.Values{"email": {"v@example.com"}, "role": {"member"}}, browser), 303)
	wantStatus(t, h.post("/console/people/"+id+"/delete", url.Values{}, browser), 303)
	wantCode(t, h.post("/console/people/"+id+"/delete", url.Values{}), 404, "not_found")
}

// signOnAgain signs the administrator in again: a sign-in by form took the place
// of the session that the browser held.
func (h *house) signOnAgain(t *testing.T) {
	t.Helper()
	var err error
	if _, h.cookie, err = h.access.SignIn(t.Context(), email, password, access.Browser{}); err != nil {
		t.Fatal(err)
	}
}

func TestTheLastAdministratorIsToldWhy(t *testing.T) {
	t.Parallel()
	h := opened(t)
	v, err := h.access.BySession(t.Context(), h.cookie)
	if err != nil {
		t.Fatal(err)
	}
	res := h.post("/console/people/"+v.User.ID+"/role", url.Values{"role": {"viewer"}}, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "The last administrator cannot be demoted")
}

func TestNothingOfAnotherWorkspaceIsSeen(t *testing.T) {
	t.Parallel()
	h := opened(t)
	_, stranger := h.as("stranger@zoo.example", "zoo", access.Owner)
	cookie, _ := h.as("owner@acme.example", "acme", access.Owner)
	h.with(cookie, func() {
		for _, p := range []string{"/console/people", "/console/audit", "/console/audit.csv", "/console/keys", "/console/sessions"} {
			page := body(t, h.get(p, browser))
			for _, foreign := range []string{"zoo", stranger, "first key"} {
				if strings.Contains(page, foreign) {
					t.Errorf("%s shows %s", p, foreign)
				}
			}
		}
		for _, change := range []string{"role", "reset", "end", "remove"} {
			wantCode(t, h.post("/console/people/"+stranger+"/"+change, url.Values{"role": {"viewer"}}), 404, "not_found")
		}
		wantCode(t, h.post("/console/workspace", url.Values{"workspace": {"zoo"}}), 404, "not_found")
	})
}

func TestPeopleWithSeveralWorkspacesSwitch(t *testing.T) {
	t.Parallel()
	h := opened(t)
	if strings.Contains(body(t, h.get("/console/keys", browser)), `name="workspace"`) {
		t.Error("a switcher with one workspace")
	}
	if _, err := h.access.CreateWorkspace(t.Context(), access.CommandLine("default"), "acme", "Acme & Sons"); err != nil {
		t.Fatal(err)
	}
	wantText(t, body(t, h.get("/console/keys", browser)), "first key", `name="workspace" value="acme">Acme &amp; Sons<`)
	wantStatus(t, h.post("/console/workspace", url.Values{"workspace": {"acme"}}, browser), 303)
	page := body(t, h.get("/console/keys", browser))
	wantText(t, page, "No keys yet", `value="default"`)
	if strings.Contains(page, "first key") {
		t.Error("the key of the workspace before is shown")
	}
	wantStatus(t, h.post("/console/keys", url.Values{"name": {"theirs"}, "scope": {"chat"}}, browser), 200)
	keys, err := h.access.Keys(t.Context(), access.CommandLine("default"), "acme")
	if err != nil || len(keys) != 1 || keys[0].Name != "theirs" {
		t.Errorf("%+v, %v", keys, err)
	}
}

func TestSessionsAreListedAndEnd(t *testing.T) {
	t.Parallel()
	h := opened(t)
	there, _ := h.asKnown("v@example.com", "default", access.Viewer)
	v, here, err := h.access.SignIn(t.Context(), "v@example.com", password, access.Browser{Remote: "198.51.100.7", Agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1"})
	if err != nil {
		t.Fatal(err)
	}
	h.pass(5 * time.Minute)
	h.cookie = here
	wantText(t, body(t, h.get("/console/sessions", browser)), "Firefox on Linux", "192.0.2.5", "Safari on iPhone", "198.51.100.7", "this one", "5 minutes ago", "Sign out all others")
	wantStatus(t, h.post("/console/sessions/others", url.Values{}, browser), 303)
	h.with(there, func() { wantCode(t, h.get("/console/keys"), 401, "session_required") })

	_, there, err = h.access.SignIn(t.Context(), "v@example.com", password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	h.with(there, func() {
		wantStatus(t, h.post("/console/sessions/"+v.Session.ID+"/end", url.Values{}, browser), 303)
		wantCode(t, h.post("/console/sessions/"+v.Session.ID+"/end", url.Values{}), 404, "not_found")
	})
	wantCode(t, h.get("/console/keys"), 401, "session_required")
}

func TestThePasswordIsChanged(t *testing.T) {
	t.Parallel()
	h := opened(t)
	_, other, err := h.access.SignIn(t.Context(), email, password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, body(t, h.get("/console/password", browser)), "Current password")
	const next = "a new battery for the horse"
	form := url.Values{"current": {"wrong"}, "password": {next}, "again": {next}}
	res := h.post("/console/password", form, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "This is not your password.")
	form.Set("current", password)
	form.Set("again", "other")
	res = h.post("/console/password", form, browser)
	wantStatus(t, res, 422)
	page := body(t, res)
	wantText(t, page, "The two passwords differ.")
	if strings.Contains(page, next) || strings.Contains(page, password) {
		t.Error("the page repeats a password")
	}
	form.Set("again", next)
	wantStatus(t, h.post("/console/password", form, browser), 303)
	wantStatus(t, h.get("/console/keys", browser), 200)
	h.with(other, func() { wantCode(t, h.get("/console/keys"), 401, "session_required") })
	if _, _, err := h.access.SignIn(t.Context(), email, next, access.Browser{}); err != nil {
		t.Error(err)
	}
}
