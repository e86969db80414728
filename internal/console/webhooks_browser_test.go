package console_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"stele/internal/console/consoletest"
	"stele/internal/limit"
)

//nolint:paralleltest // one browser is enough for a small machine
func TestWebhooksInABrowser(t *testing.T) {
	var post consoletest.Post
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits, consoletest.WithStart, consoletest.WithWebhooks(&post))
	server := httptest.NewServer(h.Serve)
	t.Cleanup(server.Close)
	h.Public, _ = url.Parse(server.URL)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusGone)
		_, _ = io.WriteString(w, `{"error": "this hook was removed"}`)
	}))
	t.Cleanup(receiver.Close)
	for i, room := range screens {
		h.Pass(time.Minute) // what is passed now was not dismissed
		b := launch(t, room.width)
		b.visit(server.URL + "/console/signin")
		b.fill("#email", consoletest.Email)
		b.fill("#password", consoletest.Password)
		b.submit("form.stack button")
		b.visit(server.URL + "/console/webhooks")
		if i == 0 {
			b.shows("No endpoints yet")
			b.axe()
		}
		b.click(".maker > summary")
		b.look("endpoint form")
		b.fill("#address", "http://10.0.0.1/")
		b.submit("#new-endpoint .button.primary")
		b.shows("This address cannot be used")
		b.axe()
		b.fill("#address", receiver.URL+"/hook")
		b.submit("#new-endpoint .button.primary")
		b.shows("Copy it now.", "whsec_")
		b.look("endpoint secret")
		b.axe()
		b.visit(server.URL + "/console/webhooks")
		b.shows(receiver.URL + "/hook")
		h.Limit(limit.Limit{Workspace: "default", Name: "daily budget", Measure: limit.Dollars, Window: limit.Day, Amount: 10e9}, "", 8.5e9)
		post.Deliver(h)
		b.visit(server.URL + "/console/webhooks")
		b.shows("Given up", "410", "limit.reached")
		b.look("webhooks")
		b.axe()
		b.submit(`a[href*="/console/webhooks/ep_"]`)
		b.shows("Change it", "Signing secret", "the receiver wants no more of these")
		b.look("endpoint")
		b.axe()
		b.submit("#replay-many .button")
		b.shows("On their way again", "On its way")
		post.Deliver(h)
		b.submit("#replay-many .button") // what was given up once more
		post.Deliver(h)
		b.submit("#rotate-endpoint .button")
		b.shows("A new secret for", "the old secret as well")
		b.visit(server.URL + "/console/")
		b.shows("80 %", "daily budget")
		b.look("start with notices")
		b.axe()
		b.submit(".notices .button")
	}
}
