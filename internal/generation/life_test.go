package generation_test

import (
	"context"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/inflight"
	"stele/internal/media"
)

func TestATaskIsMadeKeptAndShown(t *testing.T) {
	t.Parallel()
	m := &script{submit: working, poll: func(n int) (media.Status, error) {
		if n < 3 {
			return working(n)
		}
		return done(n)
	}}
	h := open(t, t.TempDir(), m)
	h.start()
	task := h.order("a cat")
	if task.State != media.Pending || task.Credits != 4 || task.Nano != 40_000_000 {
		t.Errorf("ordered: %+v", task)
	}
	task = h.end(task.ID)
	view := h.View(task)
	if task.State != media.Success || len(view.Result.Images) != 1 || view.Result.Images[0].Width != 3 || view.USD != "0.04" || view.Progress != 1 {
		t.Errorf("ended: %+v", view)
	}
	if submitted, polled, _ := m.counts(); submitted != 1 || polled != 3 {
		t.Errorf("submitted %d times and polled %d times, want 1 and 3: a success is not asked for again", submitted, polled)
	}
	records, err := h.store.Records(t.Context(), "default", 10)
	if err != nil || len(records) != 1 || records[0].Nano != 40_000_000 || records[0].Request != task.ID {
		t.Errorf("records %+v, %v", records, err)
	}
}

// TestAMakersWordWaitsForNothing: what a maker has said is saved before what can wait where
// only this process knows it: the answer to an order, and all that a call of this process says.
func TestAMakersWordWaitsForNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		maker generation.Maker
		words int64
	}{
		"it works":                     {&script{submit: working, poll: done}, 1},
		"it is done":                   {&script{submit: done}, 1},
		"it refuses":                   {&script{submit: refuse(media.BadInput)}, 1},
		"a call of this process works": {&holder{script: script{submit: working, poll: done}}, 4}, // it says so of all that is saved
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, t.TempDir(), c.maker)
			h.start()
			h.end(h.order("a cat").ID)
			if n := h.words.Load(); n != c.words {
				t.Errorf("%d words were saved so, want %d", n, c.words)
			}
		})
	}
}

// TestARunGoesOnWhenAStepEnds has a task that is to be looked at in an hour, and one that
// is a part of it and ends.
func TestARunGoesOnWhenAStepEnds(t *testing.T) {
	t.Parallel()
	m := &script{poll: done, submit: func(n int) (media.Status, error) {
		if n == 1 {
			return media.Status{State: media.Processing, Wait: time.Hour}, nil
		}
		return done(n)
	}}
	h := open(t, t.TempDir(), m)
	h.start()
	run := h.order("a run")
	for run.Stage != generation.Waiting {
		var err error
		if run, err = h.store.Task(t.Context(), "default", run.ID); err != nil {
			t.Fatal(err)
		}
	}
	ask, err := media.Parse(map[string]any{"model": "test/model", "prompt": "a step"})
	if err != nil {
		t.Fatal(err)
	}
	step, err := h.CreateStep(t.Context(), run, generation.NewID(), ask, 0)
	if err != nil {
		t.Fatal(err)
	}
	h.end(step.ID)
	if run = h.end(run.ID); run.State != media.Success {
		t.Errorf("the run has ended with %s", run.State)
	}
}

// TestWhatACrashLeftIsNeverPaidTwice finds tasks in every stage that a dead
// process may have left them in.
func TestWhatACrashLeftIsNeverPaidTwice(t *testing.T) {
	t.Parallel()
	type maker interface {
		generation.Maker
		counts() (int, int, int)
	}
	for name, c := range map[string]struct {
		maker     maker
		stage     generation.Stage
		ticket    string
		state     media.State
		code      string
		submitted int
		nano      int64 // what it has cost
		unsure    bool
	}{
		"ordered":                        {&script{submit: done, poll: done}, generation.Ordered, "", media.Success, "", 1, price, false},
		"submitting, found":              {&finder{script: script{submit: done, poll: done}, found: true}, generation.Submitting, "", media.Success, "", 0, price, false},
		"submitting, never accepted":     {&finder{script: script{submit: done, poll: done}}, generation.Submitting, "", media.Success, "", 1, price, false},
		"submitting, free to repeat":     {&repeater{script{submit: done, poll: done}}, generation.Submitting, "", media.Success, "", 1, price, false},
		"submitting, nobody knows":       {&script{submit: done, poll: done}, generation.Submitting, "", media.Failed, "provider_unavailable", 0, price, true},
		"waiting":                        {&script{submit: done, poll: done}, generation.Waiting, `"t"`, media.Success, "", 0, price, false},
		"waiting, gone":                  {&script{submit: done, poll: refuse(media.Gone)}, generation.Waiting, `"t"`, media.Failed, "provider_unavailable", 0, price, true},
		"waiting, gone, free to repeat":  {&repeater{script{submit: done, poll: refuse(media.Gone)}}, generation.Waiting, `"t"`, media.Success, "", 1, price, false},
		"collecting":                     {&script{submit: done, poll: done}, generation.Collecting, `"t"`, media.Success, "", 0, price, false},
		"collecting, gone":               {&script{submit: done, poll: refuse(media.Gone)}, generation.Collecting, `"t"`, media.Failed, "provider_unavailable", 0, price, false},
		"collecting, failed after all":   {&script{submit: done, poll: failed}, generation.Collecting, `"t"`, media.Failed, "generation_failed", 0, 0, false},
		"collecting, gone, can be again": {&repeater{script{submit: done, poll: refuse(media.Gone)}}, generation.Collecting, `"t"`, media.Success, "", 1, price, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, t.TempDir(), c.maker)
			task := h.left(c.stage, c.ticket, 10) // it had bad luck before
			h.start()
			task = h.end(task.ID)
			if submitted, _, _ := c.maker.counts(); task.State != c.state || task.Code != c.code || submitted != c.submitted {
				t.Errorf("%s %s, submitted %d times: %s", task.State, task.Code, submitted, task.Message)
			}
			if task.Nano != c.nano || task.Unsettled != c.unsure {
				t.Errorf("costs %d, unsettled %t", task.Nano, task.Unsettled)
			}
		})
	}
}

