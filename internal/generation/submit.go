package generation

import (
	"bytes"
	"context"
	"errors"
	"time"

	"stele/internal/crash"
	"stele/internal/media"
)

// submit asks a maker, having written down before that it will.
func (s *Service) submit(ctx context.Context, t *Task) (again time.Duration, err error) {
	if t.Stopping {
		return 0, s.fail(ctx, t, canceledFailure())
	}
	if !s.Now().Before(t.Deadline) {
		return 0, s.fail(ctx, t, lateFailure())
	}
	maker, failure := s.maker(t)
	if failure != nil {
		return 0, s.fail(ctx, t, failure)
	}
	req, err := s.request(ctx, t)
	if failure, ok := errors.AsType[*media.Failure](err); ok {
		return 0, s.fail(ctx, t, failure)
	} else if err != nil {
		return 0, err
	}
	leave, again := s.waitToAsk(ctx, t, maker, req)
	if leave == nil {
		return again, nil
	}
	defer leave()
	asked := s.Now()
	if t, err = s.insist(ctx, t, func(t *Task) error {
		if t.Stage == Submitting && t.Owner == s.Node && t.Asked.UnixMilli() == asked.UnixMilli() {
			return nil // it was saved before, and that was not heard
		}
		if t.Stage != Ordered || t.Stopping { // who wants it stopped ends it
			return errMoved
		}
		t.Stage, t.Owner, t.Asked, t.NotBefore = Submitting, s.Node, asked, time.Time{}
		t.Tries++
		return nil
	}); err != nil {
		return 0, err
	}
	t.sent = true
	crash.Point("submitting")
	if s.Now().Sub(asked) > deadAfter/2 {
		return s.reorder(ctx, t) // others may take this process for dead by now, and the task for theirs
	}
	return s.ask(ctx, t, maker, req)
}

// waitToAsk waits until an order may be sent. All waiting is done before it is written down
// that it will be: from then on a process that dies may have sent it. Where leave is nil
// it is to be tried again.
func (s *Service) waitToAsk(ctx context.Context, t *Task, maker Maker, req media.Request) (leave func(), again time.Duration) {
	end, place := func() {}, func() {}
	if t.Deaths > 0 { // ask begins it as well, and does not wait any more
		var err error
		bounded, cancel := context.WithTimeout(ctx, submitTime)
		defer cancel()
		if end, err = s.Working.Begin(bounded, t.ID, t.Deaths); err != nil {
			return nil, firstWait
		}
	}
	if d, ok := maker.(Doorkeeper); ok {
		if place, again = d.Enter(ctx, req); place == nil {
			end()
			return nil, again
		}
	}
	left, again := s.schedule.lane(t.Provider).asks.Enter(ctx, t.Workspace)
	if left == nil {
		place()
		end()
		return nil, again
	}
	return func() { left(); place(); end() }, 0
}

// ask makes the one call that may cost money, and saves what came of it.
func (s *Service) ask(ctx context.Context, t *Task, maker Maker, req media.Request) (again time.Duration, err error) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitTime) // a stopping server must not cut off a paid call
	defer cancel()
	var status media.Status
	err = s.work(bounded, t, "submit", func(ctx context.Context) (err error) {
		status, err = maker.Submit(ctx, req)
		return err
	})
	crash.Point("submitted")
	if err != nil {
		return s.handleRefusal(ctx, t, media.ToFailure(err))
	}
	return s.saveTicket(ctx, t, status)
}

// saveTicket saves the ticket of work that a maker has taken on.
func (s *Service) saveTicket(ctx context.Context, t *Task, status media.Status) (again time.Duration, err error) {
	if status.State == media.Failed || status.State == media.Canceled {
		return s.handleRefusal(ctx, t, failureOf(status))
	}
	held := t
	t, err = s.insist(ctx, held, func(t *Task) error {
		if t.Owner == s.Node && t.Ticket != nil && bytes.Equal(t.Ticket, status.Ticket) {
			return nil // it was saved before, and that was not heard
		}
		if t.Stage != Submitting || t.Owner != s.Node {
			return errMoved
		}
		t.Stage, t.Ticket = Waiting, status.Ticket
		if status.State == media.Success {
			t.Stage = Collecting
		}
		t.take(status)
		t.NotBefore = s.Now().Add(pause(status.Wait))
		return nil
	})
	if errors.Is(err, errMoved) {
		return 0, s.keepTicket(ctx, held, status.Ticket)
	}
	if err != nil {
		return 0, err
	}
	crash.Point("ticketed")
	if t.Stopping {
		return 0, s.stop(ctx, t)
	}
	if t.Stage == Collecting {
		if len(status.Outputs) > 0 { // its price is taken over already
			s.successes.Store(t.ID, media.Status{State: media.Success, Outputs: status.Outputs})
		}
		return s.collect(ctx, t)
	}
	s.schedule.add(t)
	return 0, nil
}

