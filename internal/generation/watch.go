package generation

import (
	"context"
	"time"
)

// lookAgain is how often a waiting client's task is looked at where no process rings:
// another process may have changed it.
const lookAgain = 2 * time.Second

// Watch waits until a task has changed from version on, or wait is over, and
// gives it as it is then.
func (s *Service) Watch(ctx context.Context, workspace, app, id string, version int64, wait time.Duration) (*Task, error) {
	changed, leave := s.hub.subscribe(id)
	defer leave()
	end := time.NewTimer(wait)
	defer end.Stop()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		t, err := s.Find(ctx, workspace, app, id)
		if err != nil || t.Version > version || t.State.Final() {
			return t, err
		}
		select {
		case <-changed:
		case <-again.C:
		case <-end.C:
			return t, nil
		case <-ctx.Done():
			return t, ctx.Err()
		}
	}
}

// Changed wakes those who wait for a task that another process has changed.
func (s *Service) Changed(id string) { s.hub.wake(id) }
