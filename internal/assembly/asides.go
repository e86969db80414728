package assembly

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/inflight"
	"stele/internal/uid"
)

// openRecord reads what the last process was working on when it died, and begins the
// record of this one.
func (w *mediaStack) openRecord(path string) (err error) {
	if w.left, err = inflight.ReadLeft(path); err != nil {
		return err
	}
	w.working, err = inflight.Open(path)
	return err
}

// blame counts the death of the last process for all it was working on, and sets aside
// what has brought down two. Where that fails the server starts all the same.
func (w *mediaStack) blame(ctx context.Context) {
	deaths, err := w.store.Deaths(ctx, w.left)
	if err != nil || len(deaths) == 0 {
		w.clearBlame(ctx, err)
		return
	}
	w.log.LogAttrs(ctx, slog.LevelWarn, "the last process died while it worked", slog.Int("tasks", len(deaths)))
	guilty, counted := inflight.Verdict(deaths)
	for _, id := range counted {
		w.clearBlame(ctx, w.store.CountDeath(ctx, id))
	}
	switch {
	case guilty == "":
	case strings.HasPrefix(guilty, "msg_"):
		w.clearBlame(ctx, w.webhooks.SetAside(ctx, guilty, inflight.Died))
	default:
		w.clearBlame(ctx, w.generations.SetAside(ctx, guilty, inflight.Died))
	}
}

func (w *mediaStack) clearBlame(ctx context.Context, err error) {
	if err != nil {
		w.log.LogAttrs(ctx, slog.LevelWarn, "the death of the last process was not counted", slog.Any("error", err))
	}
}

// asides is what the console's list of tasks that were set aside stands on.
type asides struct{ *mediaStack }

// mostAsides is how many are listed.
const mostAsides = 500

// List lists what was set aside in a workspace, the newest first.
func (a asides) List(ctx context.Context, workspace string) ([]inflight.Aside, error) {
	return a.store.Asides(ctx, workspace, mostAsides)
}

// Resend sends a task again.
func (a asides) Resend(ctx context.Context, who access.Principal, id string) error {
	task, err := a.find(ctx, who, id)
	if err != nil {
		return err
	}
	if task.Kind == inflight.Webhook {
		if err := a.store.ForgetAside(ctx, who.Workspace, id, entryOf(who, "task.resend", task)); err != nil {
			return err
		}
		err := a.store.Replay(ctx, id)
		if errors.Is(err, access.ErrNotFound) {
			return fault.New(fault.NotFound, "The message is not kept any more.")
		}
		return err
	}
	if _, err := a.generations.Resend(ctx, who, task); err != nil {
		return err
	}
	return a.store.ForgetAside(ctx, who.Workspace, id, access.Entry{})
}

// Forget takes a task off the list.
func (a asides) Forget(ctx context.Context, who access.Principal, id string) error {
	task, err := a.find(ctx, who, id)
	if err != nil {
		return err
	}
	return a.store.ForgetAside(ctx, who.Workspace, id, entryOf(who, "task.forget", task))
}

func (a asides) find(ctx context.Context, who access.Principal, id string) (inflight.Aside, error) {
	task, err := a.store.Aside(ctx, who.Workspace, id)
	if errors.Is(err, access.ErrNotFound) {
		return task, fault.New(fault.NotFound, "It is not on the list any more.")
	}
	return task, err
}

func entryOf(who access.Principal, action string, task inflight.Aside) access.Entry {
	return access.Entry{
		ID: uid.New("aud"), At: time.Now(), Actor: who.User, Workspace: who.Workspace, Action: action, Target: task.ID, Detail: task.About,
	}
}
