package generation_test

import (
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/media"
)

// bounded are a budget and a bound of generations at the same time.
func bounded(h *house) (budget, atOnce limit.Limit) {
	return h.bound(limit.Limit{Name: "budget", Measure: limit.Dollars, Window: limit.Day, Amount: 10 * price}),
		h.bound(limit.Limit{Name: "at once", Measure: limit.Generations, Amount: 5})
}

// wantBooks checks a budget's counter against rows.
func (h *house) wantBooks(l limit.Limit, held, settled int64) {
	h.t.Helper()
	if b, rows := h.books(l.ID); b.Held != held || b.Settled != settled || rows != settled {
		h.t.Errorf("%s: %+v, rows %d; want %d held and %d settled", l.Name, b, rows, held, settled)
	}
}

func TestWhatIsCanceledIsBookedAsTheMakerSays(t *testing.T) {
	t.Parallel()
	processing := media.Processing
	onEngines(t, func() generation.Maker { return &script{submit: working} }, func(t *testing.T, h *house) {
		maker := h.maker.(*script)
		var word atomic.Pointer[media.State]
		word.Store(&processing)
		maker.poll = func(int) (media.Status, error) {
			if s := *word.Load(); s.Final() {
				return media.Status{State: s, Outputs: []media.Output{picture()}}, nil
			}
			return working(0)
		}
		budget, atOnce := bounded(h)
		h.start()
		task := h.wait(h.order("canceled in the middle").ID)
		if _, err := h.Cancel(t.Context(), "default", task.ID); err != nil {
			t.Fatal(err)
		}
		task = h.end(task.ID)
		if task.State != media.Canceled || !task.Unsettled || task.Nano != price {
			t.Fatalf("%s, unsettled %t, %d", task.State, task.Unsettled, task.Nano)
		}
		h.wantBooks(budget, price, 0) // its maker has not said anything
		h.wantBooks(atOnce, 0, 0)
		done := media.Success
		word.Store(&done) // too late to be stopped: it was made, and is paid
		for deadline := time.Now().Add(time.Minute); task.Unsettled && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			task, _ = h.store.Task(t.Context(), "", task.ID)
		}
		if task.State != media.Canceled || task.Unsettled || task.Nano != price || task.Holds != nil {
			t.Errorf("%s, unsettled %t, %d, holds %v", task.State, task.Unsettled, task.Nano, task.Holds)
		}
		h.wantBooks(budget, 0, price)

		failed := media.Failed
		word.Store(&failed)
		h.end(h.order("said to have failed").ID)
		h.wantBooks(budget, 0, price)
		h.wantBooks(atOnce, 0, 0)
	})
}

// holder is a script whose work is done by a call of this process.
type holder struct {
	script
	forgotten atomic.Bool
}

func (h *holder) Holds(media.Ticket) bool { return !h.forgotten.Load() }
func (h *holder) Forget(media.Ticket)     { h.forgotten.Store(true) }

func TestACallThatGoesOnIsBookedAsItEnds(t *testing.T) {
	t.Parallel()
	onEngines(t, func() generation.Maker { return &holder{script: script{submit: working}} }, func(t *testing.T, h *house) {
		maker := h.maker.(*holder)
		var over atomic.Bool
		maker.poll = func(n int) (media.Status, error) {
			if over.Load() {
				return done(n)
			}
			return working(n)
		}
		budget, _ := bounded(h)
		h.start()
		task := h.wait(h.order("canceled while it is called for").ID)
		if _, err := h.Cancel(t.Context(), "default", task.ID); err != nil {
			t.Fatal(err)
		}
		task = h.end(task.ID)
		if task.State != media.Canceled || !task.Unsettled || maker.forgotten.Load() {
			t.Fatalf("%s, unsettled %t", task.State, task.Unsettled)
		}
		if _, err := h.store.UpdateTask(t.Context(), "default", task.ID, func(t *generation.Task) error {
			t.NotBefore = time.Now().Add(time.Hour) // another process could not look at it
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		over.Store(true)
		for deadline := time.Now().Add(time.Minute); !maker.forgotten.Load() && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		}
		if task, _ = h.store.Task(t.Context(), "", task.ID); task.Unsettled || task.Nano != price || !maker.forgotten.Load() {
			t.Errorf("unsettled %t, %d, forgotten %t", task.Unsettled, task.Nano, maker.forgotten.Load())
		}
		h.wantBooks(budget, 0, price)
	})
}

// What a provider calls a success it charges for, and what it was asked for in a call
// that broke off it may charge for.
func TestEndsWithoutAnOutputAreBookedAsTheMakerSays(t *testing.T) {
	t.Parallel()
	onEngines(t, func() generation.Maker { return &script{submit: working} }, func(t *testing.T, h *house) {
		maker := h.maker.(*script)
		var failure atomic.Pointer[media.Failure]
		maker.poll = func(int) (media.Status, error) {
			return media.Status{State: media.Failed, Failure: failure.Load()}, nil
		}
		budget, _ := bounded(h)
		h.start()
		failure.Store(&media.Failure{Class: media.ModelFailed, Message: "Nothing to show.", Charged: true})
		if task := h.end(h.order("empty").ID); task.Unsettled || task.Nano != price {
			t.Errorf("empty: unsettled %t, %d", task.Unsettled, task.Nano)
		}
		h.wantBooks(budget, 0, price)
		failure.Store(&media.Failure{Class: media.SubmitUnknown, Message: "The answer was lost."})
		if task := h.end(h.order("broken off").ID); !task.Unsettled || task.Nano != price {
			t.Errorf("broken off: unsettled %t, %d", task.Unsettled, task.Nano)
		}
		h.wantBooks(budget, price, price)
	})
}

func TestAnUnsureOrderIsSettledByHand(t *testing.T) {
	t.Parallel()
	onEngines(t, func() generation.Maker { return &script{submit: refuse(media.SubmitUnknown), poll: done} }, func(t *testing.T, h *house) {
		budget, atOnce := bounded(h)
		h.start()
		task := h.end(h.order("its answer was lost").ID)
		if !task.Unsettled || task.State != media.Failed {
			t.Fatalf("%s, unsettled %t", task.State, task.Unsettled)
		}
		h.wantBooks(budget, price, 0)
		h.wantBooks(atOnce, 0, 0)
		if list, err := h.store.ListUnsettled(t.Context(), "default", time.Now().Add(time.Hour), 10); err != nil || len(list) != 1 || list[0].ID != task.ID {
			t.Errorf("Unsettled = %v, %v", list, err)
		}
		operator := access.CommandLine("default")
		if n, err := h.store.DeleteTasksBefore(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
			t.Errorf("DeleteTasksBefore forgot %d, %v", n, err)
		}
		task, err := h.SettleByHand(t.Context(), operator, task.ID, 10_000_000)
		if err != nil || task.Unsettled || task.Nano != 10_000_000 {
			t.Fatalf("SettleByHand = %+v, %v", task, err)
		}
		h.wantBooks(budget, 0, 10_000_000)
		if _, err := h.SettleByHand(t.Context(), operator, task.ID, 0); fault.From(err).Code != fault.InvalidParameter {
			t.Errorf("a second time: %v", err)
		}
		if _, err := h.SettleByHand(t.Context(), who, task.ID, 0); fault.From(err).Code != fault.PermissionDenied {
			t.Errorf("by a key: %v", err)
		}
		h.wantBooks(budget, 0, 10_000_000)
	})
}
