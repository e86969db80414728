package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stele/internal/access"
)

func person(email string, role access.Role) access.Person {
	return access.Person{User: user(email, role == access.Administrator), Role: map[bool]access.Role{false: role}[role == access.Administrator]}
}

func insert(t *testing.T, s access.Store, workspace string, p access.Person) access.Person {
	t.Helper()
	must(t, s.InsertPerson(t.Context(), workspace, p, entry("user.create")))
	return p
}

func peopleComeBack(t *testing.T, s access.Store) {
	p := person("ada@example.com", access.Member)
	p.Subject, p.SeenAt = "https://id.example.com 7", noon.Add(time.Hour)
	p.Link = access.Link{Hash: "h", Until: noon.Add(72 * time.Hour)}
	insert(t, s, "acme", p)
	people, err := s.People(t.Context(), "acme")
	must(t, err)
	if diff := cmp.Diff([]access.Person{p}, people); diff != "" {
		t.Errorf("person changed in the store:\n%s", diff)
	}
	u, err := s.UserBySubject(t.Context(), p.Subject)
	must(t, err)
	if u.ID != p.ID {
		t.Errorf("by subject: %+v", u)
	}
	got, err := s.UpdatePerson(t.Context(), "acme", p.ID, func(p *access.Person, _ access.Left) (access.Settled, error) {
		p.Role, p.Admin, p.Password, p.Subject, p.Link = access.Viewer, true, "other", "", access.Link{}
		return access.Settled{Entry: entry("user.role")}, nil
	})
	must(t, err)
	people, err = s.People(t.Context(), "acme")
	must(t, err)
	if diff := cmp.Diff([]access.Person{got}, people); diff != "" || got.Role != access.Viewer {
		t.Errorf("change lost in the store:\n%s", diff)
	}
	refusal := errors.New("no")
	_, err = s.UpdatePerson(t.Context(), "acme", p.ID, func(p *access.Person, _ access.Left) (access.Settled, error) {
		p.Role = access.Owner
		return access.Settled{Entry: entry("user.role")}, refusal
	})
	if people, _ := s.People(t.Context(), "acme"); !errors.Is(err, refusal) || people[0].Role != access.Viewer {
		t.Errorf("a refused change: %v, role %s", err, people[0].Role)
	}
}

func peopleListed(t *testing.T, s access.Store) {
	insert(t, s, "a", person("cy@example.com", access.Viewer))
	insert(t, s, "a", person("ada@example.com", access.Owner))
	insert(t, s, "b", person("bob@example.com", access.Owner))
	insert(t, s, "b", person("root@example.com", access.Administrator))
	nowhere := []access.Person{insert(t, s, "b", person("dan@example.com", "")), insert(t, s, "b", person("eve@example.com", ""))}
	for limit := range 3 {
		loose, err := s.LoosePeople(t.Context(), limit)
		must(t, err)
		if diff := cmp.Diff(nowhere[:limit], loose, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("those who belong nowhere:\n%s", diff)
		}
	}
	for workspace, want := range map[string]string{
		"a": "ada@example.com owner 0, cy@example.com viewer 0, root@example.com  0, ",
		"b": "bob@example.com owner 0, root@example.com  0, ",
		"":  "ada@example.com  1, bob@example.com  1, cy@example.com  1, dan@example.com  0, eve@example.com  0, root@example.com  0, ",
	} {
		people, err := s.People(t.Context(), workspace)
		must(t, err)
		var got strings.Builder
		for _, p := range people {
			got.WriteString(fmt.Sprintf("%s %s %d, ", p.Email, p.Role, p.Elsewhere))
		}
		if got.String() != want {
			t.Errorf("workspace %q:\n got %s\nwant %s", workspace, got.String(), want)
		}
	}
}

