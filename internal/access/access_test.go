package access_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/template"
)

// house is a service over a real database, with a clock the test moves.
type house struct {
	*access.Service
	store *countingStore
	mu    sync.Mutex
	now   time.Time
}

// countingStore counts what reads the database for keys.
type countingStore struct {
	*store.Store
	mu      sync.Mutex
	reads   int
	entries []access.Entry // of changes of keys
}

func (s *countingStore) UpdateKey(ctx context.Context, id string, change func(*access.Key) (access.Entry, error)) (access.Key, error) {
	return s.Store.UpdateKey(ctx, id, func(k *access.Key) (access.Entry, error) {
		e, err := change(k)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.entries = append(s.entries, e)
		return e, err
	})
}

func (s *countingStore) KeysSince(ctx context.Context, n int64) ([]access.Key, error) {
	s.count()
	return s.Store.KeysSince(ctx, n)
}

func (s *countingStore) Revisions(ctx context.Context) (keys, people int64, err error) {
	s.count()
	return s.Store.Revisions(ctx)
}

func (s *countingStore) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
}

var admin = access.CommandLine(access.DefaultWorkspace)

func newHouse(t *testing.T) *house {
	t.Helper()
	return openHouse(t, t.TempDir(), seal.New())
}

func openHouse(t *testing.T, folder string, master *seal.Master) *house {
	t.Helper()
	db, err := store.Open(t.Context(), "", template.In(t, folder))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	h := &house{store: &countingStore{Store: db}, now: time.Now().Truncate(time.Millisecond)}
	h.Service = access.New(h.store, master, h.clock)
	h.HashCheaply()
	if err := h.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func (h *house) create(t *testing.T, n access.NewKey) (access.Key, string) {
	t.Helper()
	if n.Name == "" {
		n.Name = "test"
	}
	k, secret, err := h.CreateKey(t.Context(), admin, n)
	if err != nil {
		t.Fatal(err)
	}
	return k, secret
}

func (h *house) opens(secret string) bool {
	_, _, err := h.Admit(secret, "")
	return err == nil
}

func code(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

func TestKeyOpensAsWhatItWasMade(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	scope := access.Scope{Groups: []access.Group{access.GroupChat}, Models: []string{"fast"}}
	k, secret := h.create(t, access.NewKey{Workspace: "acme", Environment: access.Production, Sandbox: true, Scope: scope})
	who, _, err := h.Admit(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	if who.Key != k.ID || who.Workspace != "acme" || who.Environment != access.Production || !who.Sandbox || who.User != "" || who.Admin {
		t.Errorf("principal %+v", who)
	}
	if !who.Scope.Allows(access.GroupChat) || who.Scope.Allows(access.GroupApps) || who.Scope.AllowsModel("slow") {
		t.Errorf("scope %+v", who.Scope)
	}
	if strings.Contains(fmt.Sprintf("%+v", k), secret) {
		t.Error("the secret is kept")
	}
}

func TestRevokingEndsEverySecret(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, first := h.create(t, access.NewKey{})
	_, second, err := h.RotateKey(t.Context(), admin, k.ID, access.Rotation{Grace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // twice is as good as once
		if _, err := h.RevokeKey(t.Context(), admin, k.ID); err != nil {
			t.Fatal(err)
		}
	}
	if h.opens(first) || h.opens(second) {
		t.Error("a revoked key opens")
	}
	if _, _, err := h.RotateKey(t.Context(), admin, k.ID, access.Rotation{}); code(err) != fault.InvalidParameter {
		t.Errorf("rotating a revoked key: %v", err)
	}
}

func TestExpiredKeyStopsByTheClock(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, secret := h.create(t, access.NewKey{Lifetime: time.Minute})
	h.pass(time.Minute - time.Millisecond)
	if !h.opens(secret) {
		t.Error("ended early")
	}
	h.pass(time.Millisecond)
	if h.opens(secret) {
		t.Error("opens after its end")
	}
	if got := k.Status(h.clock()); got != "expired" {
		t.Errorf("status %s", got)
	}
}

func TestAnotherProcessSeesChangesWithinASecond(t *testing.T) {
	t.Parallel()
	folder, master := t.TempDir(), seal.New()
	server, cli := openHouse(t, folder, master), openHouse(t, folder, master)
	run(t, server)
	k, secret := cli.create(t, access.NewKey{})
	eventually(t, "the new key opens", func() bool { return server.opens(secret) })
	if _, err := cli.RevokeKey(t.Context(), admin, k.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the revoked key is refused", func() bool { return !server.opens(secret) })
}

func TestLastUseIsSavedWhenTheServerStops(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, secret := h.create(t, access.NewKey{})
	if !h.opens(secret) {
		t.Fatal("refused")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	h.Run(ctx, discard())
	keys, err := h.Keys(t.Context(), admin, "")
	if err != nil || !keys[0].LastUsedAt.Equal(h.clock()) {
		t.Errorf("last used %v, want %v (%v)", keys[0].LastUsedAt, h.clock(), err)
	}
}

func TestWrongKeysNeverReachTheDatabase(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.create(t, access.NewKey{})
	other := newHouse(t)
	before := h.store.reads
	for i := range 1000 {
		secret := fmt.Sprintf("sk_dev_%038d", i)
		if i%2 == 0 {
			_, secret = other.create(t, access.NewKey{}) // right checksum, unknown here
		}
		if _, _, err := h.Admit(secret, ""); code(err) != fault.InvalidAPIKey {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if h.store.reads != before {
		t.Errorf("%d reads of the database", h.store.reads-before)
	}
}

func TestKeysBelongToTheirWorkspace(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, _ := h.create(t, access.NewKey{Workspace: "acme"})
	stranger := access.Principal{User: "usr_1", Workspace: "other", Role: access.Owner}
	if _, err := h.RevokeKey(t.Context(), stranger, k.ID); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("revoking another workspace's key: %v", err)
	}
	if _, _, err := h.CreateKey(t.Context(), stranger, access.NewKey{Name: "x", Workspace: "acme"}); code(err) != fault.PermissionDenied {
		t.Errorf("creating in another workspace: %v", err)
	}
	aKey := access.Principal{Key: k.ID, Workspace: "acme"}
	if _, _, err := h.CreateKey(t.Context(), aKey, access.NewKey{Name: "x"}); code(err) != fault.PermissionDenied {
		t.Errorf("a key made a key: %v", err)
	}
	if keys, err := h.Keys(t.Context(), stranger, ""); err != nil || len(keys) != 0 {
		t.Errorf("the stranger sees %d keys, %v", len(keys), err)
	}
}

func TestWrongOrdersForKeysAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for field, n := range map[string]access.NewKey{
		"name":        {Name: "  "},
		"workspace":   {Name: "x", Workspace: "No Spaces"},
		"environment": {Name: "x", Environment: "staging"},
		"expires":     {Name: "x", Lifetime: -time.Second},
		"scope":       {Name: "x", Scope: access.Scope{Groups: []access.Group{"everything"}}},
		"models":      {Name: "x", Scope: access.Scope{Models: []string{"a\nb"}}},

		"idle_expires": {Name: "x", Idle: time.Second},
		"cidrs":        {Name: "x", CIDRs: []string{"10.0.0.0/33"}},
	} {
		_, _, err := h.CreateKey(t.Context(), admin, n)
		if code(err) != fault.InvalidParameter || fault.From(err).Details["field"] != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
