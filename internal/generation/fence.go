package generation

import (
	"context"
	"errors"
	"time"

	"stele/internal/fault"
)

const (
	beatTime    = 5 * time.Second // one that takes longer was not taken
	unsavedWait = 3 * time.Second // before something is tried again that the store or the place for files could not take
	longestTry  = time.Hour       // of saving what only this process knows
)

// beatIfDue says every few seconds that this process lives.
func (s *Service) beatIfDue(ctx context.Context) error {
	if heard := s.heard.Load(); heard != 0 && s.Now().Sub(time.UnixMilli(heard)) < beatEvery {
		return nil
	}
	return s.beat(ctx)
}

// beat says that this process lives. One that could not say so for long has lapsed:
// others may have adopted its tasks.
func (s *Service) beat(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, beatTime)
	defer cancel()
	now := s.Now()
	if err := s.Store.Beat(bounded, s.Node, now); err != nil {
		return err
	}
	if s.silent(now) {
		s.lapses.Add(1)
	}
	s.heard.Store(now.UnixMilli())
	return nil
}

// silent reports whether this process has not been heard of for so long that others may
// take it for dead.
func (s *Service) silent(now time.Time) bool {
	heard := s.heard.Load()
	return !s.Alone && heard != 0 && now.Sub(time.UnixMilli(heard)) >= deadAfter
}

// beHeard says that this process lives, where others may take it for dead: what it takes back from one that has adopted it
// would be adopted again at once.
func (s *Service) beHeard(ctx context.Context) {
	if s.silent(s.Now()) {
		_ = s.beat(ctx) // the store may be away: then nothing is taken back either
	}
}

// silentSince is since when a process must have been silent to be dead. When the store
// has been away all are silent: until they had time to be heard of again, only those are
// dead that are known to be.
func (s *Service) silentSince(steady time.Time, first bool) time.Time {
	now := s.Now()
	switch {
	case s.Alone && first:
		return now // every other owner is dead
	case !s.Alone && now.Sub(steady) < deadAfter:
		return time.Time{}
	}
	return now.Add(-deadAfter)
}

// checkFollowed reports, by an error, that a task that was followed before a lapse is not this
// process's any more; wait is above zero while that cannot be known.
func (s *Service) checkFollowed(ctx context.Context, t *Task) (now *Task, wait time.Duration, err error) {
	if s.silent(s.Now()) {
		return t, unsavedWait, nil
	}
	lapses := s.lapses.Load()
	if t.lapse == lapses {
		return t, 0, nil
	}
	saved, err := s.Store.Task(ctx, t.Workspace, t.ID)
	if err != nil {
		return t, 0, err
	}
	if saved.Owner != s.Node && s.knowsMore(t, saved) {
		saved, err = s.updateFollowed(ctx, t, func(*Task) {}) // who has adopted it sees nothing of it
	}
	if err != nil {
		return t, 0, err
	}
	if saved.Stage != Waiting || saved.Owner != s.Node {
		if saved.Stage == Ended && saved.Unsettled && s.holds(t) {
			s.doubtful.Store(t.ID, true)
		}
		return t, 0, errMoved
	}
	saved.lapse = lapses
	return saved, 0, nil
}

// insist is update for what is known nowhere else, such as the ticket of work that is
// paid: while the store is away it is tried again. change may be called again after it
// was saved.
func (s *Service) insist(ctx context.Context, t *Task, change func(*Task) error) (*Task, error) {
	for begun := time.Now(); ; {
		s.beHeard(context.WithoutCancel(ctx))
		saved, err := s.update(context.WithoutCancel(ctx), t, change)
		if err == nil || !fault.From(err).Away || time.Since(begun) > longestTry {
			return saved, err
		}
		if errors.Is(ctx.Err(), context.Canceled) { // the server is stopping: who starts next looks for it
			return saved, err
		}
		time.Sleep(jitter(unsavedWait / 3))
	}
}
