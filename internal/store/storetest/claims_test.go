package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/replay"
	"stele/internal/store"
	"stele/internal/uid"
)

var yesterday = noon.Add(-24 * time.Hour)

func claim(key, owner string) replay.Claim {
	return replay.Claim{
		Scope:       replay.Scope{Workspace: "default", Route: "generations", Key: key},
		Fingerprint: "f1", ID: uid.New("gen"), Owner: owner, Since: noon,
	}
}

// claimed takes a claim that must be the caller's.
func claimed(t *testing.T, s *store.Store, c replay.Claim) replay.Claim {
	t.Helper()
	got, mine, err := s.Claim(t.Context(), c, yesterday, noon)
	if err != nil || !mine {
		t.Fatalf("claim: %v, %v", mine, err)
	}
	return got
}

func claimsTaken(t *testing.T, s *store.Store) {
	must(t, s.Beat(t.Context(), "node_0", noon))
	must(t, s.Beat(t.Context(), "node_1", noon))
	for range 10 {
		key := uid.New("key")
		var won atomic.Int32
		var mu sync.Mutex
		ids := make(map[string]bool)
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				c := claim(key, []string{"node_0", "node_1", "node_x0", "node_x1", "node_x2", "node_x3"}[i])
				must(t, s.Beat(t.Context(), c.Owner, noon))
				got, mine, err := s.Claim(t.Context(), c, yesterday, noon)
				if err != nil {
					t.Error(err)
				}
				if mine {
					won.Add(1)
				}
				mu.Lock()
				defer mu.Unlock()
				ids[got.ID] = true
			})
		}
		wg.Wait()
		if won.Load() != 1 || len(ids) != 1 {
			t.Errorf("%d won, %d ids", won.Load(), len(ids))
		}
	}
	for _, other := range []replay.Scope{
		{Workspace: "other", Route: "generations", Key: "k"}, {Workspace: "default", Route: "files", Key: "k"},
		{Workspace: "default", Route: "generations", Key: "K"}, {Workspace: "default", Route: "generations", Key: "k"},
	} {
		c := claim("k", "node_0")
		c.Scope = other
		if got := claimed(t, s, c); got.ID != c.ID {
			t.Errorf("%+v is not a scope of its own", other)
		}
	}
}

func claimsTakenUp(t *testing.T, s *store.Store) {
	must(t, s.Beat(t.Context(), "node_1", noon))
	first := claimed(t, s, claim("k", "node_1"))
	if first.Tries != 1 {
		t.Errorf("turn %d", first.Tries)
	}
	second := claim("k", "node_2")
	if got, mine, err := s.Claim(t.Context(), second, yesterday, noon); mine || err != nil || got.ID != first.ID {
		t.Errorf("a living process's claim: %v, %v", mine, err)
	}
	want := first
	want.Owner, want.Tries = "node_2", 2
	got, mine, err := s.Claim(t.Context(), second, yesterday, noon.Add(time.Minute))
	if diff := cmp.Diff(want, got); !mine || err != nil || diff != "" {
		t.Errorf("a dead process's claim: %v, %v\n%s", mine, err, diff)
	}
	if got := claimed(t, s, second); got.Tries != 3 || got.ID != first.ID { // its own
		t.Errorf("turn %d, id %s", got.Tries, got.ID)
	}
	different := claim("k", "node_2")
	different.Fingerprint = "f2"
	if got, mine, err := s.Claim(t.Context(), different, yesterday, noon.Add(time.Hour)); mine || err != nil || got.Fingerprint != "f1" {
		t.Errorf("another fingerprint: %v, %v, %+v", mine, err, got)
	}
	old := claim("k", "node_3")
	old.Fingerprint, old.Since = "f3", noon.Add(25*time.Hour)
	got, mine, err = s.Claim(t.Context(), old, noon.Add(time.Hour), noon)
	old.Tries = 1
	if diff := cmp.Diff(old, got); !mine || err != nil || diff != "" {
		t.Errorf("an old claim: %v, %v\n%s", mine, err, diff)
	}
}

func claimsLost(t *testing.T, s *store.Store) {
	must(t, s.Beat(t.Context(), "node_1", noon))
	first := claimed(t, s, claim("k", "node_1"))
	second, mine, err := s.Claim(t.Context(), claim("k", "node_2"), yesterday, noon.Add(time.Minute))
	if !mine || err != nil {
		t.Fatal(mine, err)
	}
	first.Answer = replay.Answer{Status: 201, Type: "application/json", Body: []byte("{}")}
	if err := s.FinishClaim(t.Context(), first); !errors.Is(err, replay.ErrLost) {
		t.Errorf("finish a lost claim: %v", err)
	}
	if err := s.FreeClaim(t.Context(), first); !errors.Is(err, replay.ErrLost) {
		t.Errorf("free a lost claim: %v", err)
	}
	second.Answer = replay.Answer{Status: 422, Type: "application/json; charset=utf-8", Body: []byte("{\"a\":\"\x00\xff\"}")}
	must(t, s.FinishClaim(t.Context(), second))
	for _, silent := range []time.Time{yesterday, noon.Add(time.Hour)} { // an answer stands, whichever process lives
		got, mine, err := s.Claim(t.Context(), claim("k", "node_2"), yesterday, silent)
		if diff := cmp.Diff(second, got); mine || err != nil || diff != "" {
			t.Errorf("the answer: %v, %v\n%s", mine, err, diff)
		}
	}
	freed := claimed(t, s, claim("free", "node_1"))
	must(t, s.FreeClaim(t.Context(), freed))
	if err := s.FinishClaim(t.Context(), freed); !errors.Is(err, replay.ErrLost) {
		t.Errorf("finish what was freed: %v", err)
	}
	next := claim("free", "node_2")
	next.Fingerprint = "f2"
	if got := claimed(t, s, next); got.ID != next.ID || got.Tries != 1 {
		t.Errorf("after it was freed: %+v", got)
	}
}

func claimsForgotten(t *testing.T, s *store.Store) {
	for i := range 3 {
		c := claim(uid.New("key"), "node_1")
		c.Since = noon.Add(time.Duration(i) * time.Second)
		claimed(t, s, c)
	}
	if n, err := s.DeleteClaimsBefore(t.Context(), noon.Add(2*time.Second)); n != 2 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
}
