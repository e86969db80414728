package access_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/race"
	"stele/internal/seal"
	"stele/internal/store"
)

// hold lets a key in and holds what is answered for it.
func (h *house) hold(t *testing.T, secret string) context.Context {
	t.Helper()
	_, pass, err := h.Admit(secret, "192.0.2.1")
	must(t, err)
	ctx, release := h.Hold(t.Context(), pass, access.GroupChat)
	t.Cleanup(release)
	return ctx
}

// TestWhatIsBeingAnsweredEndsWithItsKey has every way in which a key ends, from
// this process and from another one.
func TestWhatIsBeingAnsweredEndsWithItsKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(t *testing.T, h *house, id string) error
		code fault.Code
	}{
		"revoked": {func(t *testing.T, h *house, id string) error {
			_, err := h.RevokeKey(t.Context(), admin, id)
			return err
		}, fault.InvalidAPIKey},
		"rotated at once": {func(t *testing.T, h *house, id string) error {
			_, _, err := h.RotateKey(t.Context(), admin, id, access.Rotation{AtOnce: true})
			return err
		}, fault.InvalidAPIKey},
		"bound to other addresses": {func(t *testing.T, h *house, id string) error {
			_, err := h.EditKey(t.Context(), admin, id, access.KeyEdit{CIDRs: &[]string{"10.0.0.0/8"}})
			return err
		}, fault.PermissionDenied},
		"without the scope": {func(t *testing.T, h *house, id string) error {
			_, err := h.EditKey(t.Context(), admin, id, access.KeyEdit{Groups: &[]access.Group{access.GroupModels}})
			return err
		}, fault.PermissionDenied},
		"shut out by a policy": {func(t *testing.T, h *house, _ string) error {
			_, err := h.SetPolicy(t.Context(), admin, "default", access.Policy{Scopes: []access.Group{access.GroupModels}})
			return err
		}, fault.PermissionDenied},
	} {
		for _, elsewhere := range []bool{false, true} {
			folder, master := t.TempDir(), seal.New()
			h, other := openHouse(t, folder, master), openHouse(t, folder, master)
			k, secret := h.create(t, access.NewKey{})
			_, bystander := h.create(t, access.NewKey{Workspace: "other"})
			ctx, beside := h.hold(t, secret), h.hold(t, bystander)
			by := h
			if elsewhere {
				by = other
				must(t, other.Load(t.Context()))
			}
			must(t, test.end(t, by, k.ID))
			must(t, h.Load(t.Context()))
			ended := access.WhyEnded(ctx)
			if ended == nil || ended.Code != test.code || !errors.Is(context.Cause(ctx), context.Canceled) {
				t.Errorf("%s, elsewhere %t: %v", name, elsewhere, ended)
			}
			if beside.Err() != nil {
				t.Errorf("%s: another key's request ended, too", name)
			}
			if h.Holding() != 2 {
				t.Errorf("%d are held", h.Holding())
			}
		}
	}
}

func TestHoldsGoOnThroughChangesThatDoNotConcernThem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k, secret := h.create(t, access.NewKey{})
	ctx := h.hold(t, secret)
	next := h.rotate(t, k.ID, access.Rotation{})
	name := "another"
	_, err := h.EditKey(t.Context(), admin, k.ID, access.KeyEdit{Name: &name})
	must(t, err)
	if ctx.Err() != nil {
		t.Fatalf("ended by %v", context.Cause(ctx))
	}
	if !h.opens(next) { // the first use ends the secret before, without a grace
		t.Fatal("refused")
	}
	if access.WhyEnded(ctx) == nil {
		t.Error("an answer to a secret that has ended goes on")
	}
}

func TestReleasedRequestsLeaveNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, secret := h.create(t, access.NewKey{Lifetime: time.Hour})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				_, pass, err := h.Admit(secret, "")
				if err != nil {
					t.Error(err)
					return
				}
				ctx, release := h.Hold(t.Context(), pass, access.GroupChat)
				if ctx.Err() != nil {
					t.Error("ended")
				}
				release()
				if !errors.Is(ctx.Err(), context.Canceled) || access.WhyEnded(ctx) != nil {
					t.Error("a request that is over was not let go")
				}
			}
		})
	}
	all.Wait()
	if n := h.Holding(); n != 0 {
		t.Errorf("%d are held", n)
	}
}

