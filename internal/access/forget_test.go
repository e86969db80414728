package access_test

import (
	"fmt"
	"testing"
	"time"

	"stele/internal/access"
)

// Who makes and revokes keys all day leaves nothing in memory, here or on a server that is
// started afterwards.
func TestRevokedKeysAreNotKeptInMemory(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	before := h.Known()
	for i := range 50 {
		k, secret := h.create(t, access.NewKey{Name: fmt.Sprint("key ", i)})
		if i%2 == 0 && !h.opens(secret) {
			t.Fatal("a key does not open")
		}
		if _, err := h.RevokeKey(t.Context(), admin, k.ID); err != nil {
			t.Fatal(err)
		}
		if h.opens(secret) {
			t.Error("a revoked key opens")
		}
	}
	h.pass(time.Second)
	if err := h.Touch(t.Context()); err != nil { // what was used is written down first
		t.Fatal(err)
	}
	if n := h.Known() - before; n != 0 {
		t.Errorf("%d keys are held that open nothing", n)
	}
	list, err := h.Keys(t.Context(), admin, access.DefaultWorkspace)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		if used := k.Name == "key 0"; used && k.LastUsedAt.IsZero() {
			t.Error("its last use was lost")
		}
	}
	if changed, err := h.store.Store.KeysSince(t.Context(), 0); err != nil || len(changed) != before {
		t.Errorf("a start reads %d keys, %v", len(changed), err)
	}
}

// All who look at a page share the names of keys, until one changes.
func TestNamesOfKeysAreReadOnceForAll(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, _ := h.create(t, access.NewKey{Name: "first"})
	read := func() map[string]string {
		names, err := h.KeyNames(t.Context(), admin, access.DefaultWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if read()[k.ID] != "first" {
		t.Errorf("%v", read())
	}
	if first, second := fmt.Sprintf("%p", read()), fmt.Sprintf("%p", read()); first != second {
		t.Error("each has a list of their own")
	}
	if _, err := h.EditKey(t.Context(), admin, k.ID, access.KeyEdit{Name: new("second")}); err != nil {
		t.Fatal(err)
	}
	if read()[k.ID] != "second" {
		t.Errorf("after a change: %v", read())
	}
	member := access.Principal{User: "usr_1", Workspace: "acme", Role: access.Viewer}
	if names, err := h.KeyNames(t.Context(), member, "acme"); err != nil || len(names) != 0 {
		t.Errorf("another workspace sees %v, %v", names, err)
	}
}
