package access

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/fault"
	"stele/internal/seal"
)

// What is kept of a password is expensive to guess, whichever part of the program hashes
// it; and a stranger's costs as much as a person's.
func TestPasswordsAreExpensive(t *testing.T) {
	t.Parallel()
	s := New(nil, seal.New(), time.Now)
	stored, err := s.hashPassword(t.Context(), ourselves, "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	for _, phc := range []string{stored, s.hashing.cost.decoy()} {
		if want := "$argon2id$v=19$m=47104,t=1,p=1$"; !strings.HasPrefix(phc, want) {
			t.Errorf("%s, not %s", phc, want)
		}
	}
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse batterie": false} {
		if ok, err := s.passwordMatches(t.Context(), ourselves, stored, password); ok != want || err != nil {
			t.Errorf("%s: %v, %v", password, ok, err)
		}
	}
}

// Passwords take tens of megabytes each. Who sends many waits for themself, not
// others for them; and no queue is longer than people wait.
func TestOneNetworkDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, seal.New(), time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done, err := s.waitToHash(ctx, "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		for range mostHashing - 1 {
			go func() {
				if release, err := s.waitToHash(ctx, "192.0.2.1"); err == nil {
					release()
				}
			}()
		}
		synctest.Wait()
		if held := s.hashing.turns.Held("192.0.2.1"); held != 1 {
			t.Errorf("one network hashes %d at once", held)
		}
		other, err := s.waitToHash(ctx, "198.51.100.2")
		if err != nil {
			t.Fatal(err) // at once: nothing else could end the bubble's wait
		}
		other()
		go func() { _, _ = s.waitToHash(ctx, "192.0.2.1") }()
		synctest.Wait()
		if _, err := s.waitToHash(ctx, "198.51.100.2"); fault.From(err).Code != fault.Unavailable {
			t.Errorf("behind a queue that is full: %v", err)
		}
		cancel()
		synctest.Wait()
		done()
		if left := s.hashing.waiting.Load(); left != 0 {
			t.Errorf("%d are counted as waiting", left)
		}
	})
}
