package access_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stele/internal/access"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/template"
)

// counted counts how often the keyring is read.
type counted struct {
	*store.Store

	reads atomic.Int64
}

func (c *counted) Setting(ctx context.Context, name string) (string, error) {
	c.reads.Add(1)
	return c.Store.Setting(ctx, name)
}

func only(list ...*seal.Master) func() ([]*seal.Master, error) {
	return func() ([]*seal.Master, error) { return list, nil }
}

func openCounted(t *testing.T) *counted {
	t.Helper()
	db, err := store.Open(t.Context(), "", template.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return &counted{Store: db}
}

func TestAnotherMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	db := openCounted(t)
	mine, other := seal.New(), seal.New()
	for range 2 {
		if _, err := access.OpenKeyring(t.Context(), db, only(mine)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := access.OpenKeyring(t.Context(), db, only(other)); err == nil || !strings.Contains(err.Error(), "another master key") {
		t.Errorf("another master key: %v", err)
	}
	if _, err := access.OpenKeyring(t.Context(), db, only(other, mine)); err != nil {
		t.Errorf("the right one beside another: %v", err)
	}
}

// An installation of before the keyring is not taken over with another key either.
func TestAnotherMasterKeyIsRefusedByAnOlderInstallation(t *testing.T) {
	t.Parallel()
	db := openCounted(t)
	if err := db.Set(t.Context(), "master_key_fingerprint", seal.New().Fingerprint()); err != nil {
		t.Fatal(err)
	}
	if _, err := access.OpenKeyring(t.Context(), db, only(seal.New())); err == nil || !strings.Contains(err.Error(), "another master key") {
		t.Errorf("another master key: %v", err)
	}
}

// A stranger can make up values that name a key that there is not. They cost next to nothing.
func TestMadeUpValuesShareALook(t *testing.T) {
	t.Parallel()
	db := openCounted(t)
	keys, err := access.OpenKeyring(t.Context(), db, only(seal.New()))
	if err != nil {
		t.Fatal(err)
	}
	box, before := keys.Box("sign-on tickets"), db.reads.Load()
	const many = 400
	var all sync.WaitGroup
	for range many {
		madeUp := seal.NewRing().Box("sign-on tickets").Seal([]byte("let me in"))
		all.Go(func() {
			if _, err := box.Open(madeUp); err == nil {
				t.Error("it opens")
			}
		})
	}
	all.Wait()
	if n := db.reads.Load() - before; n == 0 || n > many/10 {
		t.Errorf("%d values made %d looks", many, n)
	}
}
