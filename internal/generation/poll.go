package generation

import (
	"context"
	"errors"
	"slices"
	"time"

	"stele/internal/crash"
	"stele/internal/media"
)

// poll looks once at work that a maker has accepted. The database is written only
// when something has changed.
func (s *Service) poll(ctx context.Context, t *Task) {
	t, wait, err := s.checkFollowed(ctx, t)
	next := t
	if err == nil && wait == 0 {
		if next, wait, err = s.look(ctx, t); next != nil {
			next.lapse = t.lapse
		}
	}
	switch {
	case err == nil && wait > 0:
		s.schedule.pollAgain(next, wait)
	case err == nil || errors.Is(err, errMoved):
		s.schedule.drop(t)
	case ctx.Err() != nil: // another process will adopt it
		s.schedule.drop(t)
	default:
		s.logFailure(ctx, t, "a generation could not be followed", media.ToFailure(err))
		s.schedule.pollAgain(t, unsavedWait)
	}
}

// look asks the maker and takes the task as far as the answer allows. wait is how
// long until the next look, 0 for none.
func (s *Service) look(ctx context.Context, t *Task) (next *Task, wait time.Duration, err error) {
	maker, failure := s.maker(t)
	if failure != nil {
		return t, 0, s.fail(ctx, t, failure)
	}
	if !s.Now().Before(t.Deadline) {
		_ = maker.Cancel(ctx, t.Ticket) // as good as it can
		return t, 0, s.fail(ctx, t, lateFailure())
	}
	bounded, cancel := context.WithTimeout(ctx, pollTime)
	var status media.Status
	err = s.work(bounded, t, "poll", func(ctx context.Context) (err error) {
		status, err = maker.Poll(ctx, t.Ticket)
		return err
	})
	cancel()
	if err != nil {
		return s.handleUnseen(ctx, t, maker, media.ToFailure(err))
	}
	switch status.State {
	case media.Success:
		return t, 0, s.copyOutputs(ctx, t, status)
	case media.Failed, media.Canceled:
		if t.App != "" {
			return t, 0, s.failRun(ctx, t, status)
		}
		return t, 0, s.endBroken(ctx, t, failureOf(status))
	}
	wait = pause(status.Wait)
	if !t.isChangedBy(status) || status.Steps == nil && !s.progress.allow(t.Workspace, s.Now()) {
		return t, wait, nil
	}
	next, err = s.updateFollowed(ctx, t, func(t *Task) { t.take(status) })
	return next, wait, err
}

// handleUnseen decides what a failed look means. Paid work is given up only when its
// maker does not know it any more.
func (s *Service) handleUnseen(ctx context.Context, t *Task, maker Maker, f *media.Failure) (next *Task, wait time.Duration, err error) {
	if f.Class == media.Panicked {
		return s.countStumble(ctx, t, f)
	}
	if f.Class != media.Gone {
		t.blind++
		return t, max(f.RetryAfter, backoff(t.blind)), nil
	}
	if repeats(maker) {
		_, err = s.updateFollowed(ctx, t, func(t *Task) {
			t.orderAgain(s.Now().Add(breather(t)))
			t.AddJob(runOf(t))
		})
		return t, 0, err
	}
	if wait := s.formerWait(ctx, t); wait > 0 {
		return t, wait, nil
	}
	return t, 0, s.fail(ctx, t, f)
}

// copyOutputs has the outputs of finished work copied.
func (s *Service) copyOutputs(ctx context.Context, t *Task, status media.Status) error {
	s.successes.Store(t.ID, status) // before a worker can look for it
	_, err := s.updateFollowed(ctx, t, func(t *Task) {
		t.Stage, t.State, t.NotBefore = Collecting, media.Processing, time.Time{} // it may have been hastened
		t.AddJob(runOf(t))
	})
	crash.Point("made")
	if err != nil {
		s.successes.Delete(t.ID)
	}
	return err
}

// endBroken ends a task whose work failed, or sends it again where nothing was paid.
func (s *Service) endBroken(ctx context.Context, t *Task, f *media.Failure) error {
	if f.Class == media.Panicked {
		return s.countPanic(ctx, t, f)
	}
	s.logFailure(ctx, t, "a generation failed", f)
	wait, may := s.retryWait(t, f)
	if !may {
		return s.fail(ctx, t, f)
	}
	_, err := s.updateFollowed(ctx, t, func(t *Task) {
		t.orderAgain(s.Now().Add(wait))
		t.AddJob(runOf(t))
	})
	return err
}

// updateFollowed changes a task that this process follows.
func (s *Service) updateFollowed(ctx context.Context, t *Task, change func(*Task)) (*Task, error) {
	return s.update(ctx, t, func(t *Task) error {
		if t.Stage != Waiting || t.Owner != s.Node {
			return errMoved
		}
		change(t)
		return nil
	})
}

// isChangedBy reports whether clients would see a difference.
func (t *Task) isChangedBy(status media.Status) bool {
	return status.State == media.Processing && t.State == media.Pending || status.Progress >= t.Progress+0.01 || status.Position != t.Position ||
		status.Steps != nil && !slices.Equal(status.Steps, t.Steps)
}

// take takes over what a maker says of work that goes on. Nothing goes back.
func (t *Task) take(status media.Status) {
	if status.State != media.Pending {
		t.State = media.Processing
	}
	t.Progress = max(t.Progress, min(status.Progress, 0.99))
	t.blind, t.Position = 0, status.Position
	t.bill(status)
	if status.Steps != nil {
		t.Steps = status.Steps
	}
}

// bill takes over what a maker says of the price.
func (t *Task) bill(status media.Status) {
	if status.Nano > 0 || status.Settled {
		t.Nano = status.Nano
	}
}
