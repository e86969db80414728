package generation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/inflight"
	"stele/internal/media"
	"stele/internal/trace"
)

// mostDeaths is how often a task may bring down what works on it.
const mostDeaths = 2

// work calls a maker, or whatever else of ours works on a task, having written down
// that it does: should the process die in it, the next one knows. A panic becomes a
// failure.
func (s *Service) work(ctx context.Context, t *Task, step string, do func(context.Context) error) (err error) {
	end, err := s.Working.Begin(ctx, t.ID, t.Deaths)
	if err != nil {
		return &media.Failure{Class: media.Concurrency, Message: "The server did not come to it.", Err: err}
	}
	defer end()
	ctx, span := s.Trace.Continue(ctx, t.Order.Trace, step, t.Model)
	defer func() {
		if span.On() {
			t.describe(span, err)
		}
	}()
	defer func() {
		if v := recover(); v != nil {
			err = &media.Failure{Class: media.Panicked, Message: "The model failed.", Err: fmt.Errorf("panic: %v\n%s", v, debug.Stack())}
		}
	}()
	return do(ctx)
}

// describe says of a span what was done for the task.
func (t *Task) describe(span trace.Span, err error) {
	span.Note(slog.String(trace.Provider, t.Provider), slog.String(trace.RequestModel, t.Model), slog.String(trace.Task, t.ID))
	if err != nil {
		span.Fail(media.ToFailure(err).TaskCode())
	}
	span.End()
}

// countStumble counts a look or a copy in which the program failed. The first time it may
// be tried once more after wait; the second time the task is set aside, and wait is 0.
func (s *Service) countStumble(ctx context.Context, t *Task, f *media.Failure) (next *Task, wait time.Duration, err error) {
	if t.Deaths+1 >= mostDeaths {
		return t, 0, s.countPanic(ctx, t, f)
	}
	s.logFailure(ctx, t, "the program failed in a generation", f)
	next, err = s.update(context.WithoutCancel(ctx), t, func(t *Task) error {
		t.Deaths++
		return nil
	})
	return next, firstWait, err
}

// countPanic counts an order in which the program failed. The first time it may be sent
// again where that costs nothing; the second time it is set aside.
func (s *Service) countPanic(ctx context.Context, t *Task, f *media.Failure) error {
	s.logFailure(ctx, t, "the program failed in a generation", f)
	maker, _ := s.maker(t)
	if t.Deaths+1 >= mostDeaths || !repeats(maker) {
		return s.setAside(ctx, t, inflight.Panicked)
	}
	_, err := s.update(context.WithoutCancel(ctx), t, func(t *Task) error {
		t.Deaths++
		t.orderAgain(s.Now().Add(firstWait))
		t.AddJob(runOf(t))
		return nil
	})
	return err
}

// SetAside ends a task during which processes have died. Its client sees a
// failure; owners of its workspace see it in a list and may send it again.
func (s *Service) SetAside(ctx context.Context, id, reason string) error {
	t, err := s.Store.Task(ctx, "", id)
	if err != nil || t.Stage == Ended {
		return err
	}
	// Its owner is the process that died.
	if t, err = s.updateAny(ctx, t, func(t *Task) error { t.Owner = s.Node; return nil }); err == nil {
		err = s.setAside(ctx, t, reason)
	}
	if errors.Is(err, errMoved) {
		return nil
	}
	return err
}

func (s *Service) setAside(ctx context.Context, t *Task, reason string) error {
	nano, sure := s.owedCost(ctx, t)
	kind, about := inflight.Generation, t.Model
	if t.App != "" {
		kind, about = inflight.Run, t.App
	}
	err := s.end(ctx, t, func(t *Task) {
		t.aside = &inflight.Aside{
			ID: t.ID, Workspace: t.Workspace, Kind: kind, About: about, Subject: t.Parent, Reason: reason, Nano: t.Nano, At: s.Now(),
		}
		t.State, t.Code, t.Message = media.Failed, "generation_failed", reason+" It was set aside."
		t.Unsettled = !sure && t.App == ""
		if sure || t.Stage == Ordered {
			t.Nano, t.Credits = nano, media.Credits(nano, s.Settings().CreditsPerUSD)
		}
	})
	if err != nil {
		return err
	}
	s.Log.LogAttrs(ctx, slog.LevelError, "a generation was set aside", slog.String("generation", t.ID), slog.String("workspace", t.Workspace),
		slog.String("about", about), slog.String("reason", reason))
	if s.Aside != nil {
		s.Aside(kind)
	}
	return nil
}

// Resend orders anew what was set aside: the same order with a new id. A part of a run
// is not ordered alone, but its whole run is.
func (s *Service) Resend(ctx context.Context, who access.Principal, a inflight.Aside) (*Task, error) {
	id := a.ID
	if a.Subject != "" {
		id = a.Subject
	}
	old, err := s.Find(ctx, who.Workspace, "", id)
	if err != nil {
		return nil, err
	}
	if !old.State.Final() {
		return nil, fault.New(fault.InvalidParameter, "The run that it is a part of has not ended yet.")
	}
	now := s.Now()
	t := &Task{
		ID: NewID(), Workspace: old.Workspace, Key: old.Key, Environment: old.Environment, Sandbox: old.Sandbox, App: old.App,
		Model: old.Model, MediaType: old.MediaType, Mode: old.Mode, Provider: old.Provider, Webhook: old.Webhook, Order: old.Order,
		State: media.Pending, Stage: Ordered, Created: now, Updated: now, Deadline: now.Add(max(old.Deadline.Sub(old.Created), time.Minute)), Version: 1,
		Nano: max(old.Nano, a.Nano),
	}
	t.Credits = media.Credits(t.Nano, s.Settings().CreditsPerUSD)
	e := s.entry(who, "task.resend", old)
	e.Detail = t.ID
	t.Note(e)
	return t, s.insert(ctx, t, nil)
}