// doorkeeper is a script that takes no order before it was asked twice.
type doorkeeper struct {
	script
	house   *house
	asked   atomic.Int64
	entered int64 // when it let the order in
	early   bool  // it was written down before that the order will be sent
}

func (d *doorkeeper) Enter(context.Context, media.Request) (leave func(), again time.Duration) {
	if d.asked.Add(1) == 1 {
		return nil, time.Millisecond
	}
	came := time.Now().UnixMilli() // as the database keeps it: what was written before is of another millisecond
	for d.entered = came; d.entered == came; d.entered = time.Now().UnixMilli() {
	}
	return func() {}, 0
}

func (d *doorkeeper) Submit(ctx context.Context, req media.Request) (media.Status, error) {
	if task, err := d.house.store.Task(ctx, "", req.Key); err == nil {
		d.early = task.Asked.UnixMilli() < d.entered
	}
	return d.script.Submit(ctx, req)
}

// TestWhatWaitsForItsTurnWasNotSent has an order wait for a place at its maker, because a
// process has died in it as well: who dies meanwhile has not sent it.
func TestWhatWaitsForItsTurnWasNotSent(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d := &doorkeeper{script: script{submit: done, poll: done}}
	h := open(t, folder, d)
	working, err := inflight.Open(filepath.Join(folder, "working"))
	if err != nil {
		t.Fatal(err)
	}
	d.house, h.Working = h, working
	task := h.order("a suspect")
	if err := h.store.CountDeath(t.Context(), task.ID); err != nil {
		t.Fatal(err)
	}
	h.start()
	if task = h.end(task.ID); task.State != media.Success || task.Tries != 1 || d.asked.Load() != 2 || d.early {
		t.Errorf("%s after %d tries, asked for a place %d times, written down before it had one: %t", task.State, task.Tries, d.asked.Load(), d.early)
	}
}

func TestOnlyWhatWasNotStartedIsSentAgain(t *testing.T) {
	t.Parallel()
	twice := func(class media.Class) func(int) (media.Status, error) {
		return func(n int) (media.Status, error) {
			if n < 3 {
				return media.Status{}, &media.Failure{Class: class, Message: "No.", RetryAfter: time.Millisecond}
			}
			return done(n)
		}
	}
	for class, c := range map[media.Class]struct {
		state     media.State
		code      string
		submitted int
	}{
		media.Rate:          {media.Success, "", 3},
		media.Concurrency:   {media.Success, "", 3},
		media.Transient:     {media.Success, "", 3},
		media.Storage:       {media.Success, "", 3},
		media.BadInput:      {media.Failed, "invalid_input", 1},
		media.PolicyInput:   {media.Failed, "content_policy", 1},
		media.Auth:          {media.Failed, "provider_rejected_credentials", 1},
		media.Quota:         {media.Failed, "provider_unavailable", 1},
		media.ModelFailed:   {media.Failed, "generation_failed", 1},
		media.SubmitUnknown: {media.Failed, "provider_unavailable", 1},
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			m := &script{submit: twice(class), poll: done}
			h := open(t, t.TempDir(), m)
			h.start()
			task := h.end(h.order("again").ID)
			if submitted, _, _ := m.counts(); task.State != c.state || task.Code != c.code || submitted != c.submitted {
				t.Errorf("%s %s, submitted %d times: %s", task.State, task.Code, submitted, task.Message)
			}
			if task.Unsettled != (class == media.SubmitUnknown) {
				t.Errorf("unsettled: %t", task.Unsettled)
			}
			if task.State == media.Failed && !task.Unsettled && task.Nano != 0 {
				t.Errorf("a failure costs %d", task.Nano)
			}
		})
	}
}

func TestALookThatFailsGivesNothingUp(t *testing.T) {
	t.Parallel()
	m := &script{submit: working, poll: func(n int) (media.Status, error) {
		switch n {
		case 1:
			return media.Status{}, errBroken
		case 2:
			return media.Status{}, &media.Failure{Class: media.Auth, Message: "No."}
		}
		return done(n)
	}}
	h := open(t, t.TempDir(), m)
	h.start()
	if task := h.end(h.order("patience").ID); task.State != media.Success {
		t.Errorf("%s: %s", task.State, task.Message)
	}
}

