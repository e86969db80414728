package access_test

import (
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/fault"
)

var rules = access.SignOnRules{Domains: []string{"Example.com"}, Role: access.Member}

func TestAPersonIsMadeAtTheFirstSignOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada := access.Identity{Subject: "https://id 7", Email: "Ada@Example.com", Verified: true}
	first, cookie, err := h.SignOn(t.Context(), ada, rules, access.Browser{Remote: "192.0.2.1"})
	if err != nil || first.Role != access.Member || first.User.Email != "ada@example.com" || first.Session.Workspace != "default" {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, err := h.BySession(t.Context(), cookie); err != nil {
		t.Error(err)
	}
	ada.Email = "ada.l@example.com" // she married
	again, _, err := h.SignOn(t.Context(), ada, rules, access.Browser{})
	if err != nil || again.User.ID != first.User.ID {
		t.Errorf("the second time: %+v, %v", again.User, err)
	}
	if _, _, err := h.SignIn(t.Context(), "ada@example.com", "", access.Browser{}); code(err) != fault.PermissionDenied {
		t.Errorf("with a password she does not have: %v", err)
	}
	if _, err := h.Remove(t.Context(), admin, first.User.ID); err != nil {
		t.Fatal(err)
	}
	if v, _, err := h.SignOn(t.Context(), ada, rules, access.Browser{}); err != nil || v.Role != "" {
		t.Errorf("after she was removed she is %q, %v", v.Role, err)
	}
}

func TestSignOnTurnsStrangersAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if _, _, err := h.SignOn(t.Context(), access.Identity{Subject: "s 1", Email: "root@example.com", Verified: true}, rules, access.Browser{}); err != nil {
		t.Fatal(err)
	}
	for why, test := range map[string]struct {
		id    access.Identity
		rules access.SignOnRules
	}{
		"not verified":       {access.Identity{Subject: "s 2", Email: "eve@example.com"}, rules},
		"of evil.example":    {access.Identity{Subject: "s 2", Email: "eve@evil.example", Verified: true}, rules},
		"of sub.example.com": {access.Identity{Subject: "s 2", Email: "eve@sub.example.com", Verified: true}, rules},
		"no e-mail":          {access.Identity{Subject: "s 2", Email: "", Verified: true}, rules},
		"gives no e-mail":    {access.Identity{Email: "eve@example.com", Verified: true}, rules},
		"another account":    {access.Identity{Subject: "s 2", Email: "root@example.com", Verified: true}, rules},
		"known here":         {access.Identity{Subject: "s 2", Email: "eve@example.com", Verified: true}, access.SignOnRules{}},
	} {
		_, _, err := h.SignOn(t.Context(), test.id, test.rules, access.Browser{Remote: "192.0.2.6"})
		if code(err) != fault.PermissionDenied || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
	entries, err := h.Audit(t.Context(), admin, access.Filter{Action: "session.refuse", Limit: 20})
	if err != nil || len(entries) != 7 {
		t.Errorf("%d refusals are in the log, %v", len(entries), err)
	}
}

func TestSignOnFindsPeopleWhoWereAdded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, secret, err := h.AddPerson(t.Context(), access.CommandLine("acme"), access.NewPerson{Email: "ada@example.com", Role: access.Viewer})
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := h.SignOn(t.Context(), access.Identity{Subject: "s 7", Email: "ada@example.com", Verified: true}, access.SignOnRules{}, access.Browser{})
	if err != nil || v.User.ID != p.ID || v.Role != access.Viewer || v.Session.Workspace != "acme" {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := h.Invitation(t.Context(), secret); code(err) != fault.NotFound {
		t.Errorf("the link she no longer needs: %v", err)
	}
}
