package share_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/fault"
	"stele/internal/share"
)

const gb = 1 << 30

// disk is a disk of which workspaces take.
type disk struct {
	size int64
	most int64
	err  error

	mu   sync.Mutex // guards held
	held map[string]share.Sums
}

func (d *disk) free() share.Held {
	d.mu.Lock()
	defer d.mu.Unlock()
	free := d.size
	for _, sums := range d.held {
		free -= sums.All()
	}
	return share.Held{Files: free, Rows: free}
}

func (d *disk) sums(_ context.Context, workspace string) (share.Sums, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.held[workspace], d.err
}

// take writes a file of a workspace.
func (d *disk) take(workspace string, bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	sums := d.held[workspace]
	sums.Files += bytes
	d.held[workspace] = sums
}

// keeper runs a Keeper over a disk until the test ends.
func keeper(t *testing.T, d *disk) *share.Keeper {
	t.Helper()
	k := share.New(share.Options{
		Sums: d.sums, Free: d.free, Most: func() int64 { return d.most }, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	var running sync.WaitGroup
	running.Go(func() { k.Run(t.Context()) })
	t.Cleanup(running.Wait)
	synctest.Wait() // it has looked at the disk
	return k
}

func refused(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Code == fault.PermissionDenied
}

// One workspace alone stops at four fifths of a disk, and the next ones find room.
func TestNoWorkspaceFillsTheDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{size: 1000 * gb, held: make(map[string]share.Sums)}
		k := keeper(t, d)
		const piece = gb / 2
		took := make(map[string]int64)
		for _, workspace := range []string{"first", "second", "third", "fourth"} {
			for {
				a, err := k.Arrive(t.Context(), workspace, piece, false)
				if err != nil {
					if !refused(err) {
						t.Fatal(err)
					}
					break
				}
				if err := a.Grow(piece, false); err != nil {
					t.Fatal(err)
				}
				d.take(workspace, piece)
				took[workspace] += piece
				a.Leave(true)
				time.Sleep(3 * time.Second)
				_ = k.TakeRoom(t.Context(), workspace, share.Held{}) // asks for new sums
				synctest.Wait()
			}
		}
		if first := took["first"]; first < 799*gb || first > 800*gb {
			t.Errorf("the first took %d GB of 1,000", first/gb)
		}
		for _, workspace := range []string{"second", "third", "fourth"} {
			if took[workspace] < 2*small {
				t.Errorf("%s found room for %d MB", workspace, took[workspace]>>20)
			}
		}
		if free := d.free().Files; free < small {
			t.Errorf("%d MB are free in the end", free>>20)
		}
	})
}

const small = 256 << 20

func TestWhoMayHoldWhat(t *testing.T) {
	t.Parallel()
	free := share.Held{Files: 10 * gb, Rows: gb}
	for name, c := range map[string]struct {
		sums  share.Sums
		free  share.Held
		most  int64
		would share.Held
		full  bool
	}{
		"little":                    {sums: share.Sums{Held: share.Held{Files: gb}}, free: free},
		"four times what is free":   {sums: share.Sums{Held: share.Held{Files: 40 * gb}}, free: free},
		"more":                      {sums: share.Sums{Held: share.Held{Files: 40*gb + 1}}, free: free, full: true},
		"as many rows":              {sums: share.Sums{Held: share.Held{Rows: 4 * gb}}, free: free},
		"more rows":                 {sums: share.Sums{Held: share.Held{Rows: 4*gb + 1}}, free: free, full: true},
		"it has no neighbour":       {sums: share.Sums{Held: share.Held{Files: 99 * gb}, Alone: true}, free: free},
		"a full disk, and little":   {sums: share.Sums{Held: share.Held{Files: small}}, free: share.Held{}},
		"a full disk, and more":     {sums: share.Sums{Held: share.Held{Files: small + 1}}, free: share.Held{}, full: true},
		"elsewhere":                 {sums: share.Sums{Held: share.Held{Files: 999 * gb, Rows: 999 * gb}}, free: share.Held{Files: share.Unknown, Rows: share.Unknown}},
		"as the operator says":      {sums: share.Sums{Held: share.Held{Files: gb, Rows: gb}}, free: share.Held{}, most: 2 * gb},
		"more than the operator":    {sums: share.Sums{Held: share.Held{Files: gb, Rows: gb + 1}}, free: free, most: 2 * gb, full: true},
		"said for one alone, too":   {sums: share.Sums{Held: share.Held{Files: gb + 1}, Alone: true}, free: free, most: gb, full: true},
		"what comes is counted":     {sums: share.Sums{Held: share.Held{Files: 39 * gb}}, free: free, would: share.Held{Files: gb + 1}, full: true},
		"what comes and still fits": {sums: share.Sums{Held: share.Held{Files: 39 * gb}}, free: free, would: share.Held{Files: gb}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := share.New(share.Options{
					Sums: func(context.Context, string) (share.Sums, error) { return c.sums, nil },
					Free: func() share.Held { return c.free }, Most: func() int64 { return c.most }, Log: slog.New(slog.DiscardHandler), Now: time.Now,
				})
				go k.Run(t.Context())
				synctest.Wait()
				if err := k.TakeRoom(t.Context(), "acme", c.would); refused(err) != c.full {
					t.Errorf("refused: %v, want %t", err, c.full)
				}
			})
		})
	}
}

