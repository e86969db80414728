package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/uid"
)

func keysEdited(t *testing.T, s access.Store) {
	k := key("k", "default", noon)
	must(t, s.InsertKey(t.Context(), k, entry("key.create")))
	want, err := s.UpdateKey(t.Context(), k.ID, func(k *access.Key) (access.Entry, error) {
		k.Name, k.Idle, k.CIDRs = "other", time.Hour, []string{"10.0.0.0/8", "192.0.2.0/24"}
		k.Scope = access.Scope{Groups: []access.Group{access.GroupChat}, Models: []string{"a", "b"}}
		k.ExpiresAt = noon.Add(time.Hour)
		k.Secrets = append([]access.Secret{{Hash: strings.Repeat("a", 64)}}, k.Secrets...)
		return entry("key.update"), nil
	})
	must(t, err)
	keys, err := s.FindKeys(t.Context(), access.KeyFilter{})
	must(t, err)
	if diff := cmp.Diff([]access.Key{want}, keys); diff != "" {
		t.Errorf("edited key changed in the store:\n%s", diff)
	}
}

func secretsProved(t *testing.T, s access.Store) {
	k, other := key("k", "default", noon), key("other", "default", noon)
	k.Secrets = append(k.Secrets, access.Secret{Hash: "old", Until: 5}, access.Secret{Hash: "older", Until: 4})
	must(t, s.InsertKey(t.Context(), k, entry("key.create")))
	must(t, s.InsertKey(t.Context(), other, entry("key.create")))
	before, _, err := s.Revisions(t.Context())
	must(t, err)
	must(t, s.ProveSecrets(t.Context(), map[string][]string{k.ID: {"old", "unknown"}, "key_none": {"x"}}))
	changed, err := s.KeysSince(t.Context(), before)
	must(t, err)
	if len(changed) != 1 || changed[0].ID != k.ID {
		t.Fatalf("changed %+v", changed)
	}
	for i, want := range []bool{false, true, false} {
		if changed[0].Secrets[i].Used != want {
			t.Errorf("secret %d used: %t", i, !want)
		}
	}
}

func usesRead(t *testing.T, s access.Store) {
	a, b := key("a", "default", noon), key("b", "default", noon)
	must(t, s.InsertKey(t.Context(), a, entry("key.create")))
	must(t, s.InsertKey(t.Context(), b, entry("key.create")))
	must(t, s.TouchKeys(t.Context(), map[string]time.Time{a.ID: noon, b.ID: noon.Add(time.Minute)}))
	used, err := s.UsesSince(t.Context(), noon)
	must(t, err)
	if diff := cmp.Diff(map[string]time.Time{b.ID: noon.Add(time.Minute)}, used); diff != "" {
		t.Error(diff)
	}
}

func policies(t *testing.T, s access.Store) {
	must(t, s.InsertWorkspace(t.Context(), access.Workspace{ID: "acme", CreatedAt: noon}, entry("workspace.create")))
	if p, err := s.Policy(t.Context(), "acme"); err != nil || cmp.Diff(access.Policy{}, p) != "" {
		t.Errorf("a new workspace's policy is %+v, %v", p, err)
	}
	if _, err := s.Policy(t.Context(), "none"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("of no workspace: %v", err)
	}
	before, _, err := s.Revisions(t.Context())
	must(t, err)
	want := access.Policy{
		Models: []string{"a/*"}, Providers: []string{"p"}, Scopes: []access.Group{access.GroupChat}, Environments: []access.Environment{access.Production},
		CIDRs: []string{"10.0.0.0/8"}, LifeMS: 1 << 40, IdleMS: 7, EndWithCreator: true, NoCapture: true,
	}
	_, err = s.UpdatePolicy(t.Context(), "acme", func(p *access.Policy) (access.Entry, error) {
		*p = want
		return entry("workspace.policy"), nil
	})
	must(t, err)
	if got, err := s.Policy(t.Context(), "acme"); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("policy %+v, %v", got, err)
	}
	list, err := s.PoliciesSince(t.Context(), before)
	must(t, err)
	if diff := cmp.Diff([]access.PolicyOf{{Workspace: "acme", Policy: want}}, list); diff != "" {
		t.Error(diff)
	}
	after, _, err := s.Revisions(t.Context())
	must(t, err)
	if list, err := s.PoliciesSince(t.Context(), after); err != nil || len(list) != 0 {
		t.Errorf("after the latest revision: %v, %v", list, err)
	}
	_, err = s.UpdatePolicy(t.Context(), "none", func(*access.Policy) (access.Entry, error) { return entry("workspace.policy"), nil })
	if !errors.Is(err, access.ErrNotFound) {
		t.Errorf("setting the policy of no workspace: %v", err)
	}
}