// TestKeysEndByTheClock has time itself end what is being answered: by the key's own
// end, an edited one, and the end of a grace.
func TestKeysEndByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := access.New(&memory{keys: make(map[string]access.Key)}, seal.New(), time.Now)
		held := func(secret string) context.Context {
			_, pass, err := s.Admit(secret, "")
			must(t, err)
			ctx, release := s.Hold(t.Context(), pass, access.GroupChat)
			t.Cleanup(release)
			return ctx
		}
		ends := func(name string, ctx context.Context, in time.Duration) {
			t.Helper()
			time.Sleep(in - time.Millisecond)
			synctest.Wait()
			if ctx.Err() != nil {
				t.Errorf("%s: ended early", name)
			}
			time.Sleep(2 * time.Millisecond)
			synctest.Wait()
			if e := access.WhyEnded(ctx); e == nil || e.Code != fault.InvalidAPIKey {
				t.Errorf("%s: goes on", name)
			}
		}
		_, secret, err := s.CreateKey(t.Context(), admin, access.NewKey{Name: "k", Lifetime: time.Minute})
		must(t, err)
		ends("expired", held(secret), time.Minute)

		k, secret, err := s.CreateKey(t.Context(), admin, access.NewKey{Name: "k", Lifetime: time.Hour})
		must(t, err)
		ctx := held(secret)
		sooner := time.Minute
		_, err = s.EditKey(t.Context(), admin, k.ID, access.KeyEdit{Lifetime: &sooner})
		must(t, err)
		ends("edited", ctx, time.Minute)

		k, secret, err = s.CreateKey(t.Context(), admin, access.NewKey{Name: "k"})
		must(t, err)
		ctx = held(secret)
		_, next, err := s.RotateKey(t.Context(), admin, k.ID, access.Rotation{Grace: time.Minute})
		must(t, err)
		held(next)
		ends("grace", ctx, time.Minute)
	})
}

// memory keeps keys where the clock is a test's: a real database has a clock of its own.
type memory struct {
	access.Store

	keys     map[string]access.Key
	revision int64
}

func (m *memory) InsertKey(_ context.Context, k access.Key, _ access.Entry) error {
	m.revision++
	k.Revision = m.revision
	m.keys[k.ID] = k
	return nil
}

func (m *memory) UpdateKey(ctx context.Context, id string, change func(*access.Key) (access.Entry, error)) (access.Key, error) {
	k := m.keys[id]
	e, err := change(&k)
	if err != nil {
		return k, err
	}
	return k, m.InsertKey(ctx, k, e)
}

func (m *memory) KeysSince(_ context.Context, revision int64) (list []access.Key, err error) {
	for _, k := range m.keys {
		if k.Revision > revision {
			list = append(list, k)
		}
	}
	return list, nil
}

func (m *memory) Revisions(context.Context) (keys, people int64, err error) {
	return m.revision, 0, nil
}

func (m *memory) PoliciesSince(context.Context, int64) ([]access.PolicyOf, error) { return nil, nil }

func (m *memory) Policy(context.Context, string) (access.Policy, error) { return access.Policy{}, nil }

func (m *memory) TouchKeys(context.Context, map[string]time.Time) error { return nil }

func (m *memory) ProveSecrets(context.Context, map[string][]string) error { return nil }