// handleRefusal decides what a failed submission means. Only what proves that nothing
// was started is sent again.
func (s *Service) handleRefusal(ctx context.Context, t *Task, f *media.Failure) (again time.Duration, err error) {
	s.logFailure(ctx, t, "a submission failed", f)
	switch f.Class {
	case media.SubmitUnknown:
		return s.recover(ctx, t)
	case media.Panicked:
		return 0, s.countPanic(ctx, t, f)
	}
	wait, may := s.retryWait(t, f)
	if !may {
		return 0, s.fail(ctx, t, f)
	}
	tries := t.Tries
	if _, err = s.insist(ctx, t, func(t *Task) error {
		if t.Stage == Ordered && t.Tries == tries {
			return nil // it was saved before, and that was not heard
		}
		if t.Stage != Submitting || t.Owner != s.Node {
			return errMoved
		}
		t.orderAgain(s.Now().Add(wait))
		return nil
	}); err != nil {
		return 0, err
	}
	return wait, nil
}

// retryWait says whether and when the same order may be sent once more.
func (s *Service) retryWait(t *Task, f *media.Failure) (time.Duration, bool) {
	wait := max(f.RetryAfter, backoff(t.Tries))
	busy := f.Class == media.Rate || f.Class == media.Concurrency || f.Ours()
	may := f.CanTryAgain() && (busy || t.Tries < mostTries) && s.Now().Add(wait).Before(t.Deadline)
	return wait, may
}

// recover finds out what became of a submission whose answer was lost, in a crash
// or on the way. The maker's own record is the judge.
func (s *Service) recover(ctx context.Context, t *Task) (again time.Duration, err error) {
	maker, failure := s.maker(t)
	if failure != nil {
		return 0, s.fail(ctx, t, failure)
	}
	if repeats(maker) {
		return s.reorder(ctx, t)
	}
	finder, ok := maker.(Finder)
	if !ok {
		if wait := s.formerWait(ctx, t); wait > 0 {
			return wait, nil
		}
		return 0, s.fail(ctx, t, lostFailure())
	}
	ticket, found, err := finder.Find(ctx, t.ID, t.Asked)
	switch {
	case err != nil:
		s.logFailure(ctx, t, "a lost submission could not be looked up", media.ToFailure(err))
		if !s.Now().Before(t.Deadline) {
			return 0, s.fail(ctx, t, lostFailure())
		}
		return backoff(t.Tries), nil
	case found:
		return s.saveTicket(ctx, t, media.Status{State: media.Pending, Ticket: ticket, Progress: t.Progress, Wait: time.Millisecond})
	}
	if wait := t.Asked.Add(finder.SettledAfter()).Sub(s.Now()); wait > 0 {
		return wait, nil
	}
	return s.reorder(ctx, t)
}

// reorder puts a task back to where no maker was asked yet: nothing was started, so
// that it can be sent until its deadline.
func (s *Service) reorder(ctx context.Context, t *Task) (time.Duration, error) {
	wait, tries := breather(t), t.Tries
	t, err := s.insist(ctx, t, func(t *Task) error {
		if t.Stage == Ordered && t.Tries == tries {
			return nil // it was saved before, and that was not heard
		}
		if t.Owner != s.Node {
			return errMoved
		}
		t.orderAgain(s.Now().Add(wait))
		return nil
	})
	if err != nil {
		return 0, err
	}
	if wait > 0 {
		return wait, nil
	}
	return s.submit(ctx, t)
}

// breather is how long a task waits that was sent many times and never refused: it
// may be what brings the process down.
func breather(t *Task) time.Duration {
	if t.Tries < 2*mostTries {
		return 0
	}
	return min(backoff(t.Tries-2*mostTries+1), longestGap/4)
}

func failureOf(status media.Status) *media.Failure {
	if status.Failure != nil {
		return status.Failure
	}
	return &media.Failure{Class: media.ModelFailed, Message: "The model failed and did not say why."}
}

func canceledFailure() *media.Failure {
	return &media.Failure{Class: media.Stopped, Message: "The generation was canceled."}
}

func lateFailure() *media.Failure {
	return &media.Failure{Class: media.Late, Message: "The generation was not finished in time."}
}

func lostFailure() *media.Failure {
	return &media.Failure{
		Class:   media.SubmitUnknown,
		Message: "The provider's answer was lost, so it is not known whether it accepted the work. It was not sent a second time.",
	}
}
