package generation

import (
	"context"
	"errors"

	"stele/internal/access"
	"stele/internal/media"
)

// Cancel stops a task of a workspace. A task that has ended stays as it is; the
// process that owns it does the stopping, within a second.
func (s *Service) Cancel(ctx context.Context, workspace, id string) (*Task, error) {
	return s.cancel(ctx, workspace, id, func(*Task) {})
}

// CancelBy is Cancel for a person, who is written down with it.
func (s *Service) CancelBy(ctx context.Context, who access.Principal, id string) (*Task, error) {
	return s.cancel(ctx, who.Workspace, id, func(t *Task) {
		if !t.Stopping {
			t.Note(s.entry(who, "generation.cancel", t))
		}
	})
}

func (s *Service) cancel(ctx context.Context, workspace, id string, note func(*Task)) (*Task, error) {
	t, err := s.Store.Task(ctx, workspace, id)
	if err != nil || t.Stage == Ended {
		return t, err
	}
	t, err = s.updateAny(ctx, t, func(t *Task) error {
		note(t)
		t.Stopping = true
		return nil
	})
	if errors.Is(err, errMoved) {
		return s.Store.Task(ctx, workspace, id)
	}
	if err != nil {
		return nil, err
	}
	if t.Stage == Ordered || t.Owner == s.Node && t.Stage == Waiting {
		if err := s.stop(ctx, t); err != nil && !errors.Is(err, errMoved) {
			return nil, err
		}
		return s.Store.Task(ctx, workspace, id)
	}
	return t, nil
}

// stop ends a task that its client wants stopped. What its maker has accepted is
// stopped there as well, as far as the maker can.
func (s *Service) stop(ctx context.Context, t *Task) error {
	if maker, failure := s.maker(t); failure == nil && t.Ticket != nil {
		bounded, cancel := context.WithTimeout(ctx, pollTime)
		defer cancel()
		if err := maker.Cancel(bounded, t.Ticket); err != nil {
			s.logFailure(ctx, t, "the provider did not cancel", media.ToFailure(err))
		}
	}
	return s.fail(ctx, t, canceledFailure())
}
