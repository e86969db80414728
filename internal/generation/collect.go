package generation

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stele/internal/crash"
	"stele/internal/file"
	"stele/internal/media"
)

// collect copies what was made into this installation and ends the task. An
// attempt that breaks off leaves nothing that the next one does not use.
func (s *Service) collect(ctx context.Context, t *Task) (again time.Duration, err error) {
	maker, failure := s.maker(t)
	if failure != nil {
		return 0, s.fail(ctx, t, failure)
	}
	leave, again := s.schedule.lane(t.Provider).fetches.Enter(ctx, t.Workspace)
	if leave == nil {
		return again, nil
	}
	defer leave()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), collectTime)
	defer cancel()
	last, err := s.success(ctx, t, maker)
	if err != nil {
		return s.collectLater(ctx, t, media.ToFailure(err))
	}
	if len(last.Outputs) == 0 {
		return 0, s.fail(ctx, t, &media.Failure{Class: media.ModelFailed, Message: "The model made nothing."})
	}
	var kept []Made
	keep := s.Files.Keep
	if t.Provider == SandboxMaker { // it makes as many bytes as it is told to, and takes nothing for them
		keep = s.Files.KeepUnpaid
	}
	for place, o := range last.Outputs {
		if o.Open == nil {
			kept = append(kept, toMade(o))
			continue
		}
		var f *file.File
		err := s.work(ctx, t, "collect", func(ctx context.Context) (err error) {
			f, err = keep(ctx, t.Workspace, t.ID, place, o)
			return err
		})
		if _, theirs := errors.AsType[*media.Failure](err); err != nil && !theirs {
			return s.keepLater(ctx, t, err), nil
		} else if err != nil {
			return s.collectLater(ctx, t, media.ToFailure(err))
		}
		kept = append(kept, newMade(f, o))
		crash.Point("kept")
	}
	if err := s.succeed(ctx, t, kept, last); err != nil {
		return 0, err
	}
	crash.Point("ended")
	if holder, ok := maker.(Forgetter); ok {
		holder.Forget(t.Ticket)
	}
	return 0, nil
}

// success is what the maker said when the work was done. Only a process that did not hear it,
// or has tried with it in vain, asks again.
func (s *Service) success(ctx context.Context, t *Task, maker Maker) (status media.Status, err error) {
	if heard, ok := s.successes.LoadAndDelete(t.ID); ok {
		return heard.(media.Status), nil
	}
	err = s.work(ctx, t, "poll", func(ctx context.Context) (err error) {
		status, err = maker.Poll(ctx, t.Ticket)
		return err
	})
	if err == nil && status.State != media.Success {
		err = failureOf(status)
	}
	return status, err
}

// keepLater tries again for as long as it takes: it is this installation that cannot keep
// what was made and paid, and that passes.
func (s *Service) keepLater(ctx context.Context, t *Task, err error) (again time.Duration) {
	s.Log.LogAttrs(ctx, slog.LevelWarn, "outputs wait for the place for files", slog.String("generation", t.ID), slog.Any("error", err))
	return jitter(unsavedWait)
}

// collectLater tries again later, for as long as that can help.
func (s *Service) collectLater(ctx context.Context, t *Task, f *media.Failure) (again time.Duration, err error) {
	if f.Class == media.Panicked {
		_, again, err = s.countStumble(ctx, t, f)
		return again, err
	}
	if f.Ours() {
		return s.keepLater(ctx, t, f), nil
	}
	s.logFailure(ctx, t, "outputs could not be copied", f)
	maker, _ := s.maker(t)
	if f.Class == media.Gone && repeats(maker) {
		_, err := s.update(ctx, t, func(t *Task) error {
			if t.Stage != Collecting {
				return errMoved
			}
			t.orderAgain(s.Now().Add(breather(t)))
			t.AddJob(runOf(t))
			return nil
		})
		return 0, err
	}
	if f.Class == media.Gone {
		if wait := s.formerWait(ctx, t); wait > 0 {
			return wait, nil
		}
	}
	saved, err := s.update(ctx, t, func(t *Task) error {
		t.Collects++
		return nil
	})
	if err != nil {
		return 0, err
	}
	if saved.Collects < mostCollects && (f.CanTryAgain() || f.Class == media.SubmitUnknown) {
		return max(f.RetryAfter, backoff(saved.Collects)), nil
	}
	return 0, s.fail(ctx, t, f)
}

// newMade describes an output that became a file. What the bytes say goes before what the
// maker says.
func newMade(f *file.File, o media.Output) Made {
	m := Made{
		File: f.ID, Kind: o.Kind, Role: o.Role, Of: o.Of, Type: f.Type, Size: f.Size,
		Width: o.Width, Height: o.Height, Duration: o.Duration, Title: o.Title,
	}
	if f.Width > 0 {
		m.Width, m.Height = f.Width, f.Height
	}
	if f.Duration > 0 {
		m.Duration = f.Duration
	}
	return m
}
