package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/access/oidc"
	"stele/internal/access/oidc/oidctest"
	"stele/internal/console"
	"stele/internal/guard"
	"stele/internal/seal"
)

// provided is a house that people may enter through an identity provider.
func provided(t *testing.T) (*house, *oidctest.Provider) {
	t.Helper()
	p := oidctest.New(t)
	p.Who = oidctest.Person{Subject: "7", Email: "ada@example.com", Verified: true}
	h := open(t, "https://stele.example.com/stele", func(h *house, o *console.Options) {
		p.Now = h.clock
		o.SignOn = &console.SignOn{
			Name: "id.example.com", Rules: access.SignOnRules{Domains: []string{"example.com"}, Role: access.Viewer},
			Issuer: oidc.New(oidc.Options{
				URL: p.URL, ClientID: oidctest.ClientID, Secret: oidctest.Secret, Client: guard.Operator(guard.Options{}),
				Box: seal.New().Box("sign-on"), Now: h.clock,
			}),
		}
	})
	return h, p
}

// goThere follows a browser to the provider and back. It gives the path and query
// that it comes back with, and the ticket it holds.
func (h *house) goThere(t *testing.T, p *oidctest.Provider) (back string, ticket *http.Cookie) {
	t.Helper()
	res := h.get("/console/oidc?next=/console/keys", browser)
	wantStatus(t, res, 303)
	ticket = res.Cookies()[0]
	if !ticket.HttpOnly || !ticket.Secure || ticket.SameSite != http.SameSiteLaxMode || ticket.Path != "/stele/console/oidc" {
		t.Errorf("the ticket is %s", ticket)
	}
	answer := p.Answer(t, res.Header.Get("Location"))
	path, ok := strings.CutPrefix(answer.String(), "https://stele.example.com/stele")
	if !ok {
		t.Fatalf("sent back to %s", answer)
	}
	return path, ticket
}

func TestSomebodyComesThroughTheIdentityProvider(t *testing.T) {
	t.Parallel()
	h, p := provided(t)
	wantText(t, body(t, h.get("/console/signin?next=/console/keys", browser)), "Continue with id.example.com", `href="/stele/console/oidc?next=%2fconsole%2fkeys"`)
	back, ticket := h.goThere(t, p)
	res := h.get(back, browser, header{"Cookie", ticket.Name + "=" + ticket.Value}, header{"Sec-Fetch-Site", "cross-site"})
	wantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/stele/console/keys" {
		t.Errorf("sent to %s", got)
	}
	h.cookie = sessionCookie(t, res).Value
	page := body(t, h.get("/console/keys", browser))
	wantText(t, page, "ada@example.com")
	if strings.Contains(page, "New key") {
		t.Error("a viewer is offered keys")
	}
	wantText(t, body(t, h.get("/console/password", browser)), "You have no password")

	// The answer is of no use to another browser, nor a second time.
	h.cookie = ""
	wantText(t, body(t, h.get(back, browser)), "took too long, or was begun in another browser")
	res = h.get(back, browser, header{"Cookie", ticket.Name + "=" + ticket.Value})
	wantStatus(t, res, 403)
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
			h, p := provided(t)
			back, ticket := h.goThere(t, p)
			path, query, _ := strings.Cut(back, "?")
			q, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			change(p, q)
			res := h.get(path+"?"+q.Encode(), browser, header{"Cookie", ticket.Name + "=" + ticket.Value})
			wantStatus(t, res, 403)
			wantText(t, body(t, res), want, "Continue with id.example.com")
			for _, c := range res.Cookies() {
				if strings.HasSuffix(c.Name, "stele_session") {
					t.Error("they have a session")
				}
			}
			people, err := h.access.Accounts(t.Context(), access.CommandLine("default"))
			if err != nil || len(people) != 0 {
				t.Errorf("%d people were made, %v", len(people), err)
			}
		})
	}
}

func TestAnIdentityProviderThatIsAwayLeavesThePassword(t *testing.T) {
	t.Parallel()
	h, p := provided(t)
	p.Close()
	res := h.get("/console/oidc", browser)
	wantStatus(t, res, 502)
	wantText(t, body(t, res), "cannot be reached", `name="password"`)
	wantStatus(t, open(t, "http://127.0.0.1:8080").get("/console/oidc", browser), 404)
}
