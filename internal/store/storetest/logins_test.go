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

func session(p access.Person, via, hash string, at time.Time) access.Session {
	return access.Session{
		ID: uid.New("ses"), Hash: hash, User: p.ID, Workspace: "acme", CreatedAt: at, SeenAt: at, ProvenAt: at,
		Via: via, Method: access.MethodPassword, Device: "device of " + hash,
	}
}

func update(t *testing.T, s access.Store, workspace, id string, change func(*access.Person) access.Settled) access.Person {
	t.Helper()
	p, err := s.UpdatePerson(t.Context(), workspace, id, func(p *access.Person, _ access.Left) (access.Settled, error) {
		return change(p), nil
	})
	must(t, err)
	return p
}

// A login opens what it opens and nothing else, and takes what it has along when it ends.
func loginsKeptApart(t *testing.T, s access.Store) {
	p := person("ada@example.com", access.Member)
	p.Password = ""
	p.Logins = []access.Login{{Via: "acme", Password: "a", Opens: []string{"acme"}}, {Via: "zoo", Password: "z", Opens: []string{"zoo"}}}
	insert(t, s, "acme", p)
	update(t, s, "zoo", p.ID, func(p *access.Person) access.Settled {
		p.Role = access.Owner
		return access.Settled{Entry: entry("user.add")}
	})
	sets, err := s.Passwords(t.Context(), p.ID)
	must(t, err)
	if diff := cmp.Diff([]access.Login{{Via: "acme", Password: "a"}, {Via: "zoo", Password: "z"}}, sets); diff != "" {
		t.Errorf("passwords:\n%s", diff)
	}
	for _, via := range []string{"acme", "zoo", ""} {
		must(t, s.InsertSession(t.Context(), session(p, via, "h"+via, noon), 9, false, entry("session.signin")))
		must(t, s.InsertFactors(t.Context(), []access.Factor{{ID: "fac_" + via, User: p.ID, Via: via, Kind: access.TOTP, Sealed: []byte("x"), CreatedAt: noon}}, nil, entry("x")))
	}
	see := func(via string) string {
		list, err := s.Workspaces(t.Context(), p.ID, via)
		must(t, err)
		home, role, err := s.HomeOf(t.Context(), p.ID, via)
		must(t, err)
		var got strings.Builder
		got.WriteString(fmt.Sprint(home, " ", role, ":"))
		for _, w := range list {
			got.WriteString(" " + w.ID)
		}
		v, err := s.SessionByHash(t.Context(), "h"+via)
		if errors.Is(err, access.ErrNotFound) {
			return got.String() + " gone"
		}
		must(t, err)
		return got.String() + fmt.Sprintf(", %s %q %d", v.Role, v.User.Password, v.Factors)
	}
	for via, want := range map[string]string{
		"acme": `acme member: acme, member "a" 1`, "zoo": `zoo owner: zoo,  "z" 1`, "": `acme member: acme zoo, member "" 1`, "?": "default : gone",
	} {
		if got := see(via); got != want {
			t.Errorf("login %q sees %s, want %s", via, got, want)
		}
	}
	// Sessions end by login, and with it.
	must2(s.EndSessions(t.Context(), access.Ending{User: p.ID, Via: new("zoo")}, entry("session.end")))(t, 1)
	update(t, s, "acme", p.ID, func(p *access.Person) access.Settled {
		p.Logins = p.Logins[1:]
		return access.Settled{Entry: entry("user.remove")}
	})
	if got := see("acme"); got != "default : gone" {
		t.Errorf("a login that is gone sees %s", got)
	}
	if list, err := s.Factors(t.Context(), p.ID, "acme"); err != nil || len(list) != 0 {
		t.Errorf("it left %d factors, %v", len(list), err)
	}
	if list, err := s.Factors(t.Context(), p.ID, "zoo"); err != nil || len(list) != 1 {
		t.Errorf("another has %d factors, %v", len(list), err)
	}
	update(t, s, "acme", p.ID, func(p *access.Person) access.Settled {
		p.Logins = nil
		return access.Settled{Entry: entry("user.signon"), End: true, Afresh: true}
	})
	if list, err := s.Factors(t.Context(), p.ID, ""); err != nil || len(list) != 0 || see("") != "acme member: acme zoo gone" {
		t.Errorf("afresh there are %d factors, %s, %v", len(list), see(""), err)
	}
}

func must2(n int, err error) func(t *testing.T, want int) {
	return func(t *testing.T, want int) {
		t.Helper()
		if n != want || err != nil {
			t.Errorf("%d, %v, want %d", n, err, want)
		}
	}
}

