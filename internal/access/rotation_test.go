package access_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/seal"
)

// rotate gives a key a new secret.
func (h *house) rotate(t *testing.T, id string, r access.Rotation) string {
	t.Helper()
	_, secret, err := h.RotateKey(t.Context(), admin, id, r)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestRotatingTwiceKeepsTheSecretInUse(t *testing.T) {
	t.Parallel()
	for _, grace := range []time.Duration{0, time.Hour} {
		h := newHouse(t)
		k, inUse := h.create(t, access.NewKey{})
		if !h.opens(inUse) {
			t.Fatal("refused")
		}
		h.rotate(t, k.ID, access.Rotation{Grace: grace}) // its answer is lost
		h.pass(24 * time.Hour)
		third := h.rotate(t, k.ID, access.Rotation{Grace: grace})
		if !h.opens(inUse) {
			t.Fatalf("grace %v: the secret in use ended although the newest was never used", grace)
		}
		if !h.opens(third) {
			t.Fatal("the newest is refused")
		}
		h.pass(grace)
		if h.opens(inUse) || !h.opens(third) {
			t.Errorf("grace %v: after the newest was used and the grace has passed only it works", grace)
		}
	}
}

func TestAGraceCountsOnceTheNewSecretWasUsed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, first := h.create(t, access.NewKey{})
	second := h.rotate(t, k.ID, access.Rotation{Grace: time.Hour})
	if !h.opens(second) || !h.opens(first) {
		t.Error("within the grace both secrets work")
	}
	third := h.rotate(t, k.ID, access.Rotation{})
	if !h.opens(first) || !h.opens(second) {
		t.Error("rotating again ended a secret that worked")
	}
	if !h.opens(third) || h.opens(second) || !h.opens(first) {
		t.Error("without a grace a secret ends with the first use of the new one; another's grace stays its own")
	}
	h.pass(time.Hour)
	if h.opens(first) || !h.opens(third) {
		t.Error("a grace has no end")
	}
}

func TestALeakedSecretEndsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, first := h.create(t, access.NewKey{})
	second := h.rotate(t, k.ID, access.Rotation{AtOnce: true})
	if h.opens(first) || !h.opens(second) {
		t.Error("a secret that has leaked still works")
	}
	if _, _, err := h.RotateKey(t.Context(), admin, k.ID, access.Rotation{AtOnce: true, Grace: time.Hour}); code(err) != fault.InvalidParameter {
		t.Errorf("at once and later: %v", err)
	}
}

func TestAnotherProcessLearnsThatTheNewestWasUsed(t *testing.T) {
	t.Parallel()
	folder, master := t.TempDir(), seal.New()
	one, other := openHouse(t, folder, master), openHouse(t, folder, master)
	k, first := one.create(t, access.NewKey{})
	second := one.rotate(t, k.ID, access.Rotation{})
	must(t, other.Load(t.Context()))
	if !other.opens(first) {
		t.Fatal("the newest was used nowhere, and the one before is refused")
	}
	if !one.opens(second) {
		t.Fatal("refused")
	}
	run(t, one)
	eventually(t, "the old secret ends in the other process", func() bool {
		must(t, other.Load(t.Context()))
		return !other.opens(first)
	})
}

// secretOf is a secret as the law below remembers it.
type secretOf struct {
	text  string
	until time.Time
	used  bool
}

// TestSecretsFollowTheirLaw drives random rotations, uses and waits against the
// rule in a few lines: every secret works until the newest was used, then until its
// grace ends; six at most; revoking ends all.
func TestSecretsFollowTheirLaw(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h, random := newHouse(t), rand.New(rand.NewPCG(seed, 9))
			k, first := h.create(t, access.NewKey{Lifetime: 100 * time.Hour})
			ends := h.clock().Add(100 * time.Hour)
			all, alive := []string{first}, []secretOf{{text: first}} // newest first
			works := func(i int) bool {
				return h.clock().Before(ends) && (i == 0 || !alive[0].used || h.clock().Before(alive[i].until))
			}
			for range 60 {
				switch random.IntN(5) {
				case 0:
					h.pass(time.Duration(random.IntN(180)) * time.Minute)
				case 1:
					if !h.clock().Before(ends) {
						continue
					}
					r := access.Rotation{Grace: time.Duration(random.IntN(3)) * time.Hour, AtOnce: random.IntN(8) == 0}
					if r.AtOnce {
						r.Grace = 0
					}
					var left []secretOf
					for i := range alive {
						if works(i) && !r.AtOnce {
							left = append(left, alive[i])
						}
					}
					if len(left) > 0 {
						left[0].until = h.clock().Add(r.Grace)
					}
					if len(left) > 5 {
						drop := len(left) - 1
						for i := range left {
							if !left[i].used {
								drop = i // the last of them is the oldest
							}
						}
						left = slices.Delete(left, drop, drop+1)
					}
					next := h.rotate(t, k.ID, r)
					all, alive = append(all, next), append([]secretOf{{text: next}}, left...)
				case 2:
					if random.IntN(30) == 0 {
						_, err := h.RevokeKey(t.Context(), admin, k.ID)
						must(t, err)
						ends = h.clock()
					}
				default:
					i := random.IntN(len(alive))
					want := works(i)
					if got := h.opens(alive[i].text); got != want {
						t.Fatalf("secret %d of %d works: %t, want %t", i, len(alive), got, want)
					}
					alive[i].used = alive[i].used || want
				}
			}
			for _, text := range all {
				i := slices.IndexFunc(alive, func(s secretOf) bool { return s.text == text })
				want := i >= 0 && works(i)
				if got := h.opens(text); got != want {
					t.Errorf("in the end a secret works: %t, want %t", got, want)
				}
				if i == 0 && want {
					alive[0].used = true
				}
			}
		})
	}
}

func TestSecretsThatWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, first := h.create(t, access.NewKey{})
	h.opens(first)
	h.rotate(t, k.ID, access.Rotation{Grace: time.Hour})
	keys, err := h.Keys(t.Context(), admin, "")
	must(t, err)
	if alive := keys[0].WorkingSecrets(h.clock()); len(alive) != 2 || alive[0].Used || !alive[1].Used {
		t.Errorf("alive are %+v", alive)
	}
}
