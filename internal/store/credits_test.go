package store

import (
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/limit"
	"stele/internal/meter"
	"stele/internal/price"
)

const dollar = 1_000_000_000

// spend settles so much of a workspace's balance, as a request does.
func spend(t *testing.T, s *Store, counter, nano int64) {
	t.Helper()
	r := record(0)
	r.Nano, r.Charges = nano, limit.ChargesText([]limit.Charge{{Counter: counter, N: nano}})
	if err := s.InsertRecords(t.Context(), []meter.Record{r}); err != nil {
		t.Fatal(err)
	}
}

func TestCreditsAreGrantedSpentAndExpire(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		now := time.Now().Truncate(time.Millisecond)
		manager := limit.Manager{Shelf: s, Now: func() time.Time { return now }}
		grant := func(dollars int64, life time.Duration) {
			t.Helper()
			g := limit.Grant{Workspace: "default", Nano: dollars * dollar, Note: "paid"}
			if life > 0 {
				g.Expires = now.Add(life)
			}
			if _, err := manager.Grant(t.Context(), access.CommandLine("default"), g); err != nil {
				t.Fatal(err)
			}
		}
		id := limit.CreditLimit("default", now).ID
		want := func(amount, settled int64) limit.Balance {
			t.Helper()
			b, rows := balance(t, s, id)
			if b.Amount != amount*dollar || b.Settled != settled*dollar || rows != b.Settled {
				t.Fatalf("the balance is %+v, rows say %d; want $%d of $%d", b, rows, settled, amount)
			}
			return b
		}
		grant(10, 0)
		counter := want(10, 0).ID
		spend(t, s, counter, 4*dollar)
		grant(5, time.Hour)   // of which nothing is spent yet
		grant(8, 2*time.Hour) // is spent after it
		spend(t, s, counter, 3*dollar)
		want(23, 7)

		expire := func(after time.Duration) { // several servers do it at the same time
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if err := s.ExpireCredits(t.Context(), now.Add(after)); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		expire(time.Minute)
		want(23, 7)
		expire(time.Hour) // 3 of 5 were spent: 2 are gone
		want(21, 7)
		expire(3 * time.Hour) // 8 are gone
		want(13, 7)
		var sum int64
		if err := s.read.QueryRowContext(t.Context(), `SELECT SUM(nano) FROM ledger WHERE counter = $1`, counter).Scan(&sum); err != nil || sum != 13*dollar {
			t.Errorf("the ledger says %d, %v", sum, err)
		}
		if list, err := manager.Grants(t.Context(), access.CommandLine("default"), "default"); err != nil || len(list) != 3 || list[0].Created.IsZero() {
			t.Errorf("Grants = %+v, %v", list, err)
		}
	})
}

// What is under way when a grant expires can still be paid.
func TestAnEndOfCreditsLeavesWhatIsHeld(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		now := time.Now()
		manager := limit.Manager{Shelf: s, Now: time.Now}
		g := limit.Grant{Workspace: "default", Nano: 5 * dollar, Expires: now.Add(time.Hour)}
		if _, err := manager.Grant(t.Context(), access.CommandLine("default"), g); err != nil {
			t.Fatal(err)
		}
		v := startServer(t, s, t.TempDir())
		defer func() { v.stop(); v.done.Wait() }()
		ask := limit.Ask{Call: limit.Call{Workspace: "default", Model: "m"}, Input: 1, Output: 1, Sheet: &price.Sheet{PerRequest: 2 * dollar}}
		hold, err := reserve(t.Context(), v.limits, ask)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ExpireCredits(t.Context(), now.Add(2*time.Hour)); err != nil {
			t.Fatal(err)
		}
		r := record(0)
		r.Charges = limit.ChargesText(hold.Settle(limit.Used{Nano: 2 * dollar}))
		if err := v.journal.Keep(&r); err != nil {
			t.Fatal(err)
		}
		if err := v.journal.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		b, rows := balance(t, s, limit.CreditLimit("default", now).ID)
		if b.Settled != 2*dollar || rows != b.Settled || b.Amount < b.Settled+b.Leased || b.Amount >= 5*dollar {
			t.Errorf("the balance is %+v, rows say %d", b, rows)
		}
		if _, err := reserve(t.Context(), v.limits, limit.Ask{Call: ask.Call, Input: 1, Output: 1, Sheet: &price.Sheet{PerRequest: 4 * dollar}}); fault.From(err).Code != fault.InsufficientCredits {
			t.Errorf("what has lapsed is refused with %v", err)
		}
	})
}