func sessionsCapped(t *testing.T, s access.Store) {
	p := insert(t, s, "acme", person("ada@example.com", access.Member))
	for i := range 5 {
		must(t, s.InsertSession(t.Context(), session(p, "", fmt.Sprint("h", i), noon.Add(time.Duration(i)*time.Second)), 3, i > 0, entry("session.signin")))
	}
	must(t, s.InsertSession(t.Context(), session(p, "zoo", "other", noon), 3, true, entry("session.signin"), entry("session.new_device")))
	for i, there := range []bool{false, false, true, true, true} {
		if _, err := s.SessionByHash(t.Context(), fmt.Sprint("h", i)); (err == nil) != there {
			t.Errorf("session %d: %v", i, err)
		}
	}
	must(t, s.ProveSession(t.Context(), firstSession(t, s, p.ID), noon.Add(time.Hour)))
	devices, err := s.Devices(t.Context(), p.ID)
	must(t, err)
	if len(devices) != 6 || devices[0].Hash != "device of h4" || devices[0].Told || !devices[4].Told && !devices[5].Told {
		t.Errorf("%+v", devices)
	}
	v, err := s.SessionByHash(t.Context(), "h2")
	must(t, err)
	if v.News != 4 { // h1, h3, h4 and the other login's
		t.Errorf("%d news", v.News)
	}
	must(t, s.TellDevices(t.Context(), p.ID, "", "device of h2"))
	for hash, want := range map[string]int{"h2": 0, "h3": 1} { // h2 itself is still news to the others
		if v, err := s.SessionByHash(t.Context(), hash); err != nil || v.News != want {
			t.Errorf("%s has %d news, %v", hash, v.News, err)
		}
	}
	for i := range 60 {
		at := session(p, "", fmt.Sprint("many", i), noon.Add(time.Hour+time.Duration(i)*time.Second))
		must(t, s.InsertSession(t.Context(), at, 3, true, entry("session.signin")))
	}
	if devices, err = s.Devices(t.Context(), p.ID); err != nil || len(devices) != 50 || devices[0].Hash != "device of many59" {
		t.Errorf("%d browsers are remembered, %v", len(devices), err)
	}
}

func firstSession(t *testing.T, s access.Store, user string) string {
	t.Helper()
	list, err := s.Sessions(t.Context(), user)
	must(t, err)
	return list[0].ID
}

func factorsLiveAndEnd(t *testing.T, s access.Store) {
	p := insert(t, s, "acme", person("ada@example.com", access.Member))
	build := func(id, kind, lookup string) access.Factor {
		return access.Factor{ID: id, User: p.ID, Kind: kind, Name: "N", Lookup: lookup, Sealed: []byte("s " + id), CreatedAt: noon}
	}
	key, app := build("fac_1", access.Passkey, "k"), build("fac_2", access.TOTP, "")
	codes := []access.Factor{build("fac_3", access.Recovery, "c1"), build("fac_4", access.Recovery, "c2")}
	codes[0].Sealed, codes[1].Sealed = nil, nil
	all := append([]access.Factor{key, app}, codes...)
	must(t, s.InsertFactors(t.Context(), all, nil, entry("user.factor_add")))
	got, err := s.Factors(t.Context(), p.ID, "")
	must(t, err)
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("factors changed in the store:\n%s", diff)
	}
	if err := s.InsertFactors(t.Context(), []access.Factor{build("fac_9", access.Passkey, "k")}, nil, entry("x")); !errors.Is(err, access.ErrExists) {
		t.Errorf("a passkey twice: %v", err)
	}
	if found, err := s.FactorByLookup(t.Context(), access.Passkey, "k"); err != nil || found.ID != "fac_1" {
		t.Errorf("by lookup: %+v, %v", found, err)
	}
	for _, no := range []string{"", "c1", "none"} {
		if _, err := s.FactorByLookup(t.Context(), access.Passkey, no); !errors.Is(err, access.ErrNotFound) {
			t.Errorf("by lookup %q: %v", no, err)
		}
	}
	// A step is good once, and only forward.
	app.UsedAt = noon.Add(time.Minute)
	for _, use := range []struct {
		step int64
		ok   bool
	}{{7, true}, {7, false}, {6, false}, {8, true}} {
		app.Step = use.step
		if ok, err := s.UseFactor(t.Context(), app); ok != use.ok || err != nil {
			t.Errorf("step %d: %v, %v", use.step, ok, err)
		}
	}
	// So is a ticket, until it would not be taken anyway.
	for _, bring := range []struct {
		id    string
		at    time.Time
		first bool
	}{{"a", noon, true}, {"a", noon, false}, {"b", noon.Add(time.Minute), true}, {"b", noon.Add(time.Hour), false}, {"a", noon.Add(time.Hour), true}} {
		if first, err := s.SpendTicket(t.Context(), bring.id, bring.at, bring.at.Add(10*time.Minute)); first != bring.first || err != nil {
			t.Errorf("ticket %s at %s: %v, %v", bring.id, bring.at, first, err)
		}
	}
	people, err := s.People(t.Context(), "acme")
	must(t, err)
	if people[0].Factors != 2 {
		t.Errorf("%d factors are counted", people[0].Factors)
	}
	// A replaced app; the codes go with the last factor.
	must(t, s.InsertFactors(t.Context(), []access.Factor{build("fac_5", access.TOTP, "")}, []string{access.TOTP}, entry("user.factor_add")))
	for _, end := range []struct {
		id   string
		ok   bool
		left int
	}{{"fac_2", false, 4}, {"fac_5", true, 3}, {"fac_3", true, 2}, {"fac_1", true, 0}} {
		ok, err := s.DeleteFactor(t.Context(), p.ID, end.id, entry("user.factor_remove"))
		list, _ := s.Factors(t.Context(), p.ID, "")
		if ok != end.ok || err != nil || len(list) != end.left {
			t.Errorf("without %s: %v, %v, %d are left", end.id, ok, err, len(list))
		}
	}
	must(t, s.InsertFactors(t.Context(), all, nil, entry("user.factor_add")))
	must(t, s.InsertSession(t.Context(), session(p, "", "h", noon), 9, false, entry("session.signin")))
	must2(s.DeleteFactors(t.Context(), p.ID, entry("user.factor_reset")))(t, 4)
	if _, err := s.SessionByHash(t.Context(), "h"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a session after the reset: %v", err)
	}
}