func departed(t *testing.T, s access.Store) {
	makers := make(map[string]string)
	for _, role := range []access.Role{access.Member, access.Owner, access.Viewer} {
		u := access.User{ID: uid.New("usr"), Email: string(role) + "@example.com", CreatedAt: noon}
		must(t, s.InsertPerson(t.Context(), "default", access.Person{User: u, Role: role}, entry("user.create")))
		makers[string(role)] = u.ID
	}
	boss := access.User{ID: uid.New("usr"), Email: "boss@example.com", Admin: true, CreatedAt: noon}
	must(t, s.InsertPerson(t.Context(), "default", access.Person{User: boss}, entry("user.create")))
	makers["boss"], makers["gone"], makers["tool"], makers["unknown"] = boss.ID, uid.New("usr"), "command-line", ""
	for name, id := range makers {
		k := key(name, "default", noon)
		k.Creator = id
		must(t, s.InsertKey(t.Context(), k, entry("key.create")))
		k = key(name, "elsewhere", noon)
		k.Creator = id
		must(t, s.InsertKey(t.Context(), k, entry("key.create")))
	}
	list, err := s.ListDeparted(t.Context())
	must(t, err)
	got := make(map[string]bool)
	for _, d := range list {
		got[fmt.Sprint(d)] = true
	}
	want := make(map[string]bool)
	for _, name := range []string{"viewer", "gone"} {
		want[fmt.Sprint(access.Departed{Workspace: "default", User: makers[name]})] = true
	}
	for _, name := range []string{"viewer", "gone", "member", "owner"} {
		want[fmt.Sprint(access.Departed{Workspace: "elsewhere", User: makers[name]})] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("departed (-want +got):\n%s", diff)
	}
	keys, err := s.FindKeys(t.Context(), access.KeyFilter{Workspace: "default"})
	must(t, err)
	for _, k := range keys {
		if k.Name == "owner" && k.CreatorName != "owner@example.com" {
			t.Errorf("made by %q", k.CreatorName)
		}
	}
}

func presence(t *testing.T, s access.Store) {
	u := access.User{ID: uid.New("usr"), Email: "a@example.com", CreatedAt: noon}
	must(t, s.InsertPerson(t.Context(), "default", access.Person{User: u, Role: access.Member}, entry("user.create")))
	v := access.Session{ID: uid.New("ses"), Hash: "h1", User: u.ID, Workspace: "default", CreatedAt: noon, SeenAt: noon}
	must(t, s.InsertSession(t.Context(), v, 20, false, entry("session.signin")))
	for workspace, want := range map[string]access.Role{"default": access.Member, "other": ""} {
		got, err := s.FindPresent(t.Context(), v.ID, workspace)
		if err != nil || got.Role != want || got.User.ID != u.ID || !got.Session.SeenAt.Equal(noon) {
			t.Errorf("%s: %+v, %v", workspace, got, err)
		}
	}
	if _, err := s.FindPresent(t.Context(), "ses_none", "default"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("no session: %v", err)
	}
}

func followers(t *testing.T, s access.Store) {
	for node, at := range map[string]time.Time{"node_1": noon, "node_2": noon.Add(time.Minute)} {
		must(t, s.FollowKeys(t.Context(), node, 7, at))
	}
	for _, test := range []struct {
		revision int64
		since    time.Time
		want     int
	}{{7, noon, 0}, {8, noon, 2}, {8, noon.Add(time.Second), 1}} {
		if got, err := s.Behind(t.Context(), test.revision, test.since); err != nil || got != test.want {
			t.Errorf("behind %d since %v: %d, %v", test.revision, test.since, got, err)
		}
	}
	must(t, s.FollowKeys(t.Context(), "node_1", 8, noon.Add(time.Minute)))
	must(t, s.UnfollowKeys(t.Context(), "node_2"))
	if got, err := s.Behind(t.Context(), 8, noon); err != nil || got != 0 {
		t.Errorf("behind %d, %v", got, err)
	}
}
