package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
)

// confirm has the administrator prove again who they are.
func (h *house) confirm() {
	h.t.Helper()
	if res := h.post("/console/confirm", url.Values{"current": {password}}, browser); res.StatusCode != 303 {
		h.t.Fatalf("confirming: %d %s", res.StatusCode, body(h.t, res))
	}
}

// Every change of people, providers and second factors asks again, but for those
// that are named here with their reason.
func TestChangesOfConsequenceAskAgain(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{
		"POST /console/people/{id}/end":       "signing somebody out can be undone by signing in",
		"POST /console/providers/{id}/test":   "changes nothing",
		"POST /console/keys/{id}/revoke":      "must be quick, and gives nobody anything",
		"POST /console/security/heard":        "takes a notice away",
		"POST /console/security/passkeys/ask": "",
	}
	for _, route := range console.Routes() {
		name := route.Method + " " + route.Pattern
		consequence := false
		for _, room := range []string{"/console/people", "/console/providers", "/console/keys", "/console/policy", "/console/security"} {
			consequence = consequence || route.Method == "POST" && strings.HasPrefix(route.Pattern, room)
		}
		if consequence && !route.AsksAgain() && reasons[name] == "" {
			t.Errorf("%s does not ask again", name)
		}
		if route.AsksAgain() && route.Need == "" {
			t.Errorf("%s asks somebody who is not signed in", name)
		}
	}
}

// Each of them is refused with a session that is too old, to browsers and programs alike.
func TestAnOldSessionIsAskedOnEveryRouteThatAsks(t *testing.T) {
	t.Parallel()
	_, rooms := supplied(t)
	h := opened(t, rooms)
	h.pass(16 * time.Minute)
	form := url.Values{"environment": {"production"}, "name": {"x"}, "scope": {"chat"}, "role": {"viewer"}}
	for _, route := range console.Routes() {
		if !route.AsksAgain() || strings.HasPrefix(route.Pattern, "/console/keys/{id}") { // those ask for a key of production
			continue
		}
		wantCode(t, h.do(route.Method, path(route), form), 403, "permission_denied")
		res := h.do(route.Method, path(route), form, browser)
		if route.Method == "GET" {
			wantStatus(t, res, 303)
			if got, want := res.Header.Get("Location"), "/console/confirm?next="+url.QueryEscape(path(route)); got != want {
				t.Errorf("%s sends to %s", route.Pattern, got)
			}
			continue
		}
		wantStatus(t, res, 403)
		wantText(t, body(t, res), "Confirm that it is you", `name="confirm_kept"`)
	}
	// What is of no consequence goes on.
	wantStatus(t, h.post("/console/keys", url.Values{"name": {"dev"}, "scope": {"chat"}}, browser), 200)
	wantStatus(t, h.get("/console/people", browser), 200)
}

var keptIn = regexp.MustCompile(`name="then" value="([^"]*)"><input type="hidden" name="confirm_kept" value="([^"]+)"`)

// What was filled in is not lost, is not in the page, and is of no use elsewhere.
func TestWhatWasFilledInIsKept(t *testing.T) {
	t.Parallel()
	h := opened(t)
	h.pass(time.Hour)
	res := h.post("/console/people", url.Values{"email": {"new@example.com"}, "role": {"owner"}}, browser)
	wantStatus(t, res, 403)
	page := body(t, res)
	if strings.Contains(page, "new@example.com") {
		t.Error("the page repeats the form")
	}
	found := keptIn.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("nothing is kept:\n%s", page)
	}
	form := url.Values{"then": {found[1]}, "confirm_kept": {found[2]}, "current": {"wrong"}}
	res = h.post("/console/confirm", form, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "This is not your password.", found[2])
	elsewhere := url.Values{"then": {"/console/keys"}, "confirm_kept": {found[2]}, "current": {password}}
	if res := h.post("/console/confirm", elsewhere, browser); res.StatusCode == 307 {
		t.Error("the form is sent elsewhere")
	}
	form.Set("current", password)
	res = h.post("/console/confirm", form, browser)
	wantStatus(t, res, http.StatusTemporaryRedirect)
	if got := res.Header.Get("Location"); got != "/console/people" {
		t.Fatalf("sent to %s", got)
	}
	res = h.post("/console/people", form, browser) // as a browser does then
	wantStatus(t, res, 200)
	wantText(t, body(t, res), "Invitation link", "new@example.com")
	// Another person's session cannot use it.
	cookie, _ := h.as("eve@example.com", "default", access.Owner)
	h.with(cookie, func() {
		wantStatus(t, h.post("/console/people", url.Values{"confirm_kept": {found[2]}}, browser), 403)
	})
}

func TestAKeyOfProductionAsksAgain(t *testing.T) {
	t.Parallel()
	h := opened(t)
	k, _, err := h.access.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: "live", Environment: access.Production})
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := h.access.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: "dev"})
	if err != nil {
		t.Fatal(err)
	}
	h.pass(time.Hour)
	wantStatus(t, h.post("/console/keys/"+k.ID+"/rotate", url.Values{}, browser), 403)
	wantStatus(t, h.post("/console/keys/"+d.ID+"/rotate", url.Values{}, browser), 200)
	h.confirm()
	wantStatus(t, h.post("/console/keys/"+k.ID+"/rotate", url.Values{}, browser), 200)
}
