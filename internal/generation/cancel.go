package generation

import (
	"context"
	"errors"

	"stele/internal/media"
)

// Cancel stops a task of a workspace. A task that has ended stays as it is; the
// process that owns it does the stopping, within a second.
func (s *Service) Cancel(ctx context.Context, workspace, id string) (*Task, error) {
	t, err := s.Store.Task(ctx, workspace, id)
	if err != nil || t.Stage == Ended {
		return t, err
	}
	t, err = s.update(ctx, id, func(t *Task) error {
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

// stop ends a task that somebody wants stopped. What its maker has accepted is
// stopped there as well, as far as the maker can.
func (s *Service) stop(ctx context.Context, t *Task) error {
	if maker, failure := s.maker(t); failure == nil && t.Ticket != nil {
		bounded, cancel := context.WithTimeout(ctx, pollTime)
		defer cancel()
		if err := maker.Cancel(bounded, t.Ticket); err != nil {
			s.told(ctx, t, "the provider did not cancel", media.Failing(err))
		}
	}
	return s.fail(ctx, t, canceled())
}
