package access_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/revision"
	"stele/internal/seal"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run follows the keys in the background until the test ends.
func run(t *testing.T, h *house) {
	t.Helper()
	follower := revision.Follower{Read: h.store.AllRevisions, Log: discard(), Subscribers: []revision.Subscriber{h.Subscriber()}}
	var both sync.WaitGroup
	both.Go(func() { h.Run(t.Context(), discard()) })
	both.Go(func() { follower.Run(t.Context()) })
	t.Cleanup(both.Wait)
}

func (h *house) policy(t *testing.T, workspace string, p access.Policy) {
	t.Helper()
	_, err := h.SetPolicy(t.Context(), admin, workspace, p)
	must(t, err)
}

func TestAPolicyNarrowsWhatKeysOpen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, secret := h.create(t, access.NewKey{Workspace: "acme", Scope: access.Scope{Models: []string{"openai/*", "fast"}}})
	_, other := h.create(t, access.NewKey{})
	h.policy(t, "acme", access.Policy{
		Models: []string{"openai/gpt*"}, Providers: []string{"openai", "azure-*"}, Scopes: []access.Group{access.GroupChat}, NoCapture: true,
	})
	who, _, err := h.Admit(secret, "")
	must(t, err)
	for id, want := range map[string]bool{"openai/gpt-5": true, "openai/o9": false, "fast": false, "gpt": false} {
		if who.Scope.AllowsModel(id) != want {
			t.Errorf("model %s: open %t", id, !want)
		}
	}
	for name, want := range map[string]bool{"openai": true, "azure-eu": true, "openai2": false, "": false} {
		if who.Scope.AllowsProvider(name) != want {
			t.Errorf("provider %s: open %t", name, !want)
		}
	}
	if !who.Scope.Allows(access.GroupChat) || who.Scope.Allows(access.GroupMedia) || who.Scope.AllowsCapture() {
		t.Errorf("scope %+v", who.Scope)
	}
	if free, _, err := h.Admit(other, ""); err != nil || free.Scope.Policy != nil {
		t.Errorf("another workspace's key: %+v, %v", free, err)
	}
	_, tries := h.create(t, access.NewKey{Workspace: "acme", Sandbox: true})
	if who, _, err := h.Admit(tries, ""); err != nil || !who.Scope.AllowsProvider("another") || who.Scope.AllowsModel("fast") {
		t.Errorf("the sandbox asks no provider: %+v, %v", who.Scope, err)
	}
	if s := h.ScopeOf("acme"); s.AllowsModel("fast") || !s.AllowsModel("openai/gpt-5") {
		t.Error("the policy does not count for people")
	}
	h.policy(t, "acme", access.Policy{})
	if who, _, err = h.Admit(secret, ""); err != nil || !who.Scope.AllowsModel("fast") || !who.Scope.AllowsCapture() {
		t.Errorf("a policy that was taken back: %+v, %v", who, err)
	}
}

