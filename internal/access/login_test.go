package access_test

import (
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

// invite has an owner add a person and gives the link.
func (h *house) invite(t *testing.T, owner access.Principal, email string, role access.Role) (access.Person, string) {
	t.Helper()
	p, secret, err := h.AddPerson(t.Context(), owner, access.NewPerson{Email: email, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return p, secret
}

// sees lists where a person who signs in may go.
func (h *house) sees(t *testing.T, email, password string) string {
	t.Helper()
	v, _, err := h.SignIn(t.Context(), email, password, access.Browser{Remote: "192.0.2.1"})
	if err != nil {
		return string(code(err))
	}
	return h.rooms(t, v)
}

func (h *house) rooms(t *testing.T, v access.Visitor) string {
	t.Helper()
	list, err := h.Workspaces(t.Context(), v.Principal())
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, w := range list {
		got += w.ID + " "
	}
	if v.User.Admin {
		got += "admin"
	}
	return got
}

const theirs, mine = "what the attacker chose", "what the person chose"

// An owner invites a stranger's address and follows the link himself. Another
// owner who then lets that address in, by whatever way, does not let the first one in.
func TestWhoFollowedTheirOwnLinkGetsNothingOfOthers(t *testing.T) {
	t.Parallel()
	for name, add := range map[string]func(h *house, p access.Person) error{
		"another owner": func(h *house, _ access.Person) error {
			bank := h.join(t, "owner@bank.example", "bank", access.Owner)
			_, _, err := h.AddPerson(t.Context(), bank.Principal(), access.NewPerson{Email: "v@example.com", Role: access.Owner})
			return err
		},
		"an administrator": func(h *house, _ access.Person) error {
			_, _, err := h.AddPerson(t.Context(), access.CommandLine("bank"), access.NewPerson{Email: "V@example.com", Role: access.Member})
			return err
		},
		"made an administrator": func(h *house, p access.Person) error {
			_, err := h.SetRole(t.Context(), access.CommandLine("acme"), p.ID, access.Administrator)
			return err
		},
		"added as an administrator": func(h *house, p access.Person) error {
			if _, err := h.Remove(t.Context(), access.CommandLine("acme"), p.ID); err != nil {
				return err
			}
			_, _, err := h.AddPerson(t.Context(), access.CommandLine("bank"), access.NewPerson{Email: "v@example.com", Role: access.Administrator})
			return err
		},
		"removed and let in elsewhere": func(h *house, p access.Person) error {
			if _, err := h.Remove(t.Context(), access.CommandLine("acme"), p.ID); err != nil {
				return err
			}
			_, _, err := h.AddPerson(t.Context(), access.CommandLine("default"), access.NewPerson{Email: "v@example.com", Role: access.Viewer})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			mallory := h.join(t, "mallory@example.com", "acme", access.Owner)
			p, link := h.invite(t, mallory.Principal(), "v@example.com", access.Viewer)
			v, cookie, err := h.FollowLink(t.Context(), link, theirs, access.Browser{})
			if err != nil || h.rooms(t, v) != "acme " {
				t.Fatalf("%s, %v", h.rooms(t, v), err)
			}
			if err := add(h, p); err != nil {
				t.Fatal(err)
			}
			for what, got := range map[string]string{"by password": h.sees(t, "v@example.com", theirs), "by session": h.bySession(t, cookie)} {
				if got != "acme " && got != string(fault.PermissionDenied) && got != string(fault.SessionRequired) && got != "" {
					t.Errorf("%s he sees %s", what, got)
				}
			}
			if v, err := h.BySession(t.Context(), cookie); err == nil {
				if err := h.SwitchWorkspace(t.Context(), v, "bank"); err == nil {
					t.Error("he goes to the other workspace")
				}
			}
		})
	}
}

func (h *house) bySession(t *testing.T, cookie string) string {
	t.Helper()
	v, err := h.BySession(t.Context(), cookie)
	if err != nil {
		return string(code(err))
	}
	return h.rooms(t, v)
}

// The true person follows the link of the other workspace: they are in there, and
// only there; what the attacker has set up opens what it opened before.
func TestTwoWhoHoldOneAddressAreKeptApart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mallory := h.join(t, "mallory@example.com", "acme", access.Owner)
	bank := h.join(t, "owner@bank.example", "bank", access.Owner)
	_, link := h.invite(t, mallory.Principal(), "v@example.com", access.Viewer)
	_, early, err := h.FollowLink(t.Context(), link, theirs, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	p, link := h.invite(t, bank.Principal(), "v@example.com", access.Member)
	if link == "" {
		t.Fatal("no link for somebody whom only another owner vouches for")
	}
	v, cookie, err := h.FollowLink(t.Context(), link, mine, access.Browser{})
	if err != nil || h.rooms(t, v) != "bank " || v.Role != access.Member {
		t.Fatalf("%s, %v", h.rooms(t, v), err)
	}
	// Neither locks the other out, sees their sessions, or ends them.
	if got := h.sees(t, "v@example.com", theirs) + h.sees(t, "v@example.com", mine); got != "acme bank " {
		t.Errorf("they see %s", got)
	}
	other, err := h.BySession(t.Context(), early)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.EndOtherSessions(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if err := h.EndSession(t.Context(), other, v.Session.ID); err == nil {
		t.Error("one ends the other's session")
	}
	if err := h.ChangePassword(t.Context(), other, theirs, theirs+" 2"); err != nil {
		t.Fatal(err)
	}
	if got := h.bySession(t, cookie); got != "bank " {
		t.Errorf("the person sees %s", got)
	}
	list, err := h.Sessions(t.Context(), other)
	if err != nil || len(list) != 1 {
		t.Errorf("%d sessions are shown, %v", len(list), err)
	}
	// An administrator's link is the last word: all else ends.
	_, last, err := h.ResetLink(t.Context(), admin, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if v, _, err = h.FollowLink(t.Context(), last, mine+" 2", access.Browser{}); err != nil || h.rooms(t, v) != "acme bank " {
		t.Errorf("%s, %v", h.rooms(t, v), err)
	}
	for _, old := range []string{theirs + " 2", mine} {
		if got := h.sees(t, "v@example.com", old); got != string(fault.PermissionDenied) {
			t.Errorf("with %q: %s", old, got)
		}
	}
	for _, old := range []string{early, cookie} {
		if got := h.bySession(t, old); got != string(fault.SessionRequired) {
			t.Errorf("a session from before sees %s", got)
		}
	}
}

// Who holds both the account and the link needs no second password.
func TestSomebodyOfTwoWorkspacesKeepsTheirPassword(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	acme, bank := h.join(t, "o@acme.example", "acme", access.Owner), h.join(t, "o@bank.example", "bank", access.Owner)
	_, link := h.invite(t, acme.Principal(), "v@example.com", access.Viewer)
	v, cookie, err := h.FollowLink(t.Context(), link, mine, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	p, link := h.invite(t, bank.Principal(), "v@example.com", access.Member)
	if err := h.JoinByLink(t.Context(), acme, link); code(err) != fault.PermissionDenied {
		t.Errorf("somebody else joins by the link: %v", err)
	}
	if err := h.JoinByLink(t.Context(), v, link); err != nil {
		t.Fatal(err)
	}
	if got := h.bySession(t, cookie) + h.sees(t, "v@example.com", mine); got != "acme bank acme bank " {
		t.Errorf("they see %s", got)
	}
	if err := h.JoinByLink(t.Context(), v, link); code(err) != fault.NotFound {
		t.Errorf("the link again: %v", err)
	}
	// Leaving the first workspace leaves the other.
	if _, err := h.Remove(t.Context(), acme.Principal(), p.ID); err != nil {
		t.Fatal(err)
	}
	if got := h.sees(t, "v@example.com", mine); got != "bank " {
		t.Errorf("after leaving one they see %s", got)
	}
	_, link = h.invite(t, acme.Principal(), "v@example.com", access.Viewer)
	if link == "" || h.sees(t, "v@example.com", mine) != "bank " {
		t.Error("somebody who comes back needs no link")
	}
}

// A link ends with every change of what it stands for.
func TestLinksEndWithEveryChange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(h *house, owner access.Principal, id string) error{
		"another role": func(h *house, owner access.Principal, id string) error {
			_, err := h.SetRole(t.Context(), owner, id, access.Member)
			return err
		},
		"made an administrator": func(h *house, _ access.Principal, id string) error {
			_, err := h.SetRole(t.Context(), access.CommandLine("acme"), id, access.Administrator)
			return err
		},
		"let in elsewhere": func(h *house, _ access.Principal, _ string) error {
			_, _, err := h.AddPerson(t.Context(), access.CommandLine("bank"), access.NewPerson{Email: "v@example.com", Role: access.Viewer})
			return err
		},
		"removed": func(h *house, owner access.Principal, id string) error {
			_, err := h.Remove(t.Context(), owner, id)
			return err
		},
		"another link": func(h *house, owner access.Principal, id string) error {
			_, _, err := h.ResetLink(t.Context(), owner, id)
			return err
		},
		"single sign-on": func(h *house, _ access.Principal, _ string) error {
			h.come(t, "v@example.com")
			return nil
		},
	} {
		h := newHouse(t)
		owner := h.join(t, "o@acme.example", "acme", access.Owner)
		p, link := h.invite(t, owner.Principal(), "v@example.com", access.Viewer)
		if err := change(h, owner.Principal(), p.ID); err != nil {
			t.Fatal(name, err)
		}
		if _, _, err := h.FollowLink(t.Context(), link, theirs, access.Browser{}); code(err) != fault.NotFound {
			t.Errorf("%s: the link before: %v", name, err)
		}
	}
}

// A demoted administrator's link ends as well, and no person is an administrator by
// what an owner's link has set up.
func TestOnlyAnAdministratorsLinkMakesAnAdministrator(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.join(t, "o@acme.example", "acme", access.Owner)
	p, _ := h.invite(t, owner.Principal(), "v@example.com", access.Viewer)
	acme := access.CommandLine("acme")
	if _, err := h.SetRole(t.Context(), acme, p.ID, access.Administrator); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.ResetLink(t.Context(), owner.Principal(), p.ID); code(err) != fault.PermissionDenied {
		t.Errorf("an owner's link for an administrator: %v", err)
	}
	_, link, err := h.ResetLink(t.Context(), acme, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := h.FollowLink(t.Context(), link, mine, access.Browser{})
	if err != nil || !v.User.Admin {
		t.Errorf("%+v, %v", v.User, err)
	}
	h.join(t, "root@example.com", "default", access.Administrator)
	_, link, err = h.ResetLink(t.Context(), acme, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.SetRole(t.Context(), acme, p.ID, access.Viewer); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Invitation(t.Context(), link); code(err) != fault.NotFound {
		t.Errorf("a link from before: %v", err)
	}
}

func TestSingleSignOnEndsWhatWasSetBefore(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mallory := h.join(t, "mallory@example.com", "acme", access.Owner)
	_, link := h.invite(t, mallory.Principal(), "v@example.com", access.Viewer)
	_, early, err := h.FollowLink(t.Context(), link, theirs, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	h.add(t, "w@example.com", access.Viewer) // with a password, by an administrator
	_, before, err := h.SignIn(t.Context(), "w@example.com", password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	h.come(t, "v@example.com")
	h.come(t, "w@example.com")
	for what, got := range map[string]string{
		"the attacker's password": h.sees(t, "v@example.com", theirs), "the password": h.sees(t, "w@example.com", password),
	} {
		if got != string(fault.PermissionDenied) {
			t.Errorf("%s: %s", what, got)
		}
	}
	for _, cookie := range []string{early, before} {
		if got := h.bySession(t, cookie); got != string(fault.SessionRequired) {
			t.Errorf("a session from before sees %s", got)
		}
	}
}

func TestTheOldestSessionMakesRoom(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.SetSignInRules(access.SignInRules{Sessions: 3, Idle: time.Hour, Life: 2 * time.Hour})
	h.join(t, "a@example.com", "acme", access.Owner)
	h.pass(time.Second)
	var cookies []string
	for range 4 {
		h.pass(time.Second)
		_, cookie := h.come(t, "a@example.com")
		cookies = append(cookies, cookie)
	}
	for i, cookie := range cookies {
		if _, err := h.BySession(t.Context(), cookie); (err == nil) != (i > 0) {
			t.Errorf("session %d: %v", i, err)
		}
	}
	h.pass(50 * time.Minute)
	if _, err := h.BySession(t.Context(), cookies[1]); err != nil {
		t.Error(err)
	}
	h.pass(50 * time.Minute)
	if _, err := h.BySession(t.Context(), cookies[1]); err != nil {
		t.Error(err)
	}
	if _, err := h.BySession(t.Context(), cookies[2]); code(err) != fault.SessionRequired {
		t.Errorf("idle for longer than an hour: %v", err)
	}
	h.pass(30 * time.Minute)
	if _, err := h.BySession(t.Context(), cookies[1]); code(err) != fault.SessionRequired {
		t.Errorf("older than two hours: %v", err)
	}
}