func TestOutputsThatBreakOffAreFetchedAgain(t *testing.T) {
	t.Parallel()
	opened := 0
	flaky := picture()
	whole := flaky.Open
	flaky.Open = func(ctx context.Context) (io.ReadCloser, error) {
		if opened++; opened == 1 {
			return nil, errBroken
		}
		return whole(ctx)
	}
	give := func(int) (media.Status, error) {
		return media.Status{State: media.Success, Outputs: []media.Output{picture(), flaky}}, nil
	}
	m := &script{submit: give, poll: give}
	h := open(t, t.TempDir(), m)
	h.start()
	task := h.end(h.order("two").ID)
	files, err := h.store.Files(t.Context(), "default", 10)
	if task.State != media.Success || len(task.Outputs) != 2 || len(files) != 2 || err != nil {
		t.Errorf("%s, %d outputs, %d files, %v", task.State, len(task.Outputs), len(files), err)
	}
}

func TestATaskIsStopped(t *testing.T) {
	t.Parallel()
	m := &script{submit: working, poll: working}
	h := open(t, t.TempDir(), m)
	early := h.order("never begun")
	if got, err := h.Cancel(t.Context(), "default", early.ID); err != nil || got.State != media.Canceled {
		t.Errorf("ordered: %+v, %v", got, err)
	}
	if got, err := h.Cancel(t.Context(), "another", early.ID); err == nil {
		t.Errorf("another workspace's: %+v", got)
	}
	h.start()
	task := h.wait(h.order("begun").ID)
	// As the command line does it, from another process.
	if _, err := h.store.UpdateTask(t.Context(), task.Workspace, task.ID, func(t *generation.Task) error {
		t.Stopping = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := h.end(task.ID); got.State != media.Canceled || got.Code != "canceled" {
		t.Errorf("waiting: %s %s", got.State, got.Code)
	}
	if submitted, _, stopped := m.counts(); submitted != 1 || stopped != 1 {
		t.Errorf("submitted %d, stopped %d", submitted, stopped)
	}
	if got, err := h.Cancel(t.Context(), "default", task.ID); err != nil || got.State != media.Canceled {
		t.Errorf("ended: %+v, %v", got, err)
	}
}

func TestATaskHasADeadline(t *testing.T) {
	t.Parallel()
	m := &script{submit: working, poll: working}
	h := open(t, t.TempDir(), m)
	h.start()
	task := h.wait(h.order("late").ID)
	h.ahead.Store(int64(24 * time.Hour))
	if got := h.end(task.ID); got.State != media.Failed || got.Code != "timeout" {
		t.Errorf("%s %s", got.State, got.Code)
	}
	if _, _, stopped := m.counts(); stopped != 1 {
		t.Errorf("stopped %d times", stopped)
	}
}

// TestHangingOrdersOfOneWorkspaceDoNotStopAnothers orders more than a provider has
// places for, none of which is answered, and then one of another workspace.
func TestHangingOrdersOfOneWorkspaceDoNotStopAnothers(t *testing.T) {
	t.Parallel()
	free := make(chan struct{})
	maker := &hanging{free: free, begun: make(chan struct{}, 200)}
	h := open(t, t.TempDir(), maker)
	h.start()
	defer close(free)
	for range 150 {
		h.orderBy(access.Principal{Workspace: "default", Environment: "development"}, "hang")
	}
	for range 64 { // as many as it may have
		select {
		case <-maker.begun:
		case <-time.After(time.Minute):
			t.Fatal("the orders do not begin")
		}
	}
	other := access.Principal{Workspace: "other", Environment: "development"}
	for range 3 {
		task := h.orderBy(other, "quick")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the others hang until the end
		for version := int64(0); ; {
			got, err := h.Watch(ctx, "other", "", task.ID, version, time.Minute)
			if err != nil {
				t.Fatalf("another workspace's order waits for those that hang: %v", err)
			}
			if version = got.Version; got.State.Final() {
				break
			}
		}
		cancel()
	}
	if most := maker.most.Load(); most > 64 {
		t.Errorf("one workspace had %d orders at one provider", most)
	}
}

// hanging is a maker that answers what is quick and lets the rest wait.
type hanging struct {
	free, begun chan struct{}
	now, most   atomic.Int64
}

func (m *hanging) Submit(ctx context.Context, req media.Request) (media.Status, error) {
	if req.Prompt == "hang" {
		m.most.Store(max(m.most.Load(), m.now.Add(1)))
		defer m.now.Add(-1)
		m.begun <- struct{}{}
		select {
		case <-m.free:
		case <-ctx.Done():
		}
	}
	return done(0)
}

func (*hanging) Poll(context.Context, media.Ticket) (media.Status, error) { return done(0) }
func (*hanging) Cancel(context.Context, media.Ticket) error               { return nil }
