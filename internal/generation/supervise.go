package generation

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

const (
	lookEvery   = time.Second
	beatEvery   = 3 * time.Second
	deadAfter   = 15 * time.Second // without a beat
	adoptAtOnce = 500
)

// Supervise polls what makers have accepted, takes over the tasks of processes that
// died, and stops what people cancel, until ctx ends. Then it waits until drained
// is closed, when the queue is done with what it was doing, and hands over the rest.
func (s *Service) Supervise(ctx context.Context, drained <-chan struct{}) {
	polling := make(chan struct{})
	go func() {
		defer close(polling)
		s.schedule.run(ctx)
	}()
	reconciling := make(chan struct{})
	go func() {
		defer close(reconciling)
		s.reconcileAll(ctx)
	}()
	s.recallPace(ctx)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	steady := time.Time{} // since when every beat was taken
	for ctx.Err() == nil {
		err := s.superviseOnce(ctx, &steady)
		if err != nil && ctx.Err() == nil {
			s.Log.LogAttrs(ctx, slog.LevelWarn, "generations are not minded", slog.Any("error", err))
		}
		if err != nil {
			steady = time.Time{}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	<-polling
	<-reconciling
	s.leave(context.WithoutCancel(ctx), tick.C, drained)
}

// leave keeps saying that this process lives until it works on nothing any more.
func (s *Service) leave(ctx context.Context, tick <-chan time.Time, drained <-chan struct{}) {
	for gone := false; !gone; {
		select {
		case <-tick:
			_ = s.Store.Beat(ctx, s.Node, s.Now()) // once missed is not dead
		case <-drained:
			gone = true
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.Store.Release(ctx, s.Node); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "generations are not handed over", slog.Any("error", err))
	}
}

// superviseOnce looks at all that is not finished.
func (s *Service) superviseOnce(ctx context.Context, steady *time.Time) error {
	if err := s.beatIfDue(ctx); err != nil {
		return err
	}
	first := steady.IsZero()
	if first {
		*steady = s.Now()
	}
	silentSince := s.silentSince(*steady, first)
	if any, err := s.Store.HasUnfinished(ctx); err != nil || !any {
		return err
	}
	for {
		adopted, err := s.takeOver(ctx, silentSince)
		for _, t := range adopted { // they are this process's now, and no other's
			if failed := s.adopt(ctx, t); failed != nil {
				s.noteMissed(t)
				err = errors.Join(err, failed)
			}
		}
		if err != nil {
			return err
		}
		if len(adopted) < adoptAtOnce {
			break
		}
	}
	if err := s.Store.StopOverdue(ctx, s.Now()); err != nil {
		return err
	}
	stopping, err := s.Store.TasksToStop(ctx, s.Node)
	if err != nil {
		return err
	}
	for _, id := range stopping {
		if err := s.stopOne(ctx, id); err != nil && !errors.Is(err, errMoved) {
			return err
		}
	}
	return nil
}

// adopt goes on with a task of another process.
func (s *Service) adopt(ctx context.Context, t *Task) error {
	if t.Stage == Waiting {
		s.schedule.add(t)
		return nil
	}
	_, err := s.update(ctx, t, func(t *Task) error {
		t.AddJob(runOf(t))
		return nil
	})
	if errors.Is(err, errMoved) {
		return nil
	}
	return err
}

// stopOne stops a task unless an attempt is at it, which will see to it itself.
func (s *Service) stopOne(ctx context.Context, id string) error {
	if !s.enter(id) {
		return nil
	}
	defer s.exit(id)
	t, err := s.Store.Task(ctx, "", id)
	if err != nil {
		return err
	}
	if t.State.Final() || t.Stage == Submitting {
		return nil
	}
	return s.stop(ctx, t)
}