func TestPeoplesAnswersEndWithTheirSessionOrRole(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(t *testing.T, h *house, v access.Visitor) error
		code fault.Code
	}{
		"signed out": {func(t *testing.T, h *house, v access.Visitor) error { return h.SignOut(t.Context(), v) }, fault.SessionRequired},
		"removed": {func(t *testing.T, h *house, v access.Visitor) error {
			_, err := h.Remove(t.Context(), admin, v.User.ID)
			return err
		}, fault.SessionRequired},
		"deleted": {func(t *testing.T, h *house, v access.Visitor) error {
			_, err := h.Delete(t.Context(), admin, v.User.ID)
			return err
		}, fault.SessionRequired},
		"demoted": {func(t *testing.T, h *house, v access.Visitor) error {
			_, err := h.SetRole(t.Context(), admin, v.User.ID, access.Viewer)
			return err
		}, fault.PermissionDenied},
	} {
		h := newHouse(t)
		h.principal(t, "a@example.com", access.Member)
		v, _, err := h.SignIn(t.Context(), "a@example.com", "correct horse battery", access.Browser{})
		must(t, err)
		ctx, release := h.Stay(t.Context(), v, access.Member)
		look, leave := h.Stay(t.Context(), v, access.Viewer)
		must(t, h.CheckPresent(t.Context()))
		if ctx.Err() != nil {
			t.Fatalf("%s: ended before", name)
		}
		must(t, test.end(t, h, v))
		must(t, h.CheckPresent(t.Context()))
		if e := access.WhyEnded(ctx); e == nil || e.Code != test.code {
			t.Errorf("%s: %v", name, e)
		}
		if e := access.WhyEnded(look); (e == nil) != (name == "demoted") {
			t.Errorf("%s: what a viewer may see: %v", name, e)
		}
		release()
		leave()
	}
}

// TestAnAdministratorsAnswerGoesOn while they are one: no role in a workspace is as much.
func TestAnAdministratorsAnswerGoesOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.principal(t, "a@example.com", access.Administrator)
	h.principal(t, "b@example.com", access.Administrator) // one must stay
	v, _, err := h.SignIn(t.Context(), "a@example.com", "correct horse battery", access.Browser{})
	must(t, err)
	ctx, release := h.Stay(t.Context(), v, access.Administrator)
	defer release()
	must(t, h.CheckPresent(t.Context()))
	if ctx.Err() != nil {
		t.Fatal("an administrator's answer ended:", access.WhyEnded(ctx))
	}
	_, err = h.SetRole(t.Context(), admin, v.User.ID, access.Owner)
	must(t, err)
	must(t, h.CheckPresent(t.Context()))
	if e := access.WhyEnded(ctx); e == nil || e.Code != fault.PermissionDenied {
		t.Errorf("an owner sees what administrators see: %v", e)
	}
}

func TestAwaitWaitsForThoseWhoServe(t *testing.T) {
	t.Parallel()
	folder, master := t.TempDir(), seal.New()
	server, cli := openHouse(t, folder, master), openHouse(t, folder, master)
	must(t, server.Serve(t.Context(), "node_1"))
	run(t, server)
	for range 10 {
		_, secret := cli.create(t, access.NewKey{})
		err := cli.Await(t.Context())
		for errors.Is(err, context.DeadlineExceeded) { // the machine has other things to do
			err = cli.Await(t.Context())
		}
		must(t, err)
		if !server.opens(secret) {
			t.Fatal("a key that was awaited is refused")
		}
	}
}

// TestHoldingARequestIsCheap counts what following a request's key takes: it is paid
// by every call.
func TestHoldingARequestIsCheap(t *testing.T) { //nolint:paralleltest // memory is measured
	race.Skip(t, "it allocates, too")
	h := newHouse(t)
	_, secret := h.create(t, access.NewKey{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, pass, err := h.Admit(secret, "192.0.2.1")
	must(t, err)
	got := testing.AllocsPerRun(1000, func() {
		_, release := h.Hold(ctx, pass, access.GroupChat)
		release()
	})
	if got > 4 { // two of them are the context's
		t.Errorf("%.0f allocations", got)
	}
}

func BenchmarkHold(b *testing.B) {
	db, err := store.Open(b.Context(), "", b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	s := access.New(db, seal.New(), time.Now)
	_, secret, err := s.CreateKey(b.Context(), admin, access.NewKey{Name: "k"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, pass, err := s.Admit(secret, "192.0.2.1")
		if err != nil {
			b.Fatal(err)
		}
		_, release := s.Hold(b.Context(), pass, access.GroupChat)
		release()
	}
}
