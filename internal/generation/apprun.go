package generation

import (
	"context"
	"errors"
	"time"

	"stele/internal/access"
	"stele/internal/file"
	"stele/internal/media"
)

// AppMaker is the maker of tasks that are made of other tasks.
const AppMaker = "stele/apps"

// AppRun is an order that is made of other tasks: the run of an app.
type AppRun struct {
	App       string
	MediaType string
	Model     string // that makes the last of it, for clients that expect one
	Mode      string
	Recipe    string // the app's file
	Values    map[string]any
	Files     []Input // that the client gave, in its order
	Nano      int64   // what it will cost, as far as that is known
	Deadline  time.Duration
	media.Extras
}

// Input is a file that a client gave for an app.
type Input struct{ Field, URL, Kind string }

// CreateRun writes down a run of an app with the job that begins it. A dry run
// does all but the writing.
func (s *Service) CreateRun(ctx context.Context, who access.Principal, id string, run AppRun) (*Task, error) {
	if err := s.checkWebhook(run.Webhook); err != nil {
		return nil, err
	}
	settings := s.Settings()
	if err := s.checkRoom(ctx, who, settings.Unfinished); err != nil {
		return nil, err
	}
	now := s.Now()
	t := &Task{
		ID: id, Workspace: who.Workspace, Key: who.Key, Environment: string(who.Environment), Sandbox: who.Sandbox, App: run.App,
		MediaType: run.MediaType, Model: run.Model, Mode: run.Mode, Provider: AppMaker, Webhook: run.Webhook,
		Order: Order{Parameters: run.Values, Recipe: run.Recipe, User: who.User}.by(&who),
		State: media.Pending, Stage: Ordered, Created: now, Updated: now, Deadline: now.Add(run.Deadline), Version: 1, Nano: run.Nano,
		CancelAt: cancelAt(now, run.Within),
	}
	if who.Sandbox {
		t.Nano = 0
	}
	t.Credits = media.Credits(t.Nano, settings.CreditsPerUSD)
	if err := s.Share.TakeRoom(ctx, t.Workspace, orderSize(t, run.DryRun)); err != nil {
		return nil, err
	}
	taken, err := s.takeInputs(ctx, t, run)
	if err == nil && run.DryRun {
		t.preview, err = s.Limits.Preview(ctx, callOf(t), t.Nano)
	}
	if err != nil || run.DryRun {
		s.drop(ctx, taken)
		return t, err
	}
	if who.User != "" {
		e := s.entry(who, "app.run", t)
		e.Detail = t.App
		t.Note(e)
	}
	if err := s.insert(ctx, t, taken); err != nil {
		return nil, err
	}
	return t, nil
}

// takeInputs makes files of what the client gave, and tells which of them are new.
func (s *Service) takeInputs(ctx context.Context, t *Task, run AppRun) (taken []string, err error) {
	for _, given := range run.Files {
		if taken, err = s.takeFile(ctx, t, taken, given.URL, file.Want{Field: given.Field, Kind: given.Kind, Dry: run.DryRun}); err != nil {
			return taken, err
		}
	}
	return taken, nil
}

// CreateStep writes down a task that is a step of a run, once: a step that is there
// already is given back as it is. It ends with its parent's deadline at
// the latest.
func (s *Service) CreateStep(ctx context.Context, parent *Task, id string, ask media.Ask, within time.Duration) (*Task, error) {
	t, err := s.Store.Task(ctx, parent.Workspace, id)
	if !errors.Is(err, access.ErrNotFound) {
		return t, err
	}
	who := PrincipalNow(parent, s.Rights)
	t, operation, err := s.plan(who, id, &ask)
	if err != nil {
		return nil, err
	}
	t.Parent, t.Webhook = parent.ID, ""
	taken, err := s.take(ctx, t, operation, &ask)
	if err != nil {
		s.drop(ctx, taken)
		return nil, err
	}
	t.Deadline = earliest(t.Deadline, parent.Deadline)
	if within > 0 {
		t.Deadline = earliest(t.Deadline, s.Now().Add(within))
	}
	err = s.insert(ctx, t, taken)
	if errors.Is(err, access.ErrExists) {
		return s.Store.Task(ctx, parent.Workspace, id)
	}
	return t, err
}

// PrincipalOf is who ordered a task. Which models the key opens was asked before
// the task was written down.
func PrincipalOf(t *Task) access.Principal {
	return access.Principal{
		Workspace: t.Workspace, Key: t.Key, Environment: access.Environment(t.Environment), Sandbox: t.Sandbox,
		Creator: t.Order.Person, For: access.Attribution{User: t.Order.EndUser, Tags: t.Order.Tags},
	}
}

// PrincipalNow is PrincipalOf with what the policy of its workspace leaves open by now, which may
// have changed since the task was ordered; rights nil: all.
func PrincipalNow(t *Task, rights func(workspace string) access.Scope) access.Principal {
	who := PrincipalOf(t)
	if rights != nil {
		who.Scope = rights(t.Workspace)
		if who.Sandbox {
			who.Scope = who.Scope.InSandbox()
		}
	}
	return who
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// failRun ends a run that failed. What its parts cost is owed all the same.
func (s *Service) failRun(ctx context.Context, t *Task, status media.Status) error {
	f := failureOf(status)
	s.logFailure(ctx, t, "a run failed", f)
	return s.end(ctx, t, func(t *Task) {
		t.failWith(f, s.Now())
		s.settle(t, status)
	})
}

// toMade takes over an output that is no file, or one of this installation.
func toMade(o media.Output) Made {
	return Made{
		File: o.File, Kind: o.Kind, Role: o.Role, Of: o.Of, Type: o.Type, Size: o.Size, Width: o.Width, Height: o.Height,
		Duration: o.Duration, Title: o.Title, Text: o.Text, Data: o.Data,
	}
}
