package generation

import (
	"context"
	"errors"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/uid"
)

// stopTime is how long Delete waits for a task that it had to stop.
const stopTime = 10 * time.Second

// ErrUnfinished says that a task, or a part of it, has not ended.
var ErrUnfinished = errors.New("the task has not ended")

// Delete forgets a task of the workspace with its parts and all they made. One
// that has not ended is stopped first.
func (s *Service) Delete(ctx context.Context, who access.Principal, id string) error {
	t, err := s.Find(ctx, who.Workspace, "", id)
	if err != nil {
		return err
	}
	if t.Parent != "" {
		return fault.New(fault.InvalidParameter, "This is a part of a run: delete the run, and its parts go with it.").With("run", t.Parent)
	}
	if !t.State.Final() {
		if t, err = s.CancelBy(ctx, who, id); err != nil {
			return err
		}
	}
	for end := s.Now().Add(stopTime); !t.State.Final() && s.Now().Before(end); {
		if t, err = s.Watch(ctx, who.Workspace, "", id, t.Version, end.Sub(s.Now())); err != nil {
			return err
		}
	}
	err = s.Store.DeleteTask(ctx, who.Workspace, id, s.entry(who, "generation.delete", t))
	switch {
	case errors.Is(err, ErrUnfinished):
		return fault.New(fault.Unavailable, "It is still being stopped. Delete it again in a moment.").After(stopTime)
	case errors.Is(err, access.ErrNotFound):
		return nil // another caller has deleted it
	}
	return err
}

// entry is a line of the audit log about a task.
func (s *Service) entry(who access.Principal, action string, t *Task) access.Entry {
	return access.Entry{
		ID: uid.New("aud"), At: s.Now(), Actor: who.User, Workspace: t.Workspace, Action: action, Target: t.ID, Detail: t.Model,
	}
}
