package console_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stele/internal/console/consoletest"
)

// The walk of an operator in real Chromium, on a phone below a base path and
// on a desk without one. Not parallel: one browser is enough for a small machine.
//
//nolint:paralleltest // see above
func TestAnOperatorWalksThroughTheConsole(t *testing.T) {
	for _, room := range everyScreen {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			b := launch(t, room.width)
			h := consoletest.Open(t, "http://127.0.0.1"+room.base)
			server := httptest.NewServer(h.Serve)
			t.Cleanup(server.Close)
			h.Public, _ = url.Parse(server.URL + room.base)
			walk(b, h)
		})
	}
}

func walk(b *tab, h *consoletest.House) {
	root := h.Public.String()

	b.visit(root + "/console/setup?token=wrong")
	b.shows("This link does not work")
	b.visit(root + "/console/signin")
	b.shows("Nobody can sign in yet")

	b.look("sign in empty")
	b.visit(root + "/console/setup?token=" + h.Token)
	b.fill("#email", consoletest.Email)
	b.fill("#password", consoletest.Password)
	b.fill("#again", "something else entirely")
	b.submit("form.stack button")
	b.shows("The two passwords differ.")
	b.look("set up")
	b.fill("#password", consoletest.Password)
	b.fill("#again", consoletest.Password)
	b.submit("form.stack button")
	b.shows("Welcome")
	b.visit(root + "/console/keys")
	b.shows("first key")

	b.click(".maker > summary")
	b.fill("#name", "checkout service")
	b.choose("#expires", "30d")
	b.fill("#models", "two words")
	b.click("input[value=production]")
	b.look("new key")
	b.submit("#new-key button")
	b.shows("A model pattern is")
	b.look("new key mistake")
	b.fill("#models", "openai/*")
	b.submit("#new-key button")
	b.shows("Copy it now.")
	secret := b.text("#secret")
	if !strings.HasPrefix(secret, "sk_live_") {
		b.Fatalf("the secret is %q", secret)
	}
	if _, _, err := h.Access.Admit(secret, ""); err != nil {
		b.Fatal(err)
	}
	b.click("[data-copy=secret]")
	b.becomes("[data-copy=secret]", "Copied")
	b.look("secret")

	// A reload must not make another key.
	b.reload()
	b.shows("checkout service")
	if keys := b.count("table.keys tbody tr"); keys != 2 {
		b.Fatalf("%d keys after a reload, want 2", keys)
	}
	if strings.Contains(b.source(), secret) {
		b.Fatal("the secret is shown again")
	}

	b.click("button[popovertarget^=rotate]")
	b.look("rotate")
	b.submit(".ask:popover-open .primary")
	b.shows("A new secret for", "works until")
	next := b.text("#secret")
	if _, _, err := h.Access.Admit(next, ""); next == secret || err != nil {
		b.Fatalf("the new secret does not work: %v", err)
	}
	b.visit(root + "/console/keys")
	b.click("button[popovertarget^=revoke]")
	b.look("revoke")
	b.submit(".ask:popover-open .danger")
	b.shows("Revoked and expired keys")
	if _, _, err := h.Access.Admit(next, ""); err == nil {
		b.Fatal("a revoked key still works")
	}
	b.click(".ended > summary")
	b.look("keys")

	b.visit(root + "/reference")
	b.shows("API reference", root)
	b.look("reference")

	b.visit(root + "/console/keys")
	b.submit(".account button")
	b.shows("Sign in")
	b.visit(root + "/console/keys")
	b.fill("#email", consoletest.Email)
	b.fill("#password", "not the password")
	b.submit("form.stack button")
	b.shows("The address or the password is wrong.")
	b.look("sign in")
	b.fill("#password", consoletest.Password)
	b.submit("form.stack button")
	b.shows("API keys")
}
