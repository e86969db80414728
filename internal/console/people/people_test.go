package people_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
)

func TestAnOwnerLetsSomebodyIn(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "https://stele.example.com/stele")
	h.SignIn()
	res := h.Post("/console/people", url.Values{"email": {"nobody"}, "role": {"viewer"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "is not an e-mail address", `aria-invalid="true"`)
	res = h.Post("/console/people", url.Values{"email": {consoletest.Email}, "role": {"viewer"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "is already here")
	res = h.Post("/console/people", url.Values{"email": {"v@example.com"}, "role": {"king"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)

	res = h.Post("/console/people", url.Values{"email": {"v@example.com"}, "role": {"viewer"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 200)
	page := consoletest.Body(t, res)
	consoletest.WantText(t, page, "Copy it now.", "v@example.com", "18 Nov 2026, 09:30 UTC")
	link := h.Link(t, page)
	page = consoletest.Body(t, h.Get("/console/people", consoletest.Browser))
	consoletest.WantText(t, page, "v@example.com", "invited", "never")
	if strings.Contains(page, link) {
		t.Error("the link is shown again")
	}

	h.Cookie = ""
	consoletest.WantText(t, consoletest.Body(t, h.Get(link, consoletest.Browser)), "Choose a password", "v@example.com")
	token, _ := url.Parse(link)
	form := url.Values{"token": {token.Query().Get("token")}, "password": {consoletest.Password}, "again": {"another"}}
	res = h.Post("/console/welcome", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "The two passwords differ.")
	form.Set("again", consoletest.Password)
	res = h.Post("/console/welcome", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	h.Cookie = consoletest.SessionCookie(t, res).Value
	page = consoletest.Body(t, h.Get("/console/keys", consoletest.Browser))
	consoletest.WantText(t, page, "first key", "v@example.com")
	for _, hidden := range []string{"New key", "Rotate", "Revoke", "/console/people", "/console/audit"} {
		if strings.Contains(page, hidden) {
			t.Errorf("a viewer is offered %s", hidden)
		}
	}
	for _, used := range []*http.Response{h.Get(link, consoletest.Browser), h.Post("/console/welcome", form, consoletest.Browser)} {
		consoletest.WantStatus(t, used, 404)
		consoletest.WantText(t, consoletest.Body(t, used), "This link does not work")
	}
	consoletest.WantCode(t, h.Get(link), 404, "not_found")
}

// A visitor who may not do something is refused, whatever page they come from.
func TestEveryRouteKeepsItsRole(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	ranks := []access.Role{access.Viewer, access.Member, access.Owner, access.Administrator}
	for _, workspace := range []string{"acme", access.DefaultWorkspace} {
		for i, role := range ranks[:3] {
			cookie, _ := h.As(string(role)+"@"+workspace+".example.com", workspace, role)
			for _, route := range console.Routes() {
				if slices.Index(ranks, route.Need) <= i {
					continue // it opens, or needs no role at all
				}
				h.With(cookie, func() {
					consoletest.WantCode(t, h.Do(route.Method, consoletest.PathOf(route), url.Values{"name": {"x"}}), 403, "permission_denied")
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
	h := consoletest.OpenSignedIn(t)
	cookie, id := h.AsKnown("v@example.com", "default", access.Viewer)
	form := url.Values{"name": {"x"}, "scope": {"chat"}}
	h.With(cookie, func() { consoletest.WantStatus(t, h.Post("/console/keys", form, consoletest.Browser), 403) })
	consoletest.WantStatus(t, h.Post("/console/people/"+id+"/role", url.Values{"role": {"member"}}, consoletest.Browser), 303)
	h.With(cookie, func() { consoletest.WantStatus(t, h.Post("/console/keys", form, consoletest.Browser), 200) })
	consoletest.WantStatus(t, h.Post("/console/people/"+id+"/role", url.Values{"role": {"owner"}}, consoletest.Browser), 303)
	h.With(cookie, func() { consoletest.WantStatus(t, h.Get("/console/people", consoletest.Browser), 200) })
	consoletest.WantStatus(t, h.Post("/console/people/"+id+"/remove", url.Values{}, consoletest.Browser), 303)
	h.With(cookie, func() { consoletest.WantCode(t, h.Get("/console/keys"), 401, "session_required") })
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/people?done=removed", consoletest.Browser)), "no longer belong", "Accounts without a workspace")

	// Without a workspace they may come in and see nothing.
	res := h.Post("/console/signin", url.Values{"email": {"v@example.com"}, "password": {consoletest.Password}}, consoletest.Browser)
	h.With(consoletest.SessionCookie(t, res).Value, func() {
		res := h.Get("/console/keys", consoletest.Browser)
		consoletest.WantStatus(t, res, 403)
		consoletest.WantText(t, consoletest.Body(t, res), "No workspace yet", "v@example.com", "/console/signout")
		consoletest.WantCode(t, h.Get("/console/sessions"), 403, "permission_denied")
		consoletest.WantCode(t, h.Post("/console/workspace", url.Values{"workspace": {"default"}}), 404, "not_found")
		consoletest.WantStatus(t, h.Post("/console/signout", url.Values{}, consoletest.Browser), 303)
	})
	h.SignOnAgain(t)
	consoletest.WantStatus(t, h.Post("/console/people", url.Values{"email": {"v@example.com"}, "role": {"member"}}, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Post("/console/people/"+id+"/delete", url.Values{}, consoletest.Browser), 303)
	consoletest.WantCode(t, h.Post("/console/people/"+id+"/delete", url.Values{}), 404, "not_found")
}

func TestTheLastAdministratorIsToldWhy(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	v, err := h.Access.BySession(t.Context(), h.Cookie)
	if err != nil {
		t.Fatal(err)
	}
	res := h.Post("/console/people/"+v.User.ID+"/role", url.Values{"role": {"viewer"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "The last administrator cannot be demoted")
}

func TestNothingOfAnotherWorkspaceIsSeen(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	_, stranger := h.As("stranger@zoo.example", "zoo", access.Owner)
	cookie, _ := h.As("owner@acme.example", "acme", access.Owner)
	h.With(cookie, func() {
		for _, p := range []string{"/console/people", "/console/audit", "/console/audit.csv", "/console/keys", "/console/sessions"} {
			page := consoletest.Body(t, h.Get(p, consoletest.Browser))
			for _, foreign := range []string{"zoo", stranger, "first key"} {
				if strings.Contains(page, foreign) {
					t.Errorf("%s shows %s", p, foreign)
				}
			}
		}
		for _, change := range []string{"role", "reset", "end", "remove"} {
			consoletest.WantCode(t, h.Post("/console/people/"+stranger+"/"+change, url.Values{"role": {"viewer"}}), 404, "not_found")
		}
		consoletest.WantCode(t, h.Post("/console/workspace", url.Values{"workspace": {"zoo"}}), 404, "not_found")
	})
}

func TestPeopleWithSeveralWorkspacesSwitch(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	if strings.Contains(consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), `name="workspace"`) {
		t.Error("a switcher with one workspace")
	}
	if _, err := h.Access.CreateWorkspace(t.Context(), access.CommandLine("default"), "acme", "Acme & Sons"); err != nil {
		t.Fatal(err)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "first key", `name="workspace" value="acme">Acme &amp; Sons<`)
	consoletest.WantStatus(t, h.Post("/console/workspace", url.Values{"workspace": {"acme"}}, consoletest.Browser), 303)
	page := consoletest.Body(t, h.Get("/console/keys", consoletest.Browser))
	consoletest.WantText(t, page, "No keys yet", `value="default"`)
	if strings.Contains(page, "first key") {
		t.Error("the key of the workspace before is shown")
	}
	consoletest.WantStatus(t, h.Post("/console/keys", url.Values{"name": {"theirs"}, "scope": {"chat"}}, consoletest.Browser), 200)
	keys, err := h.Access.Keys(t.Context(), access.CommandLine("default"), "acme")
	if err != nil || len(keys) != 1 || keys[0].Name != "theirs" {
		t.Errorf("%+v, %v", keys, err)
	}
}

func TestSessionsAreListedAndEnd(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	there, _ := h.AsKnown("v@example.com", "default", access.Viewer)
	v, here, err := h.Access.SignIn(t.Context(), "v@example.com", consoletest.Password, access.Browser{Remote: "198.51.100.7", Agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1"})
	if err != nil {
		t.Fatal(err)
	}
	h.Pass(5 * time.Minute)
	h.Cookie = here
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/sessions", consoletest.Browser)), "Firefox on Linux", "192.0.2.5", "Safari on iPhone", "198.51.100.7", "this one", "5 minutes ago", "Sign out all others")
	consoletest.WantStatus(t, h.Post("/console/sessions/others", url.Values{}, consoletest.Browser), 303)
	h.With(there, func() { consoletest.WantCode(t, h.Get("/console/keys"), 401, "session_required") })

	_, there, err = h.Access.SignIn(t.Context(), "v@example.com", consoletest.Password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	h.With(there, func() {
		consoletest.WantStatus(t, h.Post("/console/sessions/"+v.Session.ID+"/end", url.Values{}, consoletest.Browser), 303)
		consoletest.WantCode(t, h.Post("/console/sessions/"+v.Session.ID+"/end", url.Values{}), 404, "not_found")
	})
	consoletest.WantCode(t, h.Get("/console/keys"), 401, "session_required")
}

func TestThePasswordIsChanged(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	_, other, err := h.Access.SignIn(t.Context(), consoletest.Email, consoletest.Password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/password", consoletest.Browser)), "Current password")
	const next = "a new battery for the horse"
	form := url.Values{"current": {"wrong"}, "password": {next}, "again": {next}}
	res := h.Post("/console/password", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "This is not your password.")
	form.Set("current", consoletest.Password)
	form.Set("again", "other")
	res = h.Post("/console/password", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	page := consoletest.Body(t, res)
	consoletest.WantText(t, page, "The two passwords differ.")
	if strings.Contains(page, next) || strings.Contains(page, consoletest.Password) {
		t.Error("the page repeats a password")
	}
	form.Set("again", next)
	consoletest.WantStatus(t, h.Post("/console/password", form, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Get("/console/keys", consoletest.Browser), 200)
	h.With(other, func() { consoletest.WantCode(t, h.Get("/console/keys"), 401, "session_required") })
	if _, _, err := h.Access.SignIn(t.Context(), consoletest.Email, next, access.Browser{}); err != nil {
		t.Error(err)
	}
}