func TestAPolicyRefusesWishesThatItCannotGrant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.create(t, access.NewKey{Workspace: "acme"})
	h.policy(t, "acme", access.Policy{
		Models: []string{"openai/*"}, Scopes: []access.Group{access.GroupChat, access.GroupModels},
		Environments: []access.Environment{access.Production}, LifeMS: (48 * time.Hour).Milliseconds(), IdleMS: time.Hour.Milliseconds(),
	})
	good := access.NewKey{Name: "n", Workspace: "acme", Environment: access.Production}
	k, _ := h.create(t, good)
	for field, wish := range map[string]func(*access.NewKey, *access.KeyEdit){
		"environment": func(n *access.NewKey, _ *access.KeyEdit) { n.Environment = access.Development },
		"scope": func(n *access.NewKey, e *access.KeyEdit) {
			n.Scope.Groups = []access.Group{access.GroupChat, access.GroupApps}
			e.Groups = &n.Scope.Groups
		},
		"models": func(n *access.NewKey, e *access.KeyEdit) {
			n.Scope.Models = []string{"openai/gpt", "*"}
			e.Models = &n.Scope.Models
		},
		"expires":      func(n *access.NewKey, e *access.KeyEdit) { n.Lifetime = 49 * time.Hour; e.Lifetime = &n.Lifetime },
		"idle_expires": func(n *access.NewKey, e *access.KeyEdit) { n.Idle = 2 * time.Hour; e.Idle = &n.Idle },
	} {
		n, edit := good, access.KeyEdit{}
		wish(&n, &edit)
		_, _, err := h.CreateKey(t.Context(), admin, n)
		if code(err) != fault.InvalidParameter || fault.From(err).Details["field"] != field || !strings.Contains(err.Error(), "policy") {
			t.Errorf("making with %s: %v", field, err)
		}
		if edit == (access.KeyEdit{}) {
			continue
		}
		_, err = h.EditKey(t.Context(), admin, k.ID, edit)
		if code(err) != fault.InvalidParameter || fault.From(err).Details["field"] != field {
			t.Errorf("editing %s: %v", field, err)
		}
	}
	n := good
	n.Lifetime, n.Idle, n.Scope = 48*time.Hour, time.Hour, access.Scope{Groups: []access.Group{access.GroupChat}, Models: []string{"openai/gpt*"}}
	h.create(t, n)
}

func TestAPolicyEndsKeysThatAreThere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		policy access.Policy
		code   fault.Code
	}{
		"life":        {access.Policy{LifeMS: time.Hour.Milliseconds()}, fault.InvalidAPIKey},
		"idle":        {access.Policy{IdleMS: time.Hour.Milliseconds()}, fault.InvalidAPIKey},
		"environment": {access.Policy{Environments: []access.Environment{access.Production}}, fault.PermissionDenied},
		"address":     {access.Policy{CIDRs: []string{"198.51.100.0/24"}}, fault.PermissionDenied},
	} {
		folder, master := t.TempDir(), seal.New()
		h, cli := openHouse(t, folder, master), openHouse(t, folder, master)
		_, secret := h.create(t, access.NewKey{})
		h.pass(2 * time.Hour)
		_, pass, err := h.Admit(secret, "192.0.2.7")
		must(t, err)
		h.pass(2 * time.Hour)
		ctx, release := h.Hold(t.Context(), pass, access.GroupChat)
		cli.policy(t, access.DefaultWorkspace, test.policy)
		must(t, h.Load(t.Context()))
		if _, _, err := h.Admit(secret, "192.0.2.7"); code(err) != test.code {
			t.Errorf("%s: %v", name, err)
		}
		if ended := access.WhyEnded(ctx); name != "idle" && (ended == nil || ended.Code != test.code) {
			t.Errorf("%s: what was being answered goes on: %v", name, ended)
		} else if name == "idle" && ended != nil {
			t.Errorf("a key in use is not idle: %v", ended)
		}
		release()
	}
}

func TestKeysAreBoundToAddresses(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, secret := h.create(t, access.NewKey{CIDRs: []string{"10.1.2.3/8", "192.0.2.7", "2001:db8::/32", "::ffff:198.51.100.0/120"}})
	for from, want := range map[string]bool{
		"10.200.0.1": true, "::ffff:10.0.0.1": true, "192.0.2.7": true, "192.0.2.8": false, "2001:db8::1": true, "2001:db8::1%eth0": true,
		"2001:db9::1": false, "198.51.100.9": true, "": false, "@": false, "nonsense": false, "11.0.0.1": false,
	} {
		who, _, err := h.Admit(secret, from)
		if want != (err == nil) || (!want && (code(err) != fault.PermissionDenied || who.Key == "" || !strings.Contains(fault.From(err).Message, from))) {
			t.Errorf("from %q: %v", from, err)
		}
	}
	if _, _, err := h.Admit("sk_dev_nonsense", "11.0.0.1"); code(err) != fault.InvalidAPIKey {
		t.Errorf("an unknown key was told about addresses: %v", err)
	}
}

