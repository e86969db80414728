package console_test

import (
	"net/url"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/access/oidc/oidctest"
	"stele/internal/console/consoletest"
)

func TestSomebodyComesThroughTheIdentityProvider(t *testing.T) {
	t.Parallel()
	h, p := consoletest.OpenWithProvider(t)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/signin?next=/console/keys", consoletest.Browser)), "Continue with id.example.com", `href="/stele/console/oidc?next=%2fconsole%2fkeys"`)
	back, ticket := h.GoThere(t, p)
	res := h.Get(back, consoletest.Browser, consoletest.With("Cookie", ticket.Name+"="+ticket.Value), consoletest.With("Sec-Fetch-Site", "cross-site"))
	consoletest.WantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/stele/console/keys" {
		t.Errorf("sent to %s", got)
	}
	h.Cookie = consoletest.SessionCookie(t, res).Value
	page := consoletest.Body(t, h.Get("/console/keys", consoletest.Browser))
	consoletest.WantText(t, page, "ada@example.com")
	if strings.Contains(page, "New key") {
		t.Error("a viewer is offered keys")
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/password", consoletest.Browser)), "You have no password")

	// The answer is of no use to another browser, nor a second time.
	h.Cookie = ""
	consoletest.WantText(t, consoletest.Body(t, h.Get(back, consoletest.Browser)), "took too long, or was begun in another browser")
	res = h.Get(back, consoletest.Browser, consoletest.With("Cookie", ticket.Name+"="+ticket.Value))
	consoletest.WantStatus(t, res, 403)
}

func TestTheIdentityProviderDoesNotLetEverybodyIn(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(p *oidctest.Provider, q url.Values){
		"has not verified the address": func(p *oidctest.Provider, _ url.Values) { p.Who.Verified = false },
		"of evil.example are not let":  func(p *oidctest.Provider, _ url.Values) { p.Who.Email = "ada@evil.example" },
		"cannot be trusted":            func(p *oidctest.Provider, _ url.Values) { p.Change = func(c map[string]any) { c["nonce"] = "x" } },
		"cannot be trusted.":           func(_ *oidctest.Provider, q url.Values) { q.Set("state", "x") },
		"did not sign you in":          func(_ *oidctest.Provider, q url.Values) { q.Set("error", "access_denied") },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			h, p := consoletest.OpenWithProvider(t)
			back, ticket := h.GoThere(t, p)
			path, query, _ := strings.Cut(back, "?")
			q, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			change(p, q)
			res := h.Get(path+"?"+q.Encode(), consoletest.Browser, consoletest.With("Cookie", ticket.Name+"="+ticket.Value))
			consoletest.WantStatus(t, res, 403)
			consoletest.WantText(t, consoletest.Body(t, res), want, "Continue with id.example.com")
			for _, c := range res.Cookies() {
				if strings.HasSuffix(c.Name, "stele_session") {
					t.Error("they have a session")
				}
			}
			people, err := h.Access.Accounts(t.Context(), access.CommandLine("default"))
			if err != nil || len(people) != 0 {
				t.Errorf("%d people were made, %v", len(people), err)
			}
		})
	}
}

func TestAnIdentityProviderThatIsAwayLeavesThePassword(t *testing.T) {
	t.Parallel()
	h, p := consoletest.OpenWithProvider(t)
	p.Close()
	res := h.Get("/console/oidc", consoletest.Browser)
	consoletest.WantStatus(t, res, 502)
	consoletest.WantText(t, consoletest.Body(t, res), "cannot be reached", `name="password"`)
	consoletest.WantStatus(t, consoletest.Open(t, "http://127.0.0.1:8080").Get("/console/oidc", consoletest.Browser), 404)
}
