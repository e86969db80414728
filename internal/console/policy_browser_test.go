package console_test

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"stele/internal/console/consoletest"
)

//nolint:paralleltest // one browser is enough for a small machine
func TestKeysAndPolicyInABrowser(t *testing.T) {
	h := consoletest.Opened(t)
	server := httptest.NewServer(h.Serve)
	t.Cleanup(server.Close)
	h.Public, _ = url.Parse(server.URL)
	for _, room := range screens {
		b := launch(t, room.width)
		b.visit(server.URL + "/console/signin")
		b.fill("#email", consoletest.Email)
		b.fill("#password", consoletest.Password)
		b.submit("form.stack button")
		b.visit(server.URL + "/console/policy")
		b.look("policy")
		b.axe()
		b.fill("#cidrs", "everywhere")
		b.submit("form.panel .button.primary")
		b.shows("is no range of addresses")
		b.look("policy wrong")
		b.axe()
		b.fill("#cidrs", "127.0.0.0/8")
		b.submit("form.panel .button.primary")
		b.shows("Saved.")
		b.visit(server.URL + "/console/keys")
		b.look("keys")
		b.axe()
		b.submit("table.keys a.button")
		b.fill("#name", "renamed")
		b.look("key edit")
		b.axe()
		b.submit("form.panel .button.primary")
		b.shows("renamed")
	}
}
