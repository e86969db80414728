package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/crash"
	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/media"
)

// look takes a run as far as it goes now, and tells how far that is.
func (r *Runner) look(ctx context.Context, id string) (media.Status, error) {
	defer r.lockRun(id)()
	if r.ctx.Err() != nil {
		return media.Status{}, &media.Failure{Class: media.Transient, Message: "This server is stopping."}
	}
	task, err := r.Tasks.Task(ctx, "", id)
	if errors.Is(err, access.ErrNotFound) {
		return media.Status{}, &media.Failure{Class: media.Quota, Message: "The run is not there any more.", Err: err}
	} else if err != nil {
		return media.Status{}, err
	}
	status, err := r.goOn(ctx, task)
	if errors.Is(err, errBusy) { // nothing was lost, and nothing is to be told
		return media.Status{State: media.Processing, Progress: task.Progress, Steps: task.Steps, Wait: lookLater}, nil
	}
	if f, ok := errors.AsType[*media.Failure](err); ok && f.Class == media.BadInput { // it would be the same each time
		return r.giveUp(ctx, task, f)
	}
	return status, err
}

// giveUp ends a run that nothing can be done for any more.
func (r *Runner) giveUp(ctx context.Context, task *generation.Task, f *media.Failure) (media.Status, error) {
	spent, err := r.CostSoFar(ctx, task.ID)
	if err != nil {
		return media.Status{}, err
	}
	steps, err := r.Store.Steps(ctx, task.ID)
	if err != nil {
		return media.Status{}, err
	}
	if err := r.stop(ctx, task, steps); err != nil {
		return media.Status{}, err
	}
	return media.Status{State: media.Failed, Failure: f, Nano: spent, Settled: true}, nil
}

// goOn takes a run as far as it goes now.
func (r *Runner) goOn(ctx context.Context, task *generation.Task) (media.Status, error) {
	recipe, err := r.recipe(ctx, task, shortPatience)
	if err != nil {
		return media.Status{}, err
	}
	steps, err := r.Store.Steps(ctx, task.ID)
	if err != nil {
		return media.Status{}, err
	}
	run := newRun(task, recipe, steps)
	said := run.answeredBytes()
	if !r.hold(task, said) {
		return media.Status{}, errBusy
	}
	defer r.letGo(task, said)
	if err := r.advance(ctx, run); err != nil {
		return media.Status{}, err
	}
	return r.conclude(ctx, run)
}

// advance begins and follows every step that can be. One that ends at once may let
// others begin: all steps come after those they need.
func (r *Runner) advance(ctx context.Context, run *run) error {
	for _, i := range run.recipe.order {
		s := &run.recipe.Steps[i]
		if !run.ready(s) {
			continue
		}
		if err := r.step(ctx, run, s); err != nil {
			return err
		}
		if run.broken != nil {
			return nil
		}
	}
	return nil
}

// ready reports whether all that a step needs has ended.
func (r *run) ready(s *Step) bool {
	return !slices.ContainsFunc(s.needs, func(n int) bool { return !r.ended[r.recipe.Steps[n].ID] })
}

// step begins what can begin of a step, and looks at what is on its way.
func (r *Runner) step(ctx context.Context, run *run, s *Step) error {
	items, left, err := r.items(ctx, run, s)
	if err != nil && !final(err) {
		return err
	}
	if err != nil || left {
		run.ended[s.ID] = true
		d := &Done{Run: run.task.ID, Step: s.ID, State: Skipped, Began: r.Now()}
		if err != nil {
			d.keepEvaluationFailure(err)
		}
		if known := run.steps[s.ID][0]; known == nil {
			if err := r.save(ctx, run, d); err != nil {
				return err
			}
		}
		run.fails(s, d)
		return nil
	}
	run.total[s.ID] = len(items)
	active, ended := 0, 0
	for place, item := range items {
		d := run.steps[s.ID][place]
		begin := d == nil || d.State == Failed && d.Try < s.Retries && d.canTryAgain()
		if begin && active >= s.parallel() {
			continue
		}
		if d, err = r.item(ctx, run, s, place, item, d); err != nil {
			return err
		}
		switch {
		case d == nil || d.State == Started || d.State == Failed && d.Try < s.Retries && d.canTryAgain():
			active++
		default:
			ended++
			if run.fails(s, d); run.broken != nil {
				return nil
			}
		}
	}
	run.active[s.ID] = active
	run.ended[s.ID] = ended == len(items)
	return nil
}

// fails makes a failure the run's, unless the app says otherwise.
func (r *run) fails(s *Step, d *Done) {
	if d.State == Failed && !s.Optional {
		r.broken = d
	}
}

// canTryAgain reports whether trying again can help.
func (d *Done) canTryAgain() bool {
	return d.Code != "invalid_input" && d.Code != "canceled" && d.Code != "content_policy"
}

