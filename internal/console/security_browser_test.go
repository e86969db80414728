package console_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"

	"stele/internal/console/consoletest"
)

// A person sets up an authenticator app and a passkey, signs in with each, and is
// asked again later. Not parallel: one browser is enough for a small machine.
//
//nolint:paralleltest // see above
func TestSomebodySetsUpSecondFactors(t *testing.T) {
	for _, room := range screens {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			b := launch(t, room.width)
			h := consoletest.Open(t, "http://localhost"+room.base)
			server := httptest.NewServer(h.Serve)
			t.Cleanup(server.Close)
			// Browsers make passkeys for names only.
			h.Public, _ = url.Parse(strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + room.base)
			securityWalk(b, h)
		})
	}
}

// authenticator gives the browser a device that makes passkeys and recognises its person.
func (b *tab) authenticator() {
	b.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
			Options: &webauthn.VirtualAuthenticatorOptions{
				Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true,
				IsUserVerified: true, AutomaticPresenceSimulation: true,
			},
		})
		return err
	}))
}

func securityWalk(b *tab, h *consoletest.House) {
	root := h.Public.String()
	b.authenticator()
	signIn := func() {
		b.visit(root + "/console/signin?next=/console/security")
		b.fill("#email", consoletest.Email)
		b.fill("#password", consoletest.Password)
		b.submit("form.stack button")
	}
	out := func() {
		b.visit(root + "/console/security")
		b.submit(".account button")
		b.shows("Sign in")
	}
	b.visit(root + "/console/setup?token=" + h.Token)
	b.fill("#email", consoletest.Email)
	b.fill("#password", consoletest.Password)
	b.fill("#again", consoletest.Password)
	b.submit("form.stack button")
	b.visit(root + "/console/security")
	b.shows("Security", "Passkeys", "Authenticator app", "Recent sign-ins")
	b.look("security empty")
	b.axe()

	// The authenticator app.
	b.click(`a[href$="/console/security/app"]`)
	b.do(chromedp.WaitVisible(chromedp.CSS("#code")))
	b.look("authenticator")
	b.axe()
	secret := b.text("#app-secret")
	code := func() string {
		h.Pass(30 * time.Second) // each is good once
		digits, err := totp.GenerateCode(secret, h.Clock())
		if err != nil {
			b.Fatal(err)
		}
		return digits
	}
	b.fill("#code", "000000")
	b.submit("form.narrow .primary")
	b.shows("not the code")
	b.fill("#code", code())
	b.submit("form.narrow .primary")
	b.shows("Keep them now.")
	b.look("recovery codes")
	b.axe()
	b.reload() // makes no others
	b.shows("10 are left")

	out()
	signIn()
	b.shows("Second step")
	b.look("second step")
	b.axe()
	b.fill("#code", code())
	b.submit(`form[action$="/signin/second"] button`)
	b.shows("Recent sign-ins")

	// A passkey.
	b.fill("#key-name", "Laptop")
	b.submit("form[data-passkey] button")
	b.shows("The passkey was added.", "Laptop")
	b.look("security")
	b.axe()
	out()
	b.look("sign in with a passkey")
	b.axe()
	b.visit(root + "/console/signin?next=/console/security")
	b.submit(`form[data-passkey] button`)
	b.shows("Recent sign-ins", "Laptop")
	out()
	signIn()
	b.shows("Second step", "Use passkey")
	b.look("second step with a passkey")
	b.submit(`form[data-passkey] button`)
	b.shows("Recent sign-ins")

	// Later, a change of consequence asks again, and then goes on.
	h.Pass(20 * time.Minute)
	b.visit(root + "/console/people")
	b.click(".maker > summary")
	b.fill("#email", "new@example.com")
	b.submit("#new-person button")
	b.shows("Confirm that it is you", "What you have filled in is kept")
	b.look("confirm")
	b.axe()
	b.fill("#current", consoletest.Password)
	b.submit(`form.stack:has(#current) button`)
	b.shows("Copy it now.", "new@example.com")
	h.Pass(20 * time.Minute)
	b.visit(root + "/console/people")
	b.click(".maker > summary")
	b.fill("#email", "other@example.com")
	b.submit("#new-person button")
	b.submit(`form[data-passkey] button`)
	b.shows("Copy it now.", "other@example.com")

	// A sign-in elsewhere is told.
	h.Elsewhere(b)
	b.visit(root + "/console/keys")
	b.shows("New sign-in:", "Firefox on Linux", "203.0.113.7")
	b.look("news")
	b.axe()
	b.submit(".news button")
	if b.count(".news") != 0 {
		b.Error("the notice stays")
	}
	b.visit(root + "/console/security")
	b.submit(`form[action$="/remove"] button`)
	b.shows("It was removed.")
}
