package console_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"testing"

	"stele/internal/console/consoletest"
)

// The whole way through an identity provider in real Chromium: its cookies and its
// content policy have the last word.
//
//nolint:paralleltest // one browser is enough for a small machine
func TestABrowserGoesToTheIdentityProviderAndBack(t *testing.T) {
	for _, room := range screens {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			b := launch(t, room.width)
			h, p := consoletest.OpenWithProvider(t)
			h.SignIn()
			server := httptest.NewServer(h.Serve)
			t.Cleanup(server.Close)
			h.Public, _ = url.Parse(server.URL + "/stele")

			b.visit(h.Public.String() + "/console/keys")
			b.shows("Continue with id.example.com", "or with a password")
			b.look("sign in with provider")
			b.axe()
			p.Who.Email = "ada@evil.example"
			b.submit("a[href*=oidc]")
			b.shows("Addresses of evil.example are not let in here.")
			b.look("turned away")
			b.axe()
			p.Who.Email = "ada@example.com"
			b.submit("a[href*=oidc]")
			b.visit(h.Public.String() + "/console/sessions")
			b.shows("ada@example.com", "Sessions")
			if b.count("a[href$=password]") != 0 {
				b.Error("somebody without a password may change it")
			}
		})
	}
}
