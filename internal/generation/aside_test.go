package generation_test

import (
	"path/filepath"
	"testing"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/inflight"
	"stele/internal/media"
)

// TestATaskInWhichTheProgramFailsTwiceIsSetAside has a maker panic at every call that
// is made of it.
func TestATaskInWhichTheProgramFailsTwiceIsSetAside(t *testing.T) {
	t.Parallel()
	explode := func(int) (media.Status, error) { panic("oh") }
	broken := func(int) (media.Status, error) {
		return media.Status{State: media.Failed, Failure: &media.Failure{Class: media.Panicked, Message: "The model failed."}}, nil
	}
	for name, test := range map[string]struct {
		maker generation.Maker
		asked int // submissions before it is given up
		owed  bool
	}{
		"a maker that repeats, in its order":   {&repeater{script{submit: explode}}, 2, false},
		"a maker that repeats, at a look":      {&repeater{script{submit: working, poll: explode}}, 1, false},
		"a maker that is paid, in its order":   {&script{submit: explode}, 1, true},
		"a maker that is paid, at a look":      {&script{submit: working, poll: explode}, 1, true},
		"a maker that fails in the background": {&repeater{script{submit: working, poll: broken}}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, t.TempDir(), test.maker)
			h.start()
			task := h.end(h.order("boom").ID)
			if task.State != media.Failed || task.Code != "generation_failed" || task.Unsettled != test.owed || (task.Nano != 0) != test.owed {
				t.Errorf("ended as %+v", task)
			}
			list, err := h.store.Asides(t.Context(), "default", 10)
			if err != nil || len(list) != 1 || list[0].ID != task.ID || list[0].Reason != inflight.Panicked || list[0].Nano != 40_000_000 {
				t.Fatalf("set aside: %+v, %v", list, err)
			}
			if n, _, _ := test.maker.(interface{ counts() (int, int, int) }).counts(); n != test.asked {
				t.Errorf("it was ordered %d times, want %d", n, test.asked)
			}
		})
	}
}

// TestWhatWasSetAsideIsOrderedAnew sets a task aside and sends it again.
func TestWhatWasSetAsideIsOrderedAnew(t *testing.T) {
	t.Parallel()
	m := &script{submit: done, poll: done}
	h := open(t, t.TempDir(), m)
	task := h.order("again")
	for range 2 { // once is enough
		if err := h.SetAside(t.Context(), task.ID, inflight.Died); err != nil {
			t.Fatal(err)
		}
	}
	h.start()
	if got := h.end(task.ID); got.State != media.Failed || got.Message != inflight.Died+" It was set aside." {
		t.Errorf("set aside: %+v", got)
	}
	list, err := h.store.Asides(t.Context(), "default", 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	owner := access.Principal{Workspace: "default", User: "user_1"}
	next, err := h.Resend(t.Context(), owner, list[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := h.end(next.ID); got.State != media.Success || got.ID == task.ID || got.Nano != 40_000_000 || got.Key != task.Key || got.Order.Prompt != "again" {
		t.Errorf("ordered anew: %+v", got)
	}
	if _, err := h.Resend(t.Context(), access.Principal{Workspace: "other"}, list[0]); err == nil {
		t.Error("another workspace sends it again")
	}
	entries, err := h.store.Entries(t.Context(), access.Filter{Workspace: "default", Action: "task.resend", Limit: 10})
	if err != nil || len(entries) != 1 || entries[0].Target != task.ID || entries[0].Detail != next.ID {
		t.Errorf("audit: %+v, %v", entries, err)
	}
}

// TestWhatWasMadeAndIsSetAsideIsPaid sets a task aside whose maker has said that it is made.
func TestWhatWasMadeAndIsSetAsideIsPaid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stage  generation.Stage
		unsure bool
	}{"made": {generation.Collecting, false}, "accepted": {generation.Waiting, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, t.TempDir(), &script{submit: done, poll: done})
			task := h.left(test.stage, `"t"`, 1)
			if err := h.SetAside(t.Context(), task.ID, inflight.Died); err != nil {
				t.Fatal(err)
			}
			if task, err := h.store.Task(t.Context(), "", task.ID); err != nil || task.Unsettled != test.unsure || task.Nano != price {
				t.Errorf("unsettled %t, %d, %v", task.Unsettled, task.Nano, err)
			}
		})
	}
}

// TestEveryCallOfAMakerIsWrittenDown looks into the record from inside of each call.
func TestEveryCallOfAMakerIsWrittenDown(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "working")
	seen := make(map[string]int)
	look := func(what string) {
		left, err := inflight.ReadLeft(path)
		if err != nil {
			t.Error(err)
		}
		seen[what] += len(left)
	}
	m := &script{
		submit: func(n int) (media.Status, error) { look("submit"); return working(n) },
		poll: func(n int) (media.Status, error) {
			if look("poll"); n == 1 {
				return working(n)
			}
			return done(n)
		},
	}
	h := open(t, folder, m)
	working, err := inflight.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	h.Working = working
	h.start()
	if task := h.end(h.order("x").ID); task.State != media.Success {
		t.Errorf("%+v", task)
	}
	h.stop()
	if left, err := inflight.ReadLeft(path); err != nil || len(left) != 0 || seen["submit"] != 1 || seen["poll"] != 2 {
		t.Errorf("seen %v, left %v, %v", seen, left, err)
	}
}

// TestPaidWorkIsLookedAtAgain has the program fail once in a look and once in a copy:
// what was paid for is not given up.
func TestPaidWorkIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	m := &script{submit: working, poll: func(n int) (media.Status, error) {
		if n == 1 {
			panic("oh")
		}
		return done(n)
	}}
	h := open(t, t.TempDir(), m)
	h.start()
	task := h.end(h.order("once").ID)
	if n, _, _ := m.counts(); task.State != media.Success || task.Deaths != 1 || n != 1 {
		t.Errorf("ordered %d times: %+v", n, task)
	}
}
