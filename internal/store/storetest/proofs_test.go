package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"stele/internal/access"
)

// A session is opened by what counts when it is saved, not when it was looked at.
func proofsCount(t *testing.T, s access.Store) {
	p := person("ada@example.com", access.Member)
	p.Password, p.Subject = "own", "issuer 7"
	p.Logins = []access.Login{{Via: "zoo", Password: "z", Opens: []string{"zoo"}}}
	insert(t, s, "acme", p)
	must(t, s.InsertFactors(t.Context(), []access.Factor{{ID: "fac_1", User: p.ID, Kind: access.Passkey, Lookup: "k", Sealed: []byte("x"), CreatedAt: noon}}, nil, entry("x")))
	for i, test := range []struct {
		via   string
		proof access.Proof
		ok    bool
	}{
		{"", access.Proof{}, true}, // a link that was followed
		{"", access.Proof{Password: "own"}, true}, {"", access.Proof{Password: "z"}, false}, {"", access.Proof{Password: "before"}, false},
		{"zoo", access.Proof{Password: "z"}, true}, {"zoo", access.Proof{Password: "own"}, false}, {"acme", access.Proof{Password: "own"}, false},
		{"", access.Proof{Factor: "fac_1"}, true}, {"", access.Proof{Factor: "fac_2"}, false}, {"", access.Proof{Factor: "fac_1", Password: "before"}, false},
		{"", access.Proof{Subject: "issuer 7"}, true}, {"", access.Proof{Subject: "issuer 8"}, false},
	} {
		v := session(p, test.via, fmt.Sprint("proof", i), noon)
		v.Proof = test.proof
		err := s.InsertSession(t.Context(), v, 99, false, entry("session.signin"))
		if ok := err == nil; ok != test.ok || err != nil && !errors.Is(err, access.ErrNotFound) {
			t.Errorf("login %q with %+v: %v", test.via, test.proof, err)
		}
		if _, err := s.SessionByHash(t.Context(), v.Hash); (err == nil) != test.ok {
			t.Errorf("login %q with %+v, afterwards: %v", test.via, test.proof, err)
		}
	}
	gone := session(person("nobody@example.com", access.Member), "", "gone", noon)
	if err := s.InsertSession(t.Context(), gone, 9, false, entry("session.signin")); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a session of a person who is gone: %v", err)
	}
	for session, want := range map[string]error{firstSession(t, s, p.ID): nil, "ses_gone": access.ErrNotFound} {
		f := access.Factor{ID: "fac_of_" + session, User: p.ID, Kind: access.TOTP, Sealed: []byte("x"), CreatedAt: noon, Session: session}
		if err := s.InsertFactors(t.Context(), []access.Factor{f}, nil, entry("x")); !errors.Is(err, want) {
			t.Errorf("a factor from session %s: %v", session, err)
		}
	}
}

// Who comes in with the old password while it is replaced is not there afterwards, and
// has set up nothing.
func nobodySlipsIn(t *testing.T, s access.Store) {
	p := insert(t, s, "acme", person("ada@example.com", access.Member))
	password := func(i int) string { return fmt.Sprint("password ", i) }
	update(t, s, "acme", p.ID, func(p *access.Person) access.Settled {
		p.Password = password(0)
		return access.Settled{Entry: entry("user.password")}
	})
	for i := range 20 {
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				v := session(p, "", fmt.Sprint("round ", i, " ", n), noon)
				v.Proof.Password = password(i)
				if err := s.InsertSession(t.Context(), v, 99, false, entry("session.signin")); err != nil && !errors.Is(err, access.ErrNotFound) {
					t.Error(err)
				}
				f := access.Factor{ID: "fac_" + v.ID, User: p.ID, Kind: access.TOTP, Sealed: []byte("x"), CreatedAt: noon, Session: v.ID}
				if err := s.InsertFactors(t.Context(), []access.Factor{f}, nil, entry("x")); err != nil && !errors.Is(err, access.ErrNotFound) {
					t.Error(err)
				}
			})
		}
		all.Go(func() {
			update(t, s, "acme", p.ID, func(p *access.Person) access.Settled {
				p.Password = password(i + 1)
				return access.Settled{Entry: entry("user.password"), End: true, Afresh: true}
			})
		})
		all.Wait()
		left, err := s.Sessions(t.Context(), p.ID)
		must(t, err)
		factors, err := s.Factors(t.Context(), p.ID, "")
		must(t, err)
		if len(left) != 0 || len(factors) != 0 {
			t.Fatalf("round %d: %d sessions and %d factors outlived the password", i, len(left), len(factors))
		}
	}
}
