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
	if t, err := s.Find(ctx, workspace, app, id); err != nil || t.Version > version || t.State.Final() {
		return t, err
	}
	// An order may be long: thousands who wait for one must not each have it, nor read it
	// again and again.
	for {
		select {
		case <-changed:
		case <-again.C:
		case <-end.C:
			return s.Find(ctx, workspace, app, id)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if now, err := s.Store.TaskVersion(ctx, workspace, id); err != nil || now > version {
			return s.Find(ctx, workspace, app, id)
		}
	}
}

// WakeWaiters wakes those who wait for a task that another process has changed.
func (s *Service) WakeWaiters(id string) { s.hub.wake(id) }
