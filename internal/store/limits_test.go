package store

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/limit"
	"stele/internal/price"
)

// server is a process that holds and settles, as far as limits see it. Killing it
// loses its memory; its journal's folder stays.
type server struct {
	*mortal
	t       *testing.T
	store   *Store
	folder  string
	journal *Journal
	limits  *limit.Service
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// mortal is the store as a process sees it that may die: then it changes nothing more.
type mortal struct {
	*Store
	mu   sync.RWMutex // guards dead
	dead bool
}

func (m *mortal) Lease(ctx context.Context, node string, c limit.Counter, l *limit.Limit, need, want int64) (int64, limit.Balance, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.dead {
		return 0, limit.Balance{}, context.Canceled
	}
	return m.Store.Lease(ctx, node, c, l, need, want)
}

// kill ends a process in the middle of whatever it does.
func (v *server) kill() {
	v.mu.Lock()
	v.dead = true
	v.mu.Unlock()
	v.stop()
	v.done.Wait()
}

func startServer(t *testing.T, s *Store, folder string) *server {
	t.Helper()
	j, err := OpenJournal(s, folder)
	if err != nil {
		t.Fatal(err)
	}
	v := &server{mortal: &mortal{Store: s}, t: t, store: s, folder: folder, journal: j}
	v.limits = limit.New(limit.Options{Store: v.mortal, Node: j.Owner(), Log: slog.New(slog.DiscardHandler), Now: time.Now})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	v.stop = cancel
	if err := j.Flush(ctx); err != nil { // what the process before left
		t.Fatal(err)
	}
	if err := s.Recover(ctx, j.Owner(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := v.limits.Load(ctx); err != nil {
		t.Fatal(err)
	}
	v.done.Go(func() { v.limits.Run(ctx) })
	v.done.Go(func() { // as the journal does it, but for its last words
		for tick := time.Tick(100 * time.Millisecond); ctx.Err() == nil; <-tick {
			_ = j.Flush(ctx) // what fails is carried over by the next process
		}
	})
	return v
}

// reserve holds what a call can take, in memory of its own.
func reserve(ctx context.Context, of *limit.Service, a limit.Ask) (*limit.Hold, error) {
	hold := new(limit.Hold)
	return hold, of.Reserve(ctx, &a, hold)
}

// call holds, settles and writes its row down, unless the process dies before.
func (v *server) call(ctx context.Context, of limit.Call) (nano int64, err error) {
	ask := limit.Ask{
		Call:  of,
		Input: 100, Output: 1000, Least: 16, Sheet: price.MustPrice("1 - - 5 cache_write_1h=1").Sheet,
	}
	hold, err := reserve(ctx, v.limits, ask)
	if err != nil {
		return 0, err
	}
	out := min(hold.Output, 1+rand.Int64N(400))
	nano = int64(price.Dearest(ask.Sheet, 80, out, false))
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.dead {
		return 0, context.Canceled // the hold dies with the process
	}
	charges := hold.Settle(limit.Used{Nano: nano, Input: 80, Output: out})
	r := record(0)
	r.Nano, r.Charges = nano, limit.ChargesText(charges)
	if err := v.journal.Keep(&r); err != nil {
		v.t.Error(err)
	}
	return nano, nil
}

func testLimit(measure limit.Measure, window limit.Window, amount int64) limit.Limit {
	l := limit.Limit{ID: "lim_" + string(measure), Workspace: "default", Name: "budget", Measure: measure, Window: window, Amount: amount, Created: time.Now()}
	if err := l.Check(); err != nil {
		panic(err)
	}
	return l
}

func saveTestLimit(t *testing.T, s *Store, l limit.Limit) {
	t.Helper()
	if err := s.SaveLimit(t.Context(), l, access.Entry{ID: l.ID, At: time.Now(), Workspace: "default", Action: "limit.create", Actor: "x"}); err != nil {
		t.Fatal(err)
	}
}

// balance sums up a limit's only counter, and what rows say of it.
func balance(t *testing.T, s *Store, id string) (b limit.Balance, rows int64) {
	t.Helper()
	list, err := s.Balances(t.Context(), id, time.Now(), 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("Balances = %v, %v; want one", list, err)
	}
	texts, err := s.texts(t.Context(), `SELECT charges FROM requests`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		for _, c := range limit.ReadCharges(text) {
			if c.Counter == list[0].Balance.ID {
				rows += c.N
			}
		}
	}
	return list[0].Balance, rows
}

// Whatever is killed, what is settled never passes the amount, rows and counter agree,
// and in the end next to nothing is left unused.
func TestABudgetHoldsThroughKills(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		const amount = 100_000_000 // ten cents
		l := testLimit(limit.Dollars, limit.Day, amount)
		saveTestLimit(t, s, l)
		var servers [3]atomic.Pointer[server]
		for i := range servers {
			servers[i].Store(startServer(t, s, t.TempDir()))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // ten times what it takes
		defer cancel()
		var spent atomic.Int64
		var clients sync.WaitGroup
		refused := make(chan struct{})
		var once sync.Once
		for n := range 60 {
			clients.Go(func() {
				for ctx.Err() == nil {
					nano, err := servers[n%len(servers)].Load().call(ctx, limit.Call{Workspace: "default", Key: "key_1", Model: "m"})
					if f := fault.From(err); err != nil && f.Code == fault.InsufficientCredits {
						once.Do(func() { close(refused) })
						return
					}
					spent.Add(nano)
				}
			})
		}
		kills := 0
		for kills < 6 {
			select {
			case <-refused:
				kills = 6
			case <-time.After(100 * time.Millisecond):
				i := kills % len(servers)
				old := servers[i].Load()
				old.kill()
				servers[i].Store(startServer(t, s, old.folder))
				kills++
			}
		}
		clients.Wait()
		if ctx.Err() != nil {
			t.Fatal("some clients were never told that the budget is used up")
		}
		for i := range servers {
			settleUp(t, s, servers[i].Load())
		}
		b, rows := balance(t, s, l.ID)
		if b.Settled > amount || b.Settled < amount*98/100 {
			t.Errorf("%d of %d are settled", b.Settled, amount)
		}
		if rows != b.Settled || b.Leased != 0 || b.Held != 0 || b.Doubt != 0 {
			t.Errorf("rows say %d, the counter %+v", rows, b)
		}
		marks, err := s.texts(t.Context(), `SELECT mark FROM limit_marks WHERE mark < 100 ORDER BY mark`)
		if err != nil || !slices.Equal(marks, []string{"50", "80"}) {
			t.Errorf("thresholds %v were passed (%v), want 50 and 80, each once", marks, err)
		}
	})
}

// A server that has not heard yet that a limit was changed does not begin to count with the old one.
func TestACounterBeginsWithTheLimitAsItIs(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		old := testLimit(limit.Requests, limit.Day, 1000)
		now := old
		now.Amount = 1
		saveTestLimit(t, s, now)
		day := time.Now().UTC().Truncate(24 * time.Hour)
		got, balance, err := s.Lease(t.Context(), "node", limit.Counter{Limit: old.ID, Start: day, End: day.AddDate(0, 0, 1)}, &old, 1, 100)
		if err != nil || got != 1 || balance.Amount != 1 {
			t.Errorf("%d of %d are given (%v)", got, balance.Amount, err)
		}
	})
}

