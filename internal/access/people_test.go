package access_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

// add lets a person into the default workspace.
func (h *house) add(t *testing.T, email string, role access.Role) {
	t.Helper()
	if _, _, err := h.AddPerson(t.Context(), admin, access.NewPerson{Email: email, Role: role, Password: password}); err != nil {
		t.Fatal(err)
	}
}

// join lets a person into a workspace and signs them in, through an identity
// provider: hashing passwords takes long.
func (h *house) join(t *testing.T, email, workspace string, role access.Role) access.Visitor {
	t.Helper()
	_, _, err := h.AddPerson(t.Context(), access.CommandLine(workspace), access.NewPerson{Email: email, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := h.come(t, email)
	return v
}

func (h *house) come(t *testing.T, email string) (access.Visitor, string) {
	t.Helper()
	v, cookie, err := h.SignOn(t.Context(), access.Identity{Subject: "id " + email, Email: email, Verified: true}, access.SignOnRules{}, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	return v, cookie
}

func TestRolesAreThoseOfTheWorkspace(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for role, want := range map[access.Role]access.Role{
		access.Viewer: access.Viewer, access.Member: access.Member, access.Owner: access.Owner, access.Administrator: access.Owner,
	} {
		v := h.join(t, string(role)+"@example.com", "acme", role)
		home := "acme"
		if role == access.Administrator {
			home = access.DefaultWorkspace
		}
		if v.Role != want || v.Session.Workspace != home || v.Principal().Role != want {
			t.Errorf("%s is %s in %s", role, v.Role, v.Session.Workspace)
		}
	}
	if _, _, err := h.AddPerson(t.Context(), admin, access.NewPerson{Email: "x@example.com", Role: "king"}); code(err) != fault.InvalidParameter {
		t.Errorf("an unknown role: %v", err)
	}
}

func TestAViewersPrincipalMakesNoKeys(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	viewer := h.join(t, "v@example.com", "acme", access.Viewer).Principal()
	member := h.join(t, "m@example.com", "acme", access.Member).Principal()
	k, _, err := h.CreateKey(t.Context(), member, access.NewKey{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, create := h.CreateKey(t.Context(), viewer, access.NewKey{Name: "x"})
	_, _, rotate := h.RotateKey(t.Context(), viewer, k.ID, access.Rotation{})
	_, revoke := h.RevokeKey(t.Context(), viewer, k.ID)
	for what, err := range map[string]error{"create": create, "rotate": rotate, "revoke": revoke} {
		if code(err) != fault.PermissionDenied {
			t.Errorf("%s: %v", what, err)
		}
	}
	if keys, err := h.Keys(t.Context(), viewer, ""); err != nil || len(keys) != 1 {
		t.Errorf("a viewer sees %d keys, %v", len(keys), err)
	}
	if _, err := h.Keys(t.Context(), viewer, "other"); code(err) != fault.PermissionDenied {
		t.Errorf("keys of another workspace: %v", err)
	}
	if _, err := h.RevokeKey(t.Context(), member, k.ID); err != nil {
		t.Error(err)
	}
}

func TestOnlyOwnersManagePeople(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.join(t, "o@example.com", "acme", access.Owner)
	root := h.join(t, "root@example.com", "acme", access.Administrator)
	for _, who := range []access.Visitor{
		h.join(t, "v@example.com", "acme", access.Viewer), h.join(t, "m@example.com", "acme", access.Member),
		h.join(t, "other@example.com", "other", access.Owner),
	} {
		p := who.Principal()
		_, _, add := h.AddPerson(t.Context(), p, access.NewPerson{Email: "new@example.com", Role: access.Viewer})
		_, role := h.SetRole(t.Context(), p, owner.User.ID, access.Viewer)
		_, remove := h.Remove(t.Context(), p, owner.User.ID)
		_, _, reset := h.ResetLink(t.Context(), p, owner.User.ID)
		_, end := h.EndSessionsOf(t.Context(), p, owner.User.ID)
		_, gone := h.Delete(t.Context(), p, owner.User.ID)
		for what, err := range map[string]error{"add": add, "role": role, "remove": remove, "reset": reset, "end": end, "delete": gone} {
			foreign := who.Session.Workspace == "other"
			if foreign && what == "add" {
				continue // in their own workspace they may
			}
			if code(err) != fault.PermissionDenied && (!foreign || !errors.Is(err, access.ErrNotFound)) {
				t.Errorf("%s as %s: %v", what, who.User.Email, err)
			}
		}
	}
	// An owner is no administrator: neither of others nor of themselves.
	p := owner.Principal()
	_, promote := h.SetRole(t.Context(), p, owner.User.ID, access.Administrator)
	_, demote := h.SetRole(t.Context(), p, root.User.ID, access.Viewer)
	_, _, reset := h.ResetLink(t.Context(), p, root.User.ID)
	_, end := h.EndSessionsOf(t.Context(), p, root.User.ID)
	_, gone := h.Delete(t.Context(), p, owner.User.ID)
	_, _, add := h.AddPerson(t.Context(), p, access.NewPerson{Email: "a@example.com", Role: access.Administrator})
	_, accounts := h.Accounts(t.Context(), p)
	_, workspace := h.CreateWorkspace(t.Context(), p, "mine", "")
	for what, err := range map[string]error{
		"promote": promote, "demote": demote, "reset": reset, "end": end, "delete": gone, "add": add, "accounts": accounts, "workspace": workspace,
	} {
		if code(err) != fault.PermissionDenied {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestTheLastOwnerAndAdministratorStay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.join(t, "o@example.com", "acme", access.Owner)
	root := h.join(t, "root@example.com", "default", access.Administrator)
	refused := func(what string, err error) {
		t.Helper()
		if code(err) != fault.InvalidParameter || !strings.Contains(err.Error(), "last") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := h.SetRole(t.Context(), owner.Principal(), owner.User.ID, access.Viewer)
	refused("the last owner demotes themself", err)
	_, err = h.Remove(t.Context(), owner.Principal(), owner.User.ID)
	refused("the last owner leaves", err)
	_, err = h.SetRole(t.Context(), root.Principal(), root.User.ID, access.Member)
	refused("the last administrator demotes themself", err)
	_, err = h.Delete(t.Context(), admin, root.User.ID)
	refused("the last administrator is deleted", err)

	second := h.join(t, "o2@example.com", "acme", access.Owner)
	if _, err := h.SetRole(t.Context(), second.Principal(), owner.User.ID, access.Viewer); err != nil {
		t.Errorf("one of two owners: %v", err)
	}
	if _, err := h.SetRole(t.Context(), access.CommandLine("acme"), second.User.ID, access.Administrator); err != nil {
		t.Fatal(err)
	}
	if _, err := h.SetRole(t.Context(), admin, root.User.ID, access.Member); err != nil {
		t.Errorf("one of two administrators: %v", err)
	}
}

func TestARoleCountsFromTheNextClick(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, _, err := h.AddPerson(t.Context(), access.CommandLine("acme"), access.NewPerson{Email: "v@example.com", Role: access.Viewer})
	if err != nil {
		t.Fatal(err)
	}
	_, cookie := h.come(t, "v@example.com")
	role := func() access.Role {
		v, err := h.BySession(t.Context(), cookie)
		if err != nil {
			return access.Role(err.Error())
		}
		return v.Role
	}
	acme := access.CommandLine("acme")
	if _, err := h.SetRole(t.Context(), acme, p.ID, access.Member); err != nil || role() != access.Member {
		t.Errorf("role %s, %v", role(), err)
	}
	if _, err := h.SetRole(t.Context(), acme, p.ID, access.Administrator); err != nil || role() != access.Owner {
		t.Errorf("role %s, %v", role(), err)
	}
	if _, err := h.SetRole(t.Context(), admin, p.ID, access.Viewer); code(err) != fault.InvalidParameter {
		t.Errorf("the only administrator: %v", err)
	}
	h.join(t, "root@example.com", "default", access.Administrator)
	if _, err := h.SetRole(t.Context(), acme, p.ID, access.Owner); err != nil || role() != access.Owner {
		t.Errorf("role %s, %v", role(), err)
	}
	// In two workspaces: what happens in one is not the other's business.
	if _, _, err := h.AddPerson(t.Context(), access.CommandLine("zoo"), access.NewPerson{Email: "v@example.com", Role: access.Member}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Remove(t.Context(), acme, p.ID); err != nil || role() != "" {
		t.Errorf("after leaving: %q, %v", role(), err)
	}
	v, err := h.BySession(t.Context(), cookie)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.SwitchWorkspace(t.Context(), v, "acme"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("going back: %v", err)
	}
	if err := h.SwitchWorkspace(t.Context(), v, "zoo"); err != nil || role() != access.Member {
		t.Errorf("going on: %q, %v", role(), err)
	}
	if _, err := h.Remove(t.Context(), access.CommandLine("zoo"), p.ID); err != nil || !strings.Contains(string(role()), "session_required") {
		t.Errorf("after leaving the last one: %q, %v", role(), err)
	}
}

func TestALinkLetsInOnceAndForThreeDays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, secret, err := h.AddPerson(t.Context(), access.CommandLine("acme"), access.NewPerson{Email: "New@example.com", Role: access.Viewer})
	if err != nil || secret == "" {
		t.Fatal(secret, err)
	}
	if _, _, err := h.SignIn(t.Context(), "new@example.com", "", access.Browser{}); code(err) != fault.PermissionDenied {
		t.Errorf("without a password: %v", err)
	}
	if i, err := h.Invitation(t.Context(), secret); i.Email != "new@example.com" || err != nil {
		t.Errorf("the link is of %q, %v", i.Email, err)
	}
	if _, _, err := h.FollowLink(t.Context(), secret, "short", access.Browser{}); code(err) != fault.InvalidParameter {
		t.Errorf("a short password: %v", err)
	}
	v, cookie, err := h.FollowLink(t.Context(), secret, password, access.Browser{})
	if err != nil || v.Role != access.Viewer || v.Session.Workspace != "acme" {
		t.Fatalf("%+v, %v", v, err)
	}
	if _, _, err := h.FollowLink(t.Context(), secret, password, access.Browser{}); code(err) != fault.NotFound {
		t.Errorf("again: %v", err)
	}
	_, first, err := h.ResetLink(t.Context(), access.CommandLine("acme"), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := h.ResetLink(t.Context(), access.CommandLine("acme"), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Invitation(t.Context(), first); code(err) != fault.NotFound {
		t.Errorf("a link that was replaced: %v", err)
	}
	if _, err := h.BySession(t.Context(), cookie); err != nil {
		t.Errorf("a link that was not followed ended the session: %v", err)
	}
	if _, _, err := h.FollowLink(t.Context(), second, password+"!", access.Browser{}); err != nil {
		t.Error(err)
	}
	if _, err := h.BySession(t.Context(), cookie); code(err) != fault.SessionRequired {
		t.Errorf("the session before the new password: %v", err)
	}
	_, late, err := h.ResetLink(t.Context(), access.CommandLine("acme"), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	h.pass(72*time.Hour + time.Second)
	if _, _, err := h.FollowLink(t.Context(), late, password, access.Browser{}); code(err) != fault.NotFound {
		t.Errorf("after three days: %v", err)
	}
}

// The maker of a link can become that person: it must not open more than the
// maker owns.
func TestALinkOpensNothingOfOtherWorkspaces(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mallory := h.join(t, "mallory@example.com", "acme", access.Owner)
	victim, secret, err := h.AddPerson(t.Context(), mallory.Principal(), access.NewPerson{Email: "v@example.com", Role: access.Viewer})
	if err != nil {
		t.Fatal(err)
	}
	_, theirs, err := h.AddPerson(t.Context(), access.CommandLine("bank"), access.NewPerson{Email: "v@example.com", Role: access.Owner})
	if err != nil || theirs == "" {
		t.Fatalf("no link for somebody without a password: %v", err)
	}
	if _, err := h.Invitation(t.Context(), secret); code(err) != fault.NotFound {
		t.Errorf("the link of the other workspace's owner: %v", err)
	}
	if _, _, err := h.ResetLink(t.Context(), mallory.Principal(), victim.ID); code(err) != fault.PermissionDenied {
		t.Errorf("a link for somebody of another workspace: %v", err)
	}
	if _, _, err := h.AddPerson(t.Context(), mallory.Principal(), access.NewPerson{Email: "v@example.com", Role: access.Viewer}); code(err) != fault.InvalidParameter {
		t.Errorf("adding them again: %v", err)
	}
}

func TestChangingThePasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.add(t, "a@example.com", access.Viewer)
	_, other, err := h.SignIn(t.Context(), "a@example.com", password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	_, cookie, err := h.SignIn(t.Context(), "a@example.com", password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.BySession(t.Context(), cookie)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.ChangePassword(t.Context(), v, "wrong", password+"!"); code(err) != fault.InvalidParameter {
		t.Errorf("a wrong password: %v", err)
	}
	if err := h.ChangePassword(t.Context(), v, password, "short"); code(err) != fault.InvalidParameter {
		t.Errorf("a short one: %v", err)
	}
	if err := h.ChangePassword(t.Context(), v, password, password+"!"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.BySession(t.Context(), other); code(err) != fault.SessionRequired {
		t.Errorf("another session: %v", err)
	}
	if v, err = h.BySession(t.Context(), cookie); err != nil {
		t.Errorf("this session: %v", err)
	}
	for range 5 {
		if err := h.ChangePassword(t.Context(), v, "wrong", password); code(err) != fault.InvalidParameter {
			t.Errorf("guessing: %v", err)
		}
	}
	if err = h.ChangePassword(t.Context(), v, password+"!", password); code(err) != fault.RateLimited {
		t.Errorf("guessing: %v", err)
	}
}

func TestSessionsAreTheirOwners(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	one, other := h.join(t, "a@example.com", "acme", access.Owner), h.join(t, "b@example.com", "acme", access.Viewer)
	if err := h.EndSession(t.Context(), other, one.Session.ID); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("ending another's session: %v", err)
	}
	if list, err := h.Sessions(t.Context(), other); err != nil || len(list) != 1 || list[0].ID != other.Session.ID {
		t.Errorf("%+v, %v", list, err)
	}
	if n, err := h.EndSessionsOf(t.Context(), one.Principal(), other.User.ID); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	h.pass(25 * time.Hour)
	if list, err := h.Sessions(t.Context(), one); err != nil || len(list) != 0 {
		t.Errorf("%d sessions that ended are listed, %v", len(list), err)
	}
}

func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	acme := access.CommandLine("acme")
	v := h.join(t, "o@example.com", "acme", access.Owner)
	who := v.Principal()
	p, secret, err := h.AddPerson(t.Context(), who, access.NewPerson{Email: "v@example.com", Role: access.Viewer})
	if err != nil {
		t.Fatal(err)
	}
	guest, _, err := h.FollowLink(t.Context(), secret, password, access.Browser{Remote: "192.0.2.7"})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 { // one is written, three follow it
		_, _, _ = h.SignIn(t.Context(), "v@example.com", "wrong", access.Browser{Remote: "192.0.2.9"})
	}
	k, _, err := h.CreateKey(t.Context(), who, access.NewKey{Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, rotate := h.RotateKey(t.Context(), who, k.ID, access.Rotation{})
	_, revoke := h.RevokeKey(t.Context(), who, k.ID)
	_, role := h.SetRole(t.Context(), who, p.ID, access.Member)
	_, same := h.SetRole(t.Context(), who, p.ID, access.Member) // changes nothing
	_, _, reset := h.ResetLink(t.Context(), who, p.ID)
	out := h.SignOut(t.Context(), guest)
	_, remove := h.Remove(t.Context(), who, p.ID)
	_, _, again := h.AddPerson(t.Context(), who, access.NewPerson{Email: "v@example.com", Role: access.Member})
	_, gone := h.Delete(t.Context(), acme, p.ID)
	if err := errors.Join(rotate, revoke, role, same, reset, out, remove, again, gone); err != nil {
		t.Fatal(err)
	}
	entries, err := h.Audit(t.Context(), who, access.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range slices.Backward(entries) {
		got = append(got, e.Action)
		if strings.Contains(e.Detail, secret) || e.Workspace != "acme" {
			t.Errorf("%+v", e)
		}
	}
	slices.Sort(got) // many have one moment
	want := []string{
		"key.create", "key.revoke", "key.rotate", "session.refuse", "session.signin", "session.signin", "session.signout",
		"user.add", "user.create", "user.create", "user.delete", "user.password", "user.remove", "user.reset", "user.role", "user.signon",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the log says\n%v, want\n%v", got, want)
	}
	if _, err := h.Audit(t.Context(), access.Principal{User: "usr_1", Workspace: "acme", Role: access.Member}, access.Filter{Limit: 1}); code(err) != fault.PermissionDenied {
		t.Errorf("a member reads the log: %v", err)
	}
}