func TestAnAddressThatIsRefusedIsNoUse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, first := h.create(t, access.NewKey{CIDRs: []string{"10.0.0.0/8"}})
	second := h.rotate(t, k.ID, access.Rotation{})
	if _, _, err := h.Admit(second, "11.0.0.1"); err == nil {
		t.Fatal("let in")
	}
	if _, _, err := h.Admit(first, "10.0.0.1"); err != nil {
		t.Error("a refused call counted as the first use of the newest secret")
	}
}

func TestUnusedKeysEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, secret := h.create(t, access.NewKey{Idle: time.Hour})
	for range 5 { // used now and then it goes on
		h.pass(50 * time.Minute)
		if !h.opens(secret) {
			t.Fatal("ended in use")
		}
	}
	h.pass(time.Hour)
	if !h.opens(secret) {
		t.Fatal("ended early")
	}
	h.pass(time.Hour + time.Minute)
	if h.opens(secret) {
		t.Fatal("works although nobody used it")
	}
	keys, err := h.Keys(t.Context(), admin, "")
	must(t, err)
	if got := keys[0].Status(h.clock()); got != "idle" || len(keys[0].WorkingSecrets(h.clock())) != 0 {
		t.Errorf("status %s", got)
	}
	longer := 24 * time.Hour
	_, err = h.EditKey(t.Context(), admin, k.ID, access.KeyEdit{Idle: &longer})
	must(t, err)
	if !h.opens(secret) {
		t.Error("an owner who gives it more time does not bring it back")
	}
}

func TestAKeyThatIsUsedElsewhereIsNotIdle(t *testing.T) {
	t.Parallel()
	folder, master := t.TempDir(), seal.New()
	one, other := openHouse(t, folder, master), openHouse(t, folder, master)
	_, secret := one.create(t, access.NewKey{Idle: time.Hour})
	must(t, other.Load(t.Context()))
	one.pass(50 * time.Minute)
	if !one.opens(secret) {
		t.Fatal("refused")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	one.Run(ctx, discard()) // saves the use
	other.pass(70 * time.Minute)
	must(t, other.Look(t.Context()))
	if !other.opens(secret) {
		t.Error("a key in use on another server is refused as idle")
	}
}

func TestKeysEndWithThePersonWhoMadeThem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.principal(t, "owner@example.com", access.Owner)
	for name, end := range map[string]func(p access.Person) error{
		"removed": func(p access.Person) error { _, err := h.Remove(t.Context(), owner, p.ID); return err },
		"deleted": func(p access.Person) error { _, err := h.Delete(t.Context(), admin, p.ID); return err },
		"demoted": func(p access.Person) error {
			_, err := h.SetRole(t.Context(), owner, p.ID, access.Viewer)
			return err
		},
	} {
		who := h.principal(t, name+"@example.com", access.Member)
		_, secret, err := h.CreateKey(t.Context(), who, access.NewKey{Name: name})
		must(t, err)
		_, ours := h.create(t, access.NewKey{})
		_, pass, err := h.Admit(secret, "192.0.2.1")
		must(t, err)
		ctx, release := h.Hold(t.Context(), pass, access.GroupChat)
		h.policy(t, access.DefaultWorkspace, access.Policy{EndWithCreator: true})
		if !h.opens(secret) {
			t.Fatalf("%s: ended before", name)
		}
		must(t, end(access.Person{User: access.User{ID: who.User}}))
		must(t, h.Load(t.Context()))
		if h.opens(secret) || access.WhyEnded(ctx) == nil {
			t.Errorf("%s: the key goes on", name)
		}
		if !h.opens(ours) {
			t.Errorf("%s: a key that no person made ended", name)
		}
		h.policy(t, access.DefaultWorkspace, access.Policy{})
		if !h.opens(secret) {
			t.Errorf("%s: without the policy the key goes on", name)
		}
		release()
	}
}

