package console_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"testing"

	"stele/internal/access"
	"stele/internal/console/consoletest"
)

//nolint:paralleltest // one browser is enough for a small machine
func TestKeysAndPolicyInABrowser(t *testing.T) {
	h := consoletest.OpenSignedIn(t)
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
	b := launch(t, screens[0].width)
	b.visit(server.URL + "/console/signin")
	b.fill("#email", consoletest.Email)
	b.fill("#password", consoletest.Password)
	b.submit("form.stack button")
	for i := range 100 {
		_, _, err := h.Access.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: fmt.Sprintf("program %d", i), Environment: access.Development})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.visit(server.URL + "/console/keys")
	b.look("keys of many programs")
	b.axe()
	b.submit("nav.pages a[rel=next]")
	b.shows("Newest", "renamed")
	b.fill("#q", "PROGRAM 42")
	b.submit("form.filters .button")
	b.shows("program 42")
	b.look("keys found")
	b.axe()
	b.fill("#q", "nothing of the kind")
	b.submit("form.filters .button")
	b.shows("No working keys here")
	b.look("no keys found")
}
