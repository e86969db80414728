package provider

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// mint gives out numbered tokens that are good for an hour.
type mint struct {
	given atomic.Int64
	takes time.Duration
	fail  atomic.Bool
}

var errMint = errors.New("no token today")

func (m *mint) fetch(ctx context.Context) (string, time.Duration, error) {
	n := m.given.Add(1)
	select {
	case <-time.After(m.takes):
	case <-ctx.Done():
		return "", 0, ctx.Err()
	}
	if m.fail.Load() {
		return "", 0, errMint
	}
	return strconv.FormatInt(n, 10), time.Hour, nil
}

func TestOneFetchesForAllWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mint{takes: time.Second}
		tokens := &tokens{fetch: m.fetch, now: time.Now}
		first, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := tokens.get(first); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		for range 100 {
			all.Go(func() {
				if token, err := tokens.get(t.Context()); token != "1" || err != nil {
					t.Error(token, err)
				}
			})
		}
		synctest.Wait()
		leave() // whoever began must not end it for the others
		all.Wait()
		if n := m.given.Load(); n != 1 {
			t.Errorf("fetched %d times", n)
		}
	})
}

func TestATokenIsRenewedBeforeItEndsAndNobodyWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mint{takes: time.Second}
		tokens := &tokens{fetch: m.fetch, now: time.Now}
		get := func(want string) {
			t.Helper()
			if token, err := tokens.get(t.Context()); token != want || err != nil {
				t.Errorf("got %q and %v, want %q", token, err, want)
			}
		}
		get("1")
		time.Sleep(54 * time.Minute)
		get("1")
		if n := m.given.Load(); n != 1 {
			t.Errorf("fetched %d times", n)
		}
		time.Sleep(2 * time.Minute)
		start := time.Now()
		get("1") // and has the next one fetched
		if waited := time.Since(start); waited > 0 {
			t.Errorf("waited %s", waited)
		}
		time.Sleep(2 * time.Second)
		get("2")
		time.Sleep(2 * time.Hour)
		get("3") // the old one is gone: this one waits
	})
}

func TestAnOldTokenOutlivesAFailedRenewal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mint{}
		tokens := &tokens{fetch: m.fetch, now: time.Now}
		if _, err := tokens.get(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.fail.Store(true)
		time.Sleep(56 * time.Minute)
		for range 100 {
			if token, err := tokens.get(t.Context()); token != "1" || err != nil {
				t.Error(token, err)
			}
			synctest.Wait()
		}
		if n := m.given.Load(); n != 2 {
			t.Errorf("fetched %d times", n)
		}
		time.Sleep(10 * time.Minute)
		if _, err := tokens.get(t.Context()); !errors.Is(err, errMint) {
			t.Error(err)
		}
		m.fail.Store(false)
		if token, err := tokens.get(t.Context()); token == "1" || err != nil {
			t.Error(token, err)
		}
	})
}

func TestAForgottenTokenIsFetchedAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mint{}
		tokens := &tokens{fetch: m.fetch, now: time.Now}
		_, _ = tokens.get(t.Context())
		tokens.forget()
		if token, err := tokens.get(t.Context()); token != "2" || err != nil {
			t.Error(token, err)
		}
	})
}
