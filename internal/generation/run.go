package generation

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/media"
)

// Run takes a task one step further. It is called by a queue, at least once for
// each job; again says when the queue is to call it next, 0 for never.
func (s *Service) Run(ctx context.Context, j Run) (again time.Duration, err error) {
	if !s.enter(j.ID) {
		return time.Second, nil // an older attempt is at it
	}
	defer s.exit(j.ID)
	t, err := s.Store.Task(ctx, "", j.ID)
	if errors.Is(err, access.ErrNotFound) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	if wait := t.NotBefore.Sub(s.Now()); wait > 0 && t.Stage != Waiting && !t.Stopping {
		return wait, nil
	}
	again, err = s.step(ctx, t)
	if errors.Is(err, errMoved) {
		return 0, nil
	}
	return again, err
}

// notMine is how soon a job comes back that another process has to do.
const notMine = 300 * time.Millisecond

func (s *Service) step(ctx context.Context, t *Task) (again time.Duration, err error) {
	switch t.Stage {
	case Ordered:
		return s.submit(ctx, t)
	case Submitting, Collecting:
		switch {
		case t.Owner == "" && t.Stage == Collecting, t.Owner == s.Node, t.Stage == Collecting && s.holds(t):
		default: // its owner may hold the outputs, or be asking right now; who adopts it comes by as well
			return notMine, nil
		}
		if t.Stage == Collecting {
			return s.collect(ctx, t)
		}
		return s.recover(ctx, t)
	case Waiting:
		if t.Owner == s.Node {
			s.schedule.add(t)
		}
	case Ended:
		s.successes.Delete(t.ID)
	}
	return 0, nil
}

// NoMakerError says that the provider of a task's model is there no more.
func NoMakerError() *media.Failure {
	return &media.Failure{Class: media.Quota, Message: "The provider of this model is not configured any more."}
}

// maker is who makes the task, or a failure that says why there is none.
func (s *Service) maker(t *Task) (Maker, *media.Failure) {
	m, ok := s.Makers(t.Provider)
	if !ok {
		return nil, NoMakerError()
	}
	return m, nil
}

// request is what the maker is asked for. Its error is a *media.Failure where the order
// cannot be asked for at all.
func (s *Service) request(ctx context.Context, t *Task) (media.Request, error) {
	if t.App != "" {
		return media.Request{Key: t.ID, Workspace: t.Workspace, Deaths: t.Deaths}, nil // its maker reads the task itself
	}
	model, ok := s.Catalog.MediaModel(t.Model)
	if !ok {
		return media.Request{}, &media.Failure{Class: media.Quota, Message: "The model is not offered any more."}
	}
	operation := model.Operation(t.Mode)
	if operation == nil {
		return media.Request{}, &media.Failure{Class: media.Quota, Message: "The model does not have this mode any more."}
	}
	req := media.Request{
		Key: t.ID, Workspace: t.Workspace, Deaths: t.Deaths, Model: model, Operation: operation, Prompt: t.Order.Prompt,
		Parameters: operation.WithTypes(t.Order.Parameters),
	}
	for _, from := range t.Order.Sources {
		source, err := s.Files.Source(ctx, t.Workspace, from.Field, from.File)
		if fault.From(err) != nil && fault.From(err).Unsure() {
			return req, err // whether it is there will be seen
		}
		if err != nil {
			return req, &media.Failure{Class: media.BadInput, Message: "A file of the order is not there any more.", Err: err}
		}
		req.Sources = append(req.Sources, source)
	}
	return req, nil
}

// logFailure logs a failure with its cause.
func (s *Service) logFailure(ctx context.Context, t *Task, what string, f *media.Failure) {
	s.Log.LogAttrs(ctx, slog.LevelWarn, what, slog.String("generation", t.ID), slog.String("model", t.Model),
		slog.String("provider", t.Provider), slog.String("class", string(f.Class)), slog.Any("error", f))
}
