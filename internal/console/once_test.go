package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
)

// Every change is made once, however often a browser sends the same form.
func TestAFormIsTakenOnce(t *testing.T) {
	t.Parallel()
	_, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms, consoletest.WithLimits, consoletest.WithWebhooks(new(consoletest.Post)))
	for _, route := range console.Routes() {
		if route.Method != http.MethodPost || route.Need == "" || route.Pattern == "/console/signout" {
			continue
		}
		form := url.Values{"form_once": {"a " + route.Pattern}}
		res := h.Post(consoletest.PathOf(route), form)
		if res.StatusCode == http.StatusConflict || res.StatusCode == http.StatusInternalServerError {
			t.Errorf("%s: status %d at first", route.Pattern, res.StatusCode)
		}
		if strings.Contains(consoletest.Body(t, res), "There is no such page.") {
			continue // a room that this house has not
		}
		consoletest.WantCode(t, h.Post(consoletest.PathOf(route), form), 409, "idempotency_conflict")
	}
}

func TestCreditsAreGrantedOnce(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits)
	form := url.Values{"amount": {"1,000"}, "form_once": {"a"}}
	consoletest.WantStatus(t, h.Post("/console/credits", form, consoletest.Browser), 303)
	res := h.Post("/console/credits", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 409)
	consoletest.WantText(t, consoletest.Body(t, res), "sent before")
	// Another form, and another person's of the same name.
	form.Set("form_once", "b")
	consoletest.WantStatus(t, h.Post("/console/credits", form, consoletest.Browser), 303)
	cookie, _ := h.As("eve@example.com", "default", access.Member)
	h.With(cookie, func() {
		consoletest.WantStatus(t, h.Post("/console/keys", url.Values{"name": {"x"}, "scope": {"chat"}, "form_once": {"a"}}, consoletest.Browser), 200)
	})
}

// A form that waited for its sender to prove who they are is taken then, and once.
func TestAKeptFormIsTakenOnce(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits)
	h.Pass(16 * 60e9)
	form := url.Values{"amount": {"5"}, "form_once": {"a"}}
	res := h.Post("/console/credits", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 403)
	found := keptIn.FindStringSubmatch(consoletest.Body(t, res))
	if found == nil {
		t.Fatal("nothing is kept")
	}
	kept := url.Values{"then": {found[1]}, "confirm_kept": {found[2]}, "current": {consoletest.Password}, "form_once": {"b"}}
	consoletest.WantStatus(t, h.Post("/console/confirm", kept, consoletest.Browser), http.StatusTemporaryRedirect)
	consoletest.WantStatus(t, h.Post("/console/credits", kept, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Post("/console/credits", kept, consoletest.Browser), 409)
	consoletest.WantStatus(t, h.Post("/console/credits", form, consoletest.Browser), 409)
}

// A page may send its forms while the person and the workspace are those that it was shown to.
func TestAPageIsStillPresent(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	cookie, id := h.As("ann@example.com", "default", access.Member)
	h.With(cookie, func() {
		for query, want := range map[string]int{
			"?user=" + id + "&workspace=default": 204, "?user=" + id + "&workspace=other": 409, "?user=usr_1&workspace=default": 409, "": 409,
		} {
			consoletest.WantStatus(t, h.Get("/console/present"+query), want)
		}
	})
	h.With("", func() { consoletest.WantCode(t, h.Get("/console/present"), 401, "session_required") })
}
