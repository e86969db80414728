package generation_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/media"
	rate "stele/internal/price"
	"stele/internal/store/storetest"
	"stele/internal/store/template"
)

// price is what a picture of the test's model costs.
const price = 40_000_000

// onEngines runs a test on every database engine.
func onEngines(t *testing.T, maker func() generation.Maker, run func(*testing.T, *house)) {
	t.Helper()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			database, folder := template.Place(t, engine)
			run(t, openAt(t, database, folder, maker()))
		})
	}
}

// bound makes a limit for the workspace of the tests.
func (h *house) bound(l limit.Limit) limit.Limit {
	h.t.Helper()
	l.Workspace = "default"
	manager := limit.Manager{Shelf: h.store, Now: time.Now}
	l, err := manager.Create(h.t.Context(), access.CommandLine("default"), l)
	if err == nil {
		err = h.limits.Load(h.t.Context())
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return l
}

// orderMany orders in parallel, as often as it is told to try again, and returns what was accepted; the rest must be
// refused with a code.
func (h *house) orderMany(n int, code fault.Code) (ids []string) {
	h.t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			by := who
			by.Key = fmt.Sprintf("key_%d", i)
			ask, _ := media.Parse(map[string]any{"model": "test/model", "prompt": "a cat"})
			task, err := h.Create(h.t.Context(), by, generation.NewID(), ask)
			for err != nil && fault.From(err).Code == fault.Unavailable && h.t.Context().Err() == nil { // a busy machine: it says to try again
				task, err = h.Create(h.t.Context(), by, generation.NewID(), ask)
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				ids = append(ids, task.ID)
			case fault.From(err).Code != code || fault.From(err).Details["limit"] != "bound":
				h.t.Errorf("Create: %v; want %s", err, code)
			}
		})
	}
	all.Wait()
	return ids
}

// books are a limit's counter and what rows say that was taken of it.
func (h *house) books(id string) (b limit.Balance, rows int64) {
	h.t.Helper()
	list, err := h.store.Balances(h.t.Context(), id, time.Now(), 2)
	if err != nil || len(list) != 1 {
		h.t.Fatalf("Balances = %v, %v; want one", list, err)
	}
	records, err := h.store.Records(h.t.Context(), "", 10_000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range records {
		for _, c := range limit.ReadCharges(r.Charges) {
			if c.Counter == list[0].Balance.ID {
				rows += c.N
			}
		}
	}
	return list[0].Balance, rows
}

func TestParallelOrdersNeverPassABudget(t *testing.T) {
	t.Parallel()
	var made atomic.Int64
	onEngines(t, func() generation.Maker {
		return &script{submit: func(int) (media.Status, error) {
			if made.Add(1)%5 == 0 {
				return refuse(media.BadInput)(0)
			}
			return done(0)
		}, poll: done}
	}, func(t *testing.T, h *house) {
		l := h.bound(limit.Limit{Name: "bound", Measure: limit.Dollars, Window: limit.Day, Amount: 50*price + price/2})
		ids := h.orderMany(200, fault.InsufficientCredits)
		b, _ := h.books(l.ID)
		if len(ids) != 50 || b.Held != 50*price || b.Settled != 0 {
			t.Fatalf("%d of 200 orders were accepted, and hold %+v; want 50", len(ids), b)
		}
		h.start()
		var owed int64
		for _, id := range ids {
			owed += h.end(id).Nano
		}
		if b, rows := h.books(l.ID); b.Held != 0 || b.Settled != owed || rows != owed || owed < 35*price || owed > 45*price {
			t.Errorf("after the end of all %+v, rows %d, tasks %d", b, rows, owed)
		}
	})
}

func TestGenerationsAtTheSameTimeAreBounded(t *testing.T) {
	t.Parallel()
	onEngines(t, func() generation.Maker { return &script{submit: done, poll: done} }, func(t *testing.T, h *house) {
		l := h.bound(limit.Limit{Name: "bound", Measure: limit.Generations, Amount: 7})
		requests := h.bound(limit.Limit{Name: "requests", Measure: limit.Requests, Window: limit.Day, Amount: 1000})
		ids := h.orderMany(60, fault.ConcurrencyLimit)
		if b, _ := h.books(l.ID); len(ids) != 7 || b.Held != 7 {
			t.Fatalf("%d orders were accepted, and hold %+v; want 7", len(ids), b)
		}
		h.start()
		for _, id := range ids {
			h.end(id)
		}
		b, _ := h.books(l.ID)
		if counted, rows := h.books(requests.ID); b.Held != 0 || b.Settled != 0 || counted.Settled != 7 || rows != 7 || counted.Held != 0 {
			t.Errorf("after their end %+v are held; requests %+v, rows %d", b, counted, rows)
		}
		h.order("one more") // there is room again
	})
}

func TestARateOfRequestsHoldsForOrders(t *testing.T) {
	t.Parallel()
	onEngines(t, func() generation.Maker { return &script{submit: done, poll: done} }, func(t *testing.T, h *house) {
		h.bound(limit.Limit{Name: "bound", Measure: limit.Requests, Window: limit.Minute, Amount: 10})
		if ids := h.orderMany(40, fault.RateLimited); len(ids) != 10 {
			t.Errorf("%d orders were accepted, want 10", len(ids))
		}
	})
}

// What chats have on lease and do not use comes back for orders.
func TestAnOrderGetsWhatChatsDoNotUse(t *testing.T) {
	t.Parallel()
	onEngines(t, func() generation.Maker { return &script{submit: done, poll: done} }, func(t *testing.T, h *house) {
		h.bound(limit.Limit{Name: "bound", Measure: limit.Dollars, Window: limit.Day, Amount: price})
		go h.limits.Run(t.Context())
		var hold limit.Hold
		ask := limit.Ask{
			Call: limit.Call{Workspace: "default", Key: "key_1", Model: "m"}, Input: 1, Output: 1, Sheet: &rate.Sheet{PerRequest: price / 2},
		}
		if err := h.limits.Reserve(t.Context(), &ask, &hold); err != nil {
			t.Fatal(err)
		}
		hold.Release()
		h.order("with all that there is")
	})
}

func TestADryRunSaysWhatWouldBeLeft(t *testing.T) {
	t.Parallel()
	onEngines(t, func() generation.Maker { return &script{submit: done, poll: done} }, func(t *testing.T, h *house) {
		h.bound(limit.Limit{Name: "bound", Measure: limit.Dollars, Window: limit.Day, Amount: 3 * price})
		h.order("first")
		ask, _ := media.Parse(map[string]any{"model": "test/model", "prompt": "a cat", "dry_run": true})
		task, err := h.Create(t.Context(), who, generation.DryRun, ask)
		if err != nil {
			t.Fatal(err)
		}
		if v := h.View(task); len(v.Limits) != 1 || v.Limits[0].Name != "bound" || v.Limits[0].Left != "0.04" || v.Limits[0].Amount != "0.12" || v.Limits[0].Resets == "" {
			t.Errorf("limits = %+v", v.Limits)
		}
		h.order("second")
		h.order("third")
		if _, err := h.Create(t.Context(), who, generation.DryRun, ask); fault.From(err).Code != fault.InsufficientCredits {
			t.Errorf("a dry run beyond the budget: %v", err)
		}
	})
}