// Sums are read beside the requests: many at once read them once, and those that take long
// are read seldom.
func TestSumsAreReadSeldom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		k := share.New(share.Options{
			Sums: func(context.Context, string) (share.Sums, error) {
				reads++
				time.Sleep(4 * time.Second)
				return share.Sums{Held: share.Held{Files: gb}}, nil
			},
			Free: func() share.Held { return share.Held{Files: gb, Rows: gb} }, Most: func() int64 { return 0 }, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		go k.Run(t.Context())
		begun := time.Now()
		if err := k.TakeRoom(t.Context(), "acme", share.Held{}); err != nil {
			t.Errorf("nothing is known yet: %v", err)
		}
		if waited := time.Since(begun); waited > time.Second {
			t.Errorf("the first request waited for %s", waited)
		}
		for range 1000 {
			time.Sleep(100 * time.Millisecond)
			begun := time.Now()
			if err := k.TakeRoom(t.Context(), "acme", share.Held{Files: 1}); err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(begun); waited > time.Second {
				t.Fatalf("a request waited for %s", waited)
			}
		}
		if reads != 1 {
			t.Errorf("read %d times in 100 s, each of which takes 4 s", reads)
		}
	})
}

// What this process takes counts at once, what is owed is never refused, and what broke off
// counts no more.
func TestArrivals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{size: 1000 * gb, held: map[string]share.Sums{"acme": {Held: share.Held{Files: gb}}}, most: 2 * gb}
		k := keeper(t, d)
		one, err := k.Arrive(t.Context(), "acme", 0, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := one.Grow(gb, false); err != nil {
			t.Fatal(err)
		}
		if err := one.Grow(1, false); !refused(err) {
			t.Errorf("one byte more: %v", err)
		}
		if _, err := k.Arrive(t.Context(), "acme", 0, false); !refused(err) {
			t.Errorf("another: %v", err)
		}
		owed, err := k.Arrive(t.Context(), "acme", 0, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := owed.Grow(gb, true); err != nil {
			t.Errorf("what is owed: %v", err)
		}
		owed.Leave(false)
		one.Leave(false)
		if err := k.TakeRoom(t.Context(), "acme", share.Held{Rows: gb}); err != nil {
			t.Errorf("after they broke off: %v", err)
		}
		if err := k.TakeRoom(t.Context(), "acme", share.Held{Rows: 1}); !refused(err) {
			t.Errorf("what was ordered does not count: %v", err)
		}
		time.Sleep(3 * time.Second)
		_ = k.TakeRoom(t.Context(), "acme", share.Held{}) // asks for sums
		synctest.Wait()
		if err := k.TakeRoom(t.Context(), "acme", share.Held{}); err != nil {
			t.Errorf("the sums say that there is room: %v", err)
		}
	})
}

// For a database that does not answer no workspace is refused, and none waits twice.
func TestUnknownSumsRefuseNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := keeper(t, &disk{err: errors.New("away"), most: 1})
		begun := time.Now()
		for range 10 {
			if err := k.TakeRoom(t.Context(), "acme", share.Held{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, known := k.Standing(t.Context(), "acme"); known || time.Since(begun) > time.Second {
			t.Errorf("known %t after %s", known, time.Since(begun))
		}
	})
	var none *share.Keeper
	if a, err := none.Arrive(t.Context(), "acme", gb, false); err != nil || a.Grow(1, false) != nil {
		t.Error("nothing is kept, and something was refused")
	}
}
