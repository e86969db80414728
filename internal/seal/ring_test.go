package seal_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stele/internal/seal"
)

func TestAValueOpensForItsContextAndPurposeOnly(t *testing.T) {
	t.Parallel()
	ring := seal.NewRing()
	box := ring.Box("a")
	sealed := box.SealFor("https://one.example.com:443", []byte("secret"))
	if bytes.Contains(sealed, []byte("secret")) || bytes.Equal(sealed, box.SealFor("https://one.example.com:443", []byte("secret"))) {
		t.Error("it is not sealed")
	}
	if plain, err := box.OpenFor("https://one.example.com:443", sealed); err != nil || string(plain) != "secret" {
		t.Errorf("%q, %v", plain, err)
	}
	for _, context := range []string{"", "https://one.example.com", "https://two.example.com:443"} {
		if _, err := box.OpenFor(context, sealed); !errors.Is(err, seal.ErrContext) || !errors.Is(err, seal.ErrBroken) {
			t.Errorf("for %q: %v", context, err)
		}
	}
	for name, other := range map[string]*seal.Box{"purpose": ring.Box("b"), "ring": seal.NewRing().Box("a"), "master": seal.New().Box("a")} {
		if _, err := other.OpenFor("https://one.example.com:443", sealed); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	for i := range sealed { // the context in its head cannot be exchanged either
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if box.Verify(changed) == nil {
			t.Errorf("it opens with byte %d changed", i)
		}
		_ = box.Verify(sealed[:i]) // must not panic
	}
	forged := bytes.Replace(bytes.Clone(sealed), []byte("one"), []byte("two"), 1)
	if _, err := box.OpenFor("https://two.example.com:443", forged); err == nil {
		t.Error("it opens for a context that was written into it")
	}
}

func TestARingFollowsItsChanges(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	old, next := seal.New(), seal.New()
	ring := seal.NewRing()
	box, hash := ring.Box("a"), ring.Hasher("keys")
	sealed, sum := box.SealFor("x", []byte("secret")), hash.Sum("key")
	signs := ring.Signing("files", now)

	turned := ring.WithNewKeys(now.Add(time.Hour))
	if err := new(seal.Ring).Take(old, turned.Wrap(next)); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("another master key unwraps it: %v", err)
	}
	if err := ring.Take(next, turned.Wrap(next)); err != nil {
		t.Fatal(err)
	}
	if !box.Stale(sealed) {
		t.Error("it is sealed with the newest key already")
	}
	again, err := box.Reseal("", sealed)
	if err != nil || box.Stale(again) {
		t.Fatalf("sealed anew: %v", err)
	}
	for _, value := range [][]byte{sealed, again} {
		if plain, err := box.OpenFor("x", value); err != nil || string(plain) != "secret" {
			t.Errorf("%q, %v", plain, err)
		}
	}
	if ring.Hasher("keys").Sum("key") != sum {
		t.Error("keyed hashes changed")
	}
	later := ring.Signing("files", now)
	if len(later) != 2 || bytes.Equal(later[0], signs[0]) || !bytes.Equal(later[1], signs[0]) || len(ring.Signing("files", now.Add(time.Hour))) != 1 {
		t.Error("old signatures do not count for an hour")
	}
	if err := ring.Take(next, seal.NewRing().Wrap(next)); err == nil {
		t.Error("the ring of another installation was taken")
	}
	if text := fmt.Sprintf("%v %+v %#v %s", ring, ring, ring, old); strings.Trim(text, "• ") != "" {
		t.Errorf("it prints %q", text)
	}
}

// A value that another process sealed with a key that is not known yet is looked for.
func TestAMissingKeyIsLookedFor(t *testing.T) {
	t.Parallel()
	master := seal.New()
	mine := seal.NewRing()
	theirs := mine.WithNewKeys(time.Now())
	sealed := theirs.Box("a").Seal([]byte("secret"))
	if _, err := mine.Box("a").Open(sealed); !errors.Is(err, seal.ErrBroken) {
		t.Fatal("it is known already")
	}
	mine.OnMissing(func() { _ = mine.Take(master, theirs.Wrap(master)) })
	if plain, err := mine.Box("a").Open(sealed); err != nil || string(plain) != "secret" {
		t.Errorf("%q, %v", plain, err)
	}
}
