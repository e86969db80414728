package console_test

import (
	"net/http/httptest"
	"net/url"
	"testing"
)

//nolint:paralleltest // one browser is enough for a small machine
func TestKeysAndPolicyInABrowser(t *testing.T) {
	h := opened(t)
	server := httptest.NewServer(h.serve)
	t.Cleanup(server.Close)
	h.public, _ = url.Parse(server.URL)
	for _, width := range []int64{1440, 390} {
		b := launch(t, width)
		b.visit(server.URL + "/console/signin")
		b.fill("#email", email)
		b.fill("#password", password)
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
