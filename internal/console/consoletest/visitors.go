package consoletest

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/pquerna/otp/totp"

	"stele/internal/access"
	"stele/internal/access/oidc"
	"stele/internal/access/oidc/oidctest"
	"stele/internal/console"
	"stele/internal/guard"
	"stele/internal/seal"
)

// As lets a person into a workspace and returns what their browser holds.
func (h *House) As(address, workspace string, role access.Role) (cookie, id string) {
	h.T.Helper()
	_, _, err := h.Access.AddPerson(h.T.Context(), access.CommandLine(workspace), access.NewPerson{Email: address, Role: role})
	if err != nil {
		h.T.Fatal(err)
	}
	// Not by the password: comparing it takes long.
	who := access.Identity{Subject: "id " + address, Email: address, Verified: true}
	from := access.Browser{Remote: "192.0.2.5", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	v, cookie, err := h.Access.SignOn(h.T.Context(), who, access.SignOnRules{}, from)
	if err != nil {
		h.T.Fatal(err)
	}
	return cookie, v.User.ID
}

// AsKnown is as for a person who has a password.
func (h *House) AsKnown(address, workspace string, role access.Role) (cookie, id string) {
	h.T.Helper()
	_, _, err := h.Access.AddPerson(h.T.Context(), access.CommandLine(workspace), access.NewPerson{Email: address, Role: role, Password: Password})
	if err != nil {
		h.T.Fatal(err)
	}
	from := access.Browser{Remote: "192.0.2.5", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	v, cookie, err := h.Access.SignIn(h.T.Context(), address, Password, from)
	if err != nil {
		h.T.Fatal(err)
	}
	return cookie, v.User.ID
}

// With does something with another browser.
func (h *House) With(cookie string, do func()) {
	before := h.Cookie
	h.Cookie = cookie
	do()
	h.Cookie = before
}

// Link is the path of the link that a page shows.
func (h *House) Link(t *testing.T, page string) string {
	t.Helper()
	found := linkIn.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no link in the page:\n%s", page)
	}
	path, ours := strings.CutPrefix(found[1], strings.TrimSuffix(h.Public.String(), "/"))
	if !ours {
		t.Fatalf("the link is %s", found[1])
	}
	return path
}

// SignOnAgain signs the administrator in again: a sign-in by form took the place
// of the session that the browser held.
func (h *House) SignOnAgain(t *testing.T) {
	t.Helper()
	var err error
	if _, h.Cookie, err = h.Access.SignIn(t.Context(), Email, Password, access.Browser{}); err != nil {
		t.Fatal(err)
	}
}

// Confirm has the administrator prove again who they are.
func (h *House) Confirm() {
	h.T.Helper()
	if res := h.Post("/console/confirm", url.Values{"current": {Password}}, Browser); res.StatusCode != http.StatusSeeOther { //nolint:bodyclose // a recorder's
		h.T.Fatalf("confirming: %d %s", res.StatusCode, Body(h.T, res))
	}
}

// Viewer lets a person in who may only look, and gives their cookie.
func (h *House) Viewer() string {
	h.T.Helper()
	admin, err := h.Access.BySession(h.T.Context(), h.Cookie)
	if err != nil {
		h.T.Fatal(err)
	}
	_, _, err = h.Access.AddPerson(h.T.Context(), admin.Principal(), access.NewPerson{Email: "viewer@example.com", Role: access.Viewer, Password: Password})
	if err != nil {
		h.T.Fatal(err)
	}
	_, secret, err := h.Access.SignIn(h.T.Context(), "viewer@example.com", Password, access.Browser{Remote: "192.0.2.9"})
	if err != nil {
		h.T.Fatal(err)
	}
	return secret
}

// Authenticator sets up an app for who is signed in, and gives its secret and the
// recovery codes.
func (h *House) Authenticator() (secret string, codes []string) {
	h.T.Helper()
	page := Body(h.T, h.Get("/console/security/app", Browser))
	WantText(h.T, page, "data:image/png;base64,")
	ticket := appTicket.FindStringSubmatch(page)[1]
	secret = appSecret.FindStringSubmatch(page)[1]
	res := h.Post("/console/security/app", url.Values{"ticket": {ticket}, "code": {"000000"}}, Browser)
	WantStatus(h.T, res, 422)
	again := Body(h.T, res)
	WantText(h.T, again, "not the code", secret)
	res = h.Post("/console/security/app", url.Values{"ticket": {ticket}, "code": {h.Code(secret)}}, Browser)
	WantStatus(h.T, res, 200)
	page = Body(h.T, res)
	WantText(h.T, page, "Keep them now.")
	_, list, _ := strings.Cut(page, `<code id="codes">`)
	return secret, codeLine.FindAllString(list, -1)
}

// Code is what an authenticator app shows now.
func (h *House) Code(secret string) string {
	h.T.Helper()
	code, err := totp.GenerateCode(secret, h.Clock())
	if err != nil {
		h.T.Fatal(err)
	}
	return code
}

// FirstStep gives the password, and the ticket for the second step.
func (h *House) FirstStep(t *testing.T) Header {
	t.Helper()
	res := h.Post("/console/signin", url.Values{"email": {Email}, "password": {Password}, "next": {"/console/keys"}}, Browser)
	WantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/console/signin/second?next=%2Fconsole%2Fkeys" {
		t.Fatalf("sent to %s", got)
	}
	if CookieOf(res, "stele_session") != "" {
		t.Fatal("a session for half the proof")
	}
	return Header{"Cookie", "stele_second=" + CookieOf(res, "stele_second")}
}