// principal lets a person into the default workspace and gives the principal they are.
func (h *house) principal(t *testing.T, email string, role access.Role) access.Principal {
	t.Helper()
	p, _, err := h.AddPerson(t.Context(), admin, access.NewPerson{Email: email, Role: role, Password: "correct horse battery"})
	must(t, err)
	return access.Principal{Workspace: access.DefaultWorkspace, User: p.ID, Role: role}
}

func TestMembersChangeTheirOwnKeysAndOwnersAll(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mine, other := h.principal(t, "a@example.com", access.Member), h.principal(t, "b@example.com", access.Member)
	owner := h.principal(t, "o@example.com", access.Owner)
	name := "renamed"
	acts := func(who access.Principal, id string) map[string]error {
		_, edit := h.EditKey(t.Context(), who, id, access.KeyEdit{Name: &name})
		_, _, rotate := h.RotateKey(t.Context(), who, id, access.Rotation{})
		_, revoke := h.RevokeKey(t.Context(), who, id)
		return map[string]error{"edit": edit, "rotate": rotate, "revoke": revoke}
	}
	for _, test := range []struct {
		who  access.Principal
		code fault.Code
	}{{mine, ""}, {owner, ""}, {other, fault.PermissionDenied}} {
		k, _, err := h.CreateKey(t.Context(), mine, access.NewKey{Name: "k"})
		must(t, err)
		for act, err := range acts(test.who, k.ID) {
			if code(err) != test.code {
				t.Errorf("%s by %s: %v", act, test.who.User, err)
			}
		}
	}
	keys, err := h.Keys(t.Context(), owner, "")
	must(t, err)
	if keys[0].Creator != mine.User || keys[0].CreatorName != "a@example.com" {
		t.Errorf("made by %s (%s)", keys[0].CreatorName, keys[0].Creator)
	}
	if _, err := h.SetPolicy(t.Context(), owner, access.DefaultWorkspace, access.Policy{}); code(err) != fault.PermissionDenied {
		t.Errorf("an owner set the policy: %v", err)
	}
}

func TestEditsAreWrittenDownWithOldAndNewValues(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, secret := h.create(t, access.NewKey{Name: "old", Scope: access.Scope{Models: []string{"a"}}})
	name, models, cidrs, life := " new ", []string{"b", "c"}, []string{"192.0.2.9/24"}, time.Hour
	edited, err := h.EditKey(t.Context(), admin, k.ID, access.KeyEdit{Name: &name, Models: &models, CIDRs: &cidrs, Lifetime: &life})
	must(t, err)
	if edited.Name != "new" || edited.CIDRs[0] != "192.0.2.0/24" || !edited.ExpiresAt.Equal(h.clock().Add(time.Hour)) {
		t.Errorf("edited %+v", edited)
	}
	who, _, err := h.Admit(secret, "192.0.2.1")
	must(t, err)
	if !who.Scope.AllowsModel("c") || who.Scope.AllowsModel("a") {
		t.Error("the edit does not count at once")
	}
	if _, err := h.EditKey(t.Context(), admin, k.ID, access.KeyEdit{Name: &name}); err != nil {
		t.Errorf("an edit that changes nothing: %v", err)
	}
	var got []access.Change
	for _, e := range h.store.entries {
		if e.Action == "key.update" {
			got = append(got, e.Changes...)
		}
	}
	want := map[string][2]string{
		"name": {"old", "new"}, "models": {"a", "b c"}, "cidrs": {"", "192.0.2.0/24"},
		"expires": {"", h.clock().Add(time.Hour).UTC().Format(time.RFC3339)},
	}
	if len(got) != len(want) {
		t.Errorf("changes %+v", got)
	}
	for _, c := range got {
		if want[c.Field] != [2]string{c.Old, c.New} {
			t.Errorf("change %+v", c)
		}
	}
	if _, err := h.RevokeKey(t.Context(), admin, k.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.EditKey(t.Context(), admin, k.ID, access.KeyEdit{Name: &name}); code(err) != fault.InvalidParameter {
		t.Errorf("editing a revoked key: %v", err)
	}
}
