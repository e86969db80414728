package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/uid"
)

func user(email string, admin bool) access.User {
	return access.User{ID: uid.New("usr"), Email: email, Password: "$argon2id$", Admin: admin, CreatedAt: noon}
}

func unknownNotFound(t *testing.T, s access.Store) {
	_, err := s.UpdateKey(t.Context(), "key_none", func(*access.Key) (access.Entry, error) {
		t.Error("change was called for a key that is not there")
		return entry("key.rotate"), nil
	})
	errs := map[string]error{"UpdateKey": err}
	_, errs["UserByEmail"] = s.UserByEmail(t.Context(), "")
	_, errs["UserBySubject"] = s.UserBySubject(t.Context(), "")
	_, errs["ByLink"] = s.ByLink(t.Context(), "none")
	_, errs["UpdatePerson"] = s.UpdatePerson(t.Context(), "default", "usr_none", func(*access.Person, access.Left) (access.Settled, error) {
		t.Error("change was called for a person who is not there")
		return access.Settled{}, nil
	})
	_, errs["SessionByHash"] = s.SessionByHash(t.Context(), "none")
	_, errs["Setting"] = s.Setting(t.Context(), "none")
	for name, err := range errs {
		if !errors.Is(err, access.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
}

func usersUnique(t *testing.T, s access.Store) {
	u := user("ada@example.com", false)
	must(t, s.InsertPerson(t.Context(), "default", access.Person{User: u}, entry("user.create")))
	again := access.Person{User: user("ada@example.com", true)}
	if err := s.InsertPerson(t.Context(), "default", again, entry("user.create")); !errors.Is(err, access.ErrExists) {
		t.Errorf("second person with the address: %v, want ErrExists", err)
	}
	if has, err := s.HasAdmin(t.Context()); has || err != nil {
		t.Errorf("HasAdmin = %v, %v without one", has, err)
	}
	got, err := s.UserByEmail(t.Context(), "ada@example.com")
	must(t, err)
	if diff := cmp.Diff(u, got); diff != "" {
		t.Errorf("person changed in the store:\n%s", diff)
	}
}

func firstAdmin(t *testing.T, s access.Store) {
	_, err := s.SetOnce(t.Context(), "setup_link", "token")
	must(t, err)
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			err := s.InsertFirstAdmin(t.Context(), user(fmt.Sprintf("a%d@example.com", i), true), entry("user.create"))
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, access.ErrExists):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d first administrators", won.Load())
	}
	if has, err := s.HasAdmin(t.Context()); !has || err != nil {
		t.Errorf("HasAdmin = %v, %v", has, err)
	}
	if _, err := s.Setting(t.Context(), "setup_link"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("set-up link after the first administrator: %v", err)
	}
}

func sessions(t *testing.T, s access.Store) {
	u := user("ada@example.com", true)
	must(t, s.InsertPerson(t.Context(), "default", access.Person{User: u, Role: access.Viewer}, entry("user.create")))
	v := access.Session{
		ID: uid.New("ses"), Hash: "h1", User: u.ID, Workspace: "default", CreatedAt: noon, SeenAt: noon, Remote: "192.0.2.1", Agent: "Lynx\x00",
	}
	must(t, s.InsertSession(t.Context(), v, 9, false, entry("session.signin")))
	v.Agent = "Lynx\uFFFD"
	v.SeenAt = noon.Add(time.Hour)
	must(t, s.TouchSession(t.Context(), v.ID, v.SeenAt))
	must(t, s.TouchSession(t.Context(), v.ID, noon))
	got, err := s.SessionByHash(t.Context(), "h1")
	must(t, err)
	u.SeenAt = v.SeenAt
	if diff := cmp.Diff(access.Visitor{User: u, Session: v, Role: access.Viewer}, got); diff != "" {
		t.Errorf("session changed in the store:\n%s", diff)
	}
	must(t, s.DeleteSessionsBefore(t.Context(), noon, noon))
	if _, err := s.SessionByHash(t.Context(), "h1"); err != nil {
		t.Errorf("a session in use was ended: %v", err)
	}
	must(t, s.DeleteSessionsBefore(t.Context(), noon.Add(2*time.Hour), noon))
	if _, err := s.SessionByHash(t.Context(), "h1"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("an idle session: %v", err)
	}
	v.ID, v.Hash = uid.New("ses"), "h2"
	must(t, s.InsertSession(t.Context(), v, 9, false, entry("session.signin")))
	must(t, s.MoveSession(t.Context(), v.ID, "acme", entry("session.switch")))
	if got, err := s.SessionByHash(t.Context(), "h2"); err != nil || got.Session.Workspace != "acme" || got.Role != "" {
		t.Errorf("in another workspace: %+v, %v", got, err)
	}
	for _, end := range []access.Ending{{User: "usr_none"}, {User: u.ID, ID: "ses_none"}, {User: u.ID, Workspace: "default"}, {User: u.ID, But: v.ID}} {
		if n, err := s.EndSessions(t.Context(), end, entry("session.end")); n != 0 || err != nil {
			t.Errorf("%+v ended %d sessions, %v", end, n, err)
		}
	}
	if n, err := s.EndSessions(t.Context(), access.Ending{User: u.ID, ID: v.ID, Workspace: "acme"}, entry("session.end")); n != 1 || err != nil {
		t.Errorf("ended %d sessions, %v", n, err)
	}
	if _, err := s.SessionByHash(t.Context(), "h2"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a session that was ended: %v", err)
	}
}

func settings(t *testing.T, s access.Store) {
	var mu sync.Mutex
	kept := map[string]bool{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			value, err := s.SetOnce(t.Context(), "name", fmt.Sprint(i))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			kept[value] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	value, err := s.Setting(t.Context(), "name")
	must(t, err)
	if len(kept) != 1 || !kept[value] {
		t.Errorf("kept %v, then read %q", kept, value)
	}
}
