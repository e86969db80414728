package access_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/template"
)

// signInServers are servers on one PostgreSQL with a connection each, and a clock.
func signInServers(t *testing.T, n int) (list []*access.Service, pass func(time.Duration)) {
	t.Helper()
	databaseURL, folder := template.Place(t, "postgres")
	master := seal.New()
	var now atomic.Int64
	now.Store(time.Now().UnixMilli())
	for range n {
		db, err := store.Open(t.Context(), databaseURL, folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		s := access.New(db, master, func() time.Time { return time.UnixMilli(now.Load()) })
		s.HashCheaply()
		s.ShareFailures(db, master)
		list = append(list, s)
	}
	return list, func(d time.Duration) { now.Add(d.Milliseconds()) }
}

func TestFailedSignInsCountOnAllServers(t *testing.T) {
	t.Parallel()
	servers, pass := signInServers(t, 3)
	const address, password = "ann@example.com", "correct horse battery"
	if _, err := servers[0].EnsureAdmin(t.Context(), address, password); err != nil {
		t.Fatal(err)
	}
	try := func(n int, password, remote string) error {
		_, _, err := servers[n%len(servers)].SignIn(t.Context(), address, password, access.Browser{Remote: remote})
		return err
	}
	for n := range 5 {
		if err := try(n, "wrong horse battery", "192.0.2.1"); fault.From(err).Code != fault.PermissionDenied {
			t.Fatalf("try %d: %v", n, err)
		}
	}
	for n := range servers {
		if err := try(n, password, "192.0.2.1"); fault.From(err).Code != fault.RateLimited || fault.From(err).RetryAfter <= 0 {
			t.Errorf("server %d lets a sixth try pass: %v", n, err)
		}
	}
	if err := try(0, password, "198.51.100.1"); err != nil {
		t.Errorf("another place has to wait: %v", err)
	}
	pass(time.Minute)
	if err := try(2, password, "192.0.2.1"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	pass(2 * time.Hour)
	for n := range 3 * 5 { // what is forgotten is forgotten everywhere, and so is what was right
		if err := try(n, password, "192.0.2.1"); err != nil {
			t.Errorf("try %d: %v", n, err)
		}
	}
}

func TestGuessesAtTheSameMomentDoNotSlipThroughBetweenServers(t *testing.T) {
	t.Parallel()
	servers, _ := signInServers(t, 3)
	var all sync.WaitGroup
	var compared atomic.Int64
	for n := range 24 {
		all.Go(func() {
			_, _, err := servers[n%len(servers)].SignIn(t.Context(), "nobody@example.com", "wrong horse battery", access.Browser{Remote: "192.0.2.9"})
			e, ok := errors.AsType[*fault.Error](err)
			switch {
			case ok && e.Code == fault.PermissionDenied:
				compared.Add(1)
			case !ok || e.Code != fault.RateLimited && e.Code != fault.Unavailable:
				t.Error(fmt.Sprint(err))
			}
		})
	}
	all.Wait()
	if n := compared.Load(); n > 5 {
		t.Errorf("%d guesses were compared, want 5 at most", n)
	}
}
