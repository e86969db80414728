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
	"stele/internal/console/consoletest"
)

// Every change of people, providers and second factors asks again, but for those
// that are named here with their reason.
func TestChangesOfConsequenceAskAgain(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{
		"POST /console/people/{id}/end":       "signing somebody out can be undone by signing in",
		"POST /console/providers/{id}/test":   "changes nothing",
		"POST /console/keys/{id}/revoke":      "must be quick, and gives nobody anything",
		"POST /console/security/heard":        "takes a notice away",
		"POST /console/webhooks/mail":         "is about the visitor's own mail",
		"POST /console/webhooks/replay":       "sends what was sent before to where it was sent before",
		"POST /console/security/passkeys/ask": "",
	}
	for _, route := range console.Routes() {
		name := route.Method + " " + route.Pattern
		consequence := false
		for _, room := range []string{"/console/people", "/console/providers", "/console/keys", "/console/policy", "/console/limits", "/console/webhooks", "/console/security"} {
			consequence = consequence || route.Method == http.MethodPost && strings.HasPrefix(route.Pattern, room)
		}
		if consequence && route.Again() == nil && reasons[name] == "" {
			t.Errorf("%s does not ask again", name)
		}
		if route.Again() != nil && route.Need == "" {
			t.Errorf("%s asks somebody who is not signed in", name)
		}
	}
}

// Each of them is refused with a session that is too old, to browsers and programs alike.
func TestAnOldSessionIsAskedOnEveryRouteThatAsks(t *testing.T) {
	t.Parallel()
	_, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms, consoletest.WithLimits, consoletest.WithWebhooks(new(consoletest.Post)))
	h.Pass(16 * time.Minute)
	form := url.Values{"environment": {"production"}, "name": {"x"}, "scope": {"chat"}, "role": {"viewer"}}
	for _, route := range console.Routes() {
		if route.Again() == nil || strings.HasPrefix(route.Pattern, "/console/keys/{id}") { // those ask for a key of production
			continue
		}
		consoletest.WantCode(t, h.Do(route.Method, consoletest.PathOf(route), form), 403, "permission_denied")
		res := h.Do(route.Method, consoletest.PathOf(route), form, consoletest.Browser)
		if route.Method == http.MethodGet {
			consoletest.WantStatus(t, res, 303)
			if got, want := res.Header.Get("Location"), "/console/confirm?next="+url.QueryEscape(consoletest.PathOf(route)); got != want {
				t.Errorf("%s sends to %s", route.Pattern, got)
			}
			continue
		}
		consoletest.WantStatus(t, res, 403)
		consoletest.WantText(t, consoletest.Body(t, res), "Confirm that it is you", `name="confirm_kept"`)
	}
	// What is of no consequence goes on.
	consoletest.WantStatus(t, h.Post("/console/keys", url.Values{"name": {"dev"}, "scope": {"chat"}}, consoletest.Browser), 200)
	consoletest.WantStatus(t, h.Get("/console/people", consoletest.Browser), 200)
}

var keptIn = regexp.MustCompile(`name="then" value="([^"]*)"><input type="hidden" name="confirm_kept" value="([^"]+)"`)

// What was filled in is not lost, is not in the page, and is of no use elsewhere.
func TestWhatWasFilledInIsKept(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	h.Pass(time.Hour)
	res := h.Post("/console/people", url.Values{"email": {"new@example.com"}, "role": {"owner"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 403)
	page := consoletest.Body(t, res)
	if strings.Contains(page, "new@example.com") {
		t.Error("the page repeats the form")
	}
	found := keptIn.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("nothing is kept:\n%s", page)
	}
	form := url.Values{"then": {found[1]}, "confirm_kept": {found[2]}, "current": {"wrong"}}
	res = h.Post("/console/confirm", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "This is not your password.", found[2])
	elsewhere := url.Values{"then": {"/console/keys"}, "confirm_kept": {found[2]}, "current": {consoletest.Password}}
	if res := h.Post("/console/confirm", elsewhere, consoletest.Browser); res.StatusCode == http.StatusTemporaryRedirect {
		t.Error("the form is sent elsewhere")
	}
	form.Set("current", consoletest.Password)
	res = h.Post("/console/confirm", form, consoletest.Browser)
	consoletest.WantStatus(t, res, http.StatusTemporaryRedirect)
	if got := res.Header.Get("Location"); got != "/console/people" {
		t.Fatalf("sent to %s", got)
	}
	res = h.Post("/console/people", form, consoletest.Browser) // as a browser does then
	consoletest.WantStatus(t, res, 200)
	consoletest.WantText(t, consoletest.Body(t, res), "Invitation link", "new@example.com")
	// Another person's session cannot use it.
	cookie, _ := h.As("eve@example.com", "default", access.Owner)
	h.With(cookie, func() {
		consoletest.WantStatus(t, h.Post("/console/people", url.Values{"confirm_kept": {found[2]}}, consoletest.Browser), 403)
	})
}

func TestAKeyOfProductionAsksAgain(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	k, _, err := h.Access.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: "live", Environment: access.Production})
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := h.Access.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: "dev"})
	if err != nil {
		t.Fatal(err)
	}
	h.Pass(time.Hour)
	consoletest.WantStatus(t, h.Post("/console/keys/"+k.ID+"/rotate", url.Values{}, consoletest.Browser), 403)
	consoletest.WantStatus(t, h.Post("/console/keys/"+d.ID+"/rotate", url.Values{}, consoletest.Browser), 200)
	h.Confirm()
	consoletest.WantStatus(t, h.Post("/console/keys/"+k.ID+"/rotate", url.Values{}, consoletest.Browser), 200)
}