// Two owners who both leave at the same moment: one has to stay.
func ownersCounted(t *testing.T, s access.Store) {
	owners := []access.Person{
		insert(t, s, "acme", person("ada@example.com", access.Owner)), insert(t, s, "acme", person("bob@example.com", access.Owner)),
	}
	insert(t, s, "other", person("cy@example.com", access.Owner))
	insert(t, s, "other", person("root@example.com", access.Administrator))
	stays := errors.New("the last one stays")
	var wg sync.WaitGroup
	for _, owner := range owners {
		wg.Go(func() {
			_, err := s.UpdatePerson(t.Context(), "acme", owner.ID, func(p *access.Person, left access.Left) (access.Settled, error) {
				if left.Admins != 1 {
					t.Errorf("%d administrators are left", left.Admins)
				}
				if left.Owners == 0 {
					return access.Settled{}, stays
				}
				p.Role = ""
				return access.Settled{Entry: entry("user.remove")}, nil
			})
			if err != nil && !errors.Is(err, stays) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	people, err := s.People(t.Context(), "acme")
	must(t, err)
	if left := slices.DeleteFunc(people, func(p access.Person) bool { return p.Role != access.Owner }); len(left) != 1 {
		t.Errorf("%d owners are left", len(left))
	}
}

func personDeleted(t *testing.T, s access.Store) {
	p := insert(t, s, "acme", person("ada@example.com", access.Owner))
	must(t, s.InsertSession(t.Context(), access.Session{ID: "ses_1", Hash: "h", User: p.ID, Workspace: "acme", CreatedAt: noon, SeenAt: noon}, 9, false, access.Entry{
		ID: "aud_1", At: noon, Actor: p.ID, Workspace: "acme", Action: "session.signin",
	}))
	_, err := s.UpdatePerson(t.Context(), "acme", p.ID, func(*access.Person, access.Left) (access.Settled, error) {
		e := entry("user.delete")
		e.Actor, e.Workspace = p.ID, "acme"
		return access.Settled{Entry: e, Gone: true}, nil
	})
	must(t, err)
	if _, err := s.SessionByHash(t.Context(), "h"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("the session of a deleted person: %v", err)
	}
	entries, err := s.Entries(t.Context(), access.Filter{Workspace: "acme", Limit: 10})
	must(t, err)
	if len(entries) != 2 {
		t.Fatalf("%d entries", len(entries))
	}
	for _, e := range entries {
		if e.ActorName != "ada@example.com" {
			t.Errorf("%s was done by %q", e.Action, e.ActorName)
		}
	}
}

func links(t *testing.T, s access.Store) {
	p := person("ada@example.com", access.Member)
	p.Link = access.Link{Hash: "first", Until: noon}
	insert(t, s, "default", p)
	set := func(l access.Link) {
		t.Helper()
		_, err := s.UpdatePerson(t.Context(), "default", p.ID, func(p *access.Person, _ access.Left) (access.Settled, error) {
			p.Link = l
			return access.Settled{Entry: entry("user.reset")}, nil
		})
		must(t, err)
	}
	set(access.Link{Hash: "second", Until: noon.Add(time.Hour)})
	if _, err := s.ByLink(t.Context(), "first"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a link that was replaced: %v", err)
	}
	got, err := s.ByLink(t.Context(), "second")
	must(t, err)
	if got.ID != p.ID || !got.Link.Until.Equal(noon.Add(time.Hour)) {
		t.Errorf("by link: %+v", got)
	}
	set(access.Link{})
	if _, err := s.ByLink(t.Context(), "second"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a link that ended: %v", err)
	}
}

func workspaces(t *testing.T, s access.Store) {
	must(t, s.InsertWorkspace(t.Context(), access.Workspace{ID: "acme", Name: "Acme", CreatedAt: noon}, entry("workspace.create")))
	if err := s.InsertWorkspace(t.Context(), access.Workspace{ID: "acme"}, entry("workspace.create")); !errors.Is(err, access.ErrExists) {
		t.Errorf("a second one: %v", err)
	}
	p := insert(t, s, "zoo", person("ada@example.com", access.Viewer))
	home := func(want string, role access.Role) {
		t.Helper()
		if at, r, err := s.HomeOf(t.Context(), p.ID, ""); at != want || r != role || err != nil {
			t.Errorf("home is %s as %q, %v", at, r, err)
		}
	}
	home("zoo", access.Viewer)
	for _, more := range []string{"acme", "default"} {
		_, err := s.UpdatePerson(t.Context(), more, p.ID, func(p *access.Person, _ access.Left) (access.Settled, error) {
			p.Role = access.Member
			return access.Settled{Entry: entry("user.add")}, nil
		})
		must(t, err)
		home(more, access.Member)
	}
	for user, want := range map[string]string{p.ID: "acme default zoo ", "": "acme default zoo ", "usr_none": ""} {
		list, err := s.Workspaces(t.Context(), user, "")
		must(t, err)
		var got strings.Builder
		for _, w := range list {
			got.WriteString(w.ID + " ")
		}
		if got.String() != want || (len(list) > 0 && (list[0].Label() != "Acme" || list[0].Members != 1)) {
			t.Errorf("of %q: %s, %+v", user, got.String(), list)
		}
	}
	if at, r, err := s.HomeOf(t.Context(), "usr_none", ""); at != "default" || r != "" || err != nil {
		t.Errorf("home of nobody is %s as %q, %v", at, r, err)
	}
}