func TestOldCountersAreForgotten(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		l := testLimit(limit.Dollars, limit.Day, 1e9)
		saveTestLimit(t, s, l)
		today := time.Now().UTC().Truncate(24 * time.Hour)
		for _, c := range []struct {
			subject string
			days    int
		}{{"", 0}, {"", 40}, {"", 500}, {"user", 0}, {"user", 40}} {
			start := today.AddDate(0, 0, -c.days)
			counter := limit.Counter{Limit: l.ID, Subject: c.subject, Start: start, End: start.AddDate(0, 0, 1)}
			if _, _, err := s.Lease(t.Context(), "node", counter, &l, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		n, err := s.DeleteCountersBefore(t.Context(), today.AddDate(0, 0, -30), today.AddDate(0, 0, -400))
		if err != nil || n != 2 {
			t.Errorf("%d were forgotten (%v), want the user's old one and the oldest", n, err)
		}
		leases, err := s.texts(t.Context(), `SELECT node FROM limit_leases`)
		if err != nil || len(leases) != 3 {
			t.Errorf("%d leases are left (%v)", len(leases), err)
		}
	})
}

// A budget of which callers get nothing any more is used up, though a little of it is
// never settled. What calls hold and may give back is not.
func TestABudgetThatRefusesIsReached(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		for _, c := range []struct {
			settles int64
			reached bool
		}{{990_000, true}, {600_000, false}} {
			l := testLimit(limit.Dollars, limit.Day, 1_000_000)
			l.ID += strconv.FormatInt(c.settles, 10)
			l.Subject = []limit.Selector{{By: limit.ByKey, Value: l.ID}}
			saveTestLimit(t, s, l)
			v := startServer(t, s, t.TempDir())
			ask := limit.Ask{Call: limit.Call{Workspace: "default", Key: l.ID, Model: "m"}, Least: 1, Sheet: &price.Sheet{PerRequest: price.Amount(c.settles)}}
			hold, err := reserve(t.Context(), v.limits, ask)
			if err != nil {
				t.Fatal(err)
			}
			r := record(0)
			r.ID, r.Nano, r.Charges = l.ID, c.settles, limit.ChargesText(hold.Settle(limit.Used{Nano: c.settles}))
			if err := v.journal.Keep(&r); err != nil {
				t.Fatal(err)
			}
			if err := v.journal.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !c.reached { // the rest is held
				ask.Sheet = &price.Sheet{PerRequest: price.Amount(1_000_000 - c.settles)}
				if _, err := reserve(t.Context(), v.limits, ask); err != nil {
					t.Fatal(err)
				}
			}
			ask.Sheet = &price.Sheet{PerRequest: 50_000}
			if _, err := reserve(t.Context(), v.limits, ask); err == nil {
				t.Fatal("more than the budget was given")
			}
			if err := v.limits.Beat(t.Context()); err != nil {
				t.Fatal(err)
			}
			v.kill()
			marks, err := s.texts(t.Context(), `SELECT mark FROM limit_marks WHERE counter = (SELECT id FROM limit_counters WHERE limit_id = $1) ORDER BY mark DESC`, l.ID)
			if err != nil || slices.Contains(marks, "100") != c.reached {
				t.Errorf("%d settled: thresholds %v (%v)", c.settles, marks, err)
			}
		}
	})
}

// What servers have on lease is not left, whichever of them asks.
func TestWhatIsLeftIsWithoutWhatIsHeld(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		l := testLimit(limit.Requests, limit.Day, 1000)
		saveTestLimit(t, s, l)
		day := time.Now().UTC().Truncate(24 * time.Hour)
		c := limit.Counter{Limit: l.ID, Start: day, End: day.AddDate(0, 0, 1)}
		got, b, err := s.Lease(t.Context(), "node_1", c, &l, 300, 300)
		if err != nil || got < 300 {
			t.Fatal(got, err)
		}
		list, err := s.Balances(t.Context(), l.ID, time.Now(), 10)
		if err != nil || len(list) != 1 || list[0].Left != 1000-got || b.Left() != 1000-got {
			t.Errorf("%+v, %v", list, err)
		}
		if st, ok, err := s.BalanceOf(t.Context(), c); err != nil || !ok || st.Left != 1000-got {
			t.Errorf("%+v, %v", st, err)
		}
	})
}