// items are what a step is to be done for: its list, or one thing that is nothing.
// left says that the step is not to be done at all.
func (r *Runner) items(ctx context.Context, run *run, s *Step) (items []any, left bool, err error) {
	if s.when == nil && s.each == nil {
		return []any{nil}, false, nil
	}
	err = r.evaluate(ctx, run, func(b *formula.Budget, env map[string]any) (err error) {
		items, left, err = s.items(b, env)
		return err
	})
	return items, left, err
}

func (s *Step) items(b *formula.Budget, env map[string]any) (items []any, left bool, err error) {
	if s.when != nil {
		v, err := s.when.value(b, env)
		if err != nil {
			return nil, false, err
		}
		if on, _ := v.(bool); !on {
			return nil, true, nil
		}
	}
	if s.each == nil {
		return []any{nil}, false, nil
	}
	v, err := s.each.value(b, env)
	if err != nil {
		return nil, false, err
	}
	items, ok := asList(v)
	if !ok {
		return nil, false, &valueless{"what the step is to be done for is no list", false}
	}
	if len(items) > s.most() {
		return nil, false, &valueless{fmt.Sprintf("there are %d items, and at most %d may be: see most", len(items), s.most()), false}
	}
	return items, len(items) == 0, nil
}

// asList is a list that an expression gave.
func asList(v any) ([]any, bool) {
	switch list := v.(type) {
	case []any:
		return list, true
	case []string:
		return anys(list), true
	case []int:
		return anys(list), true
	}
	return nil, false
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

// item begins one item of a step, or looks how far it is. nil is on its way and
// has no checkpoint yet.
func (r *Runner) item(ctx context.Context, run *run, s *Step, at int, item any, d *Done) (*Done, error) {
	switch {
	case d != nil && d.State == Started:
		return r.follow(ctx, run, s, d)
	case d != nil && (d.State != Failed || d.Try >= s.Retries || !d.canTryAgain()):
		return d, nil
	}
	try := 0
	if d != nil {
		if try = d.Try + 1; r.Now().Before(d.Saved.Add(time.Second << (try - 1))) {
			return nil, nil // a pause before the next try
		}
	}
	next := &Done{Run: run.task.ID, Step: s.ID, Place: at, Try: try, State: Started, Began: r.Now()}
	if s.generates() != nil {
		return r.order(ctx, run, s, next, item)
	}
	return r.call(ctx, run, s, next, item)
}

// save keeps a checkpoint.
func (r *Runner) save(ctx context.Context, run *run, d *Done) error {
	d.Saved = r.Now()
	if err := r.Store.SaveStep(context.WithoutCancel(ctx), d); err != nil {
		return err
	}
	run.keep(d)
	crash.Point("step " + string(d.State))
	return nil
}

// conclude tells how far a run is, and what it came to once it has ended.
func (r *Runner) conclude(ctx context.Context, run *run) (media.Status, error) {
	status := run.status()
	if run.broken != nil {
		var steps []Done
		for _, items := range run.steps {
			for _, d := range items {
				steps = append(steps, *d)
			}
		}
		if err := r.stop(ctx, run.task, steps); err != nil {
			return status, err
		}
		status.State, status.Failure, status.Nano, status.Settled = media.Failed, run.failure(), run.nano(), true
		return status, nil
	}
	for i := range run.recipe.Steps {
		if !run.ended[run.recipe.Steps[i].ID] {
			return status, nil
		}
	}
	outputs, err := r.outputs(ctx, run)
	if err != nil {
		if !final(err) {
			return status, err
		}
		status.State, status.Failure = media.Failed, &media.Failure{Class: classOfResult(err), Message: "The result could not be put together: " + wordsOf(err), Err: err}
		status.Nano, status.Settled = run.nano(), true
		return status, nil
	}
	crash.Point("run done")
	status.State, status.Outputs, status.Nano, status.Settled = media.Success, outputs, run.nano(), true
	return status, nil
}

// classOfResult is what sort of failure a result is that could not be put together.
func classOfResult(err error) media.Class {
	if _, ok := errors.AsType[*valueless](err); ok {
		return media.BadInput
	}
	return media.ModelFailed
}

// failure is why a run failed: the step's own reason, and which step it was.
func (r *run) failure() *media.Failure {
	d := r.broken
	name := d.Step
	if r.total[d.Step] > 1 {
		name = fmt.Sprintf("%s (item %d)", d.Step, d.Place+1)
	}
	return &media.Failure{Class: classOf(d.Code), Code: d.Code, Message: fmt.Sprintf("Step %s: %s", name, d.Message)}
}

// classOf is a class that shows a code again. Nothing of it is sent once more.
func classOf(code string) media.Class {
	return cmp.Or(map[string]media.Class{
		"invalid_input": media.BadInput, "content_policy": media.PolicyInput, "provider_rejected_credentials": media.Auth,
		"timeout": media.Late, "provider_unavailable": media.Quota,
	}[code], media.ModelFailed)
}