// Elsewhere signs the administrator in with another browser.
func (h *House) Elsewhere(t interface {
	Context() context.Context
	Fatal(args ...any)
},
) {
	from := access.Browser{Remote: "203.0.113.7", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	root, err := h.Access.Account(t.Context(), access.CommandLine("default"), Email)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := h.Access.RescueLink(t.Context(), access.CommandLine("default"), root.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Access.FollowLink(t.Context(), secret, "", from); err != nil {
		t.Fatal(err)
	}
}

// GoThere follows a browser to the provider and back. It gives the path and query
// that it comes back with, and the ticket it holds.
func (h *House) GoThere(t *testing.T, p *oidctest.Provider) (back string, ticket *http.Cookie) {
	t.Helper()
	res := h.Get("/console/oidc?next=/console/keys", Browser)
	WantStatus(t, res, 303)
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

var linkIn = regexp.MustCompile(`id="link" class="secret">([^<]+)<`)

// CookieOf is the value of a cookie that an answer sets, "" for none.
func CookieOf(res *http.Response, name string) string {
	for _, cookie := range res.Cookies() {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

// OpenWithProvider is a house that people may enter through an identity provider.
func OpenWithProvider(t *testing.T) (*House, *oidctest.Provider) {
	t.Helper()
	p := oidctest.New(t)
	p.Who = oidctest.Person{Subject: "7", Email: "ada@example.com", Verified: true}
	h := Open(t, "https://stele.example.com/stele", func(h *House, o *console.Options) {
		p.Now = h.Clock
		o.SignOn = &console.SignOn{
			Name: "id.example.com", Rules: access.SignOnRules{Domains: []string{"example.com"}, Role: access.Viewer},
			Issuer: oidc.New(oidc.Options{
				URL: p.URL, ClientID: oidctest.ClientID, Secret: oidctest.Secret, Client: guard.Operator(guard.Options{}),
				Box: seal.New().Box("sign-on"), Now: h.Clock,
			}),
		}
	})
	return h, p
}

var (
	appTicket = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	appSecret = regexp.MustCompile(`id="app-secret" class="secret">([^<]+)<`)
	codeLine  = regexp.MustCompile(`(?m)[a-z2-7]{5}-[a-z2-7]{5}`)
)
