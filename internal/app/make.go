package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"stele/internal/crash"
	"stele/internal/fault"
	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/uid"
)

// order orders the generation of an item. Its id follows from the run, the step,
// the place and the try, so that it cannot be ordered twice.
func (r *Runner) order(ctx context.Context, run *run, s *Step, d *Done, item any) (*Done, error) {
	d.Generation = uid.Derive(run.task.ID, fmt.Sprintf("%s/%d/%d", s.ID, d.Place, d.Try))
	var ask media.Ask
	err := r.evaluate(ctx, run, func(b *formula.Budget, env map[string]any) (err error) {
		env["item"], env["index"] = item, d.Place
		ask, err = s.ask(b, env)
		return err
	})
	var task *generation.Task
	if err == nil {
		task, err = r.Generations.CreateStep(ctx, run.task, d.Generation, ask, s.Timeout)
	}
	if err != nil {
		if !final(err) {
			return nil, err
		}
		d.State, d.Generation, d.Code, d.Message = Failed, "", "invalid_input", sentence(wordsOf(err))
		if told, ok := errors.AsType[*fault.Error](err); ok && told.Ours { // a limit is reached
			d.Code = "provider_unavailable"
		}
		return d, r.save(ctx, run, d)
	}
	crash.Point("step ordered")
	if task.State.Final() {
		return r.keepEnded(ctx, run, d, task)
	}
	return d, r.save(ctx, run, d)
}

// final reports whether an error stays as it is, however often one tries.
func final(err error) bool {
	if told, ok := errors.AsType[*fault.Error](err); ok {
		passing := told.Ours && told.Code.Status() == http.StatusTooManyRequests && !told.Spent // of a limit: there will be room
		return told.Code.Status() < 500 && !passing
	}
	_, ok := errors.AsType[*valueless](err)
	return ok
}

// ask is the generation request of a step, as a client would send it.
func (s *Step) ask(b *formula.Budget, env map[string]any) (media.Ask, error) {
	g := s.generates()
	v, err := s.parts["with"].value(b, env)
	if err != nil {
		return media.Ask{}, err
	}
	fields := requestFields(v)
	fields["model"] = g.Model
	if g.Mode != "" {
		fields["mode"] = g.Mode
	}
	return media.Parse(fields)
}

// requestFields leaves out what has no value, so that the model's defaults hold,
// and makes lists of single files where lists are taken.
func requestFields(v any) map[string]any {
	fields := make(map[string]any)
	given, _ := v.(map[string]any)
	for name, v := range given {
		if list, ok := asList(v); ok {
			v = list
		}
		if media.Takes(name) != "" {
			files := texts(v)
			if len(files) == 0 {
				continue
			}
			if media.Lists(name) {
				v = anys(files)
			} else {
				v = files[0]
			}
		}
		if v == nil || v == "" {
			continue
		}
		if name == "prompt" {
			v = toText(v)
		}
		fields[name] = v
	}
	return fields
}

// follow looks how far a generation is.
func (r *Runner) follow(ctx context.Context, run *run, s *Step, d *Done) (*Done, error) {
	if d.Generation == "" {
		return d, nil
	}
	task, err := r.Tasks.Task(ctx, run.task.Workspace, d.Generation)
	if err != nil {
		return nil, err
	}
	if !task.State.Final() {
		run.part[s.ID] += task.Progress
		return d, nil
	}
	return r.keepEnded(ctx, run, d, task)
}

// keepEnded keeps what came of a generation.
func (r *Runner) keepEnded(ctx context.Context, run *run, d *Done, task *generation.Task) (*Done, error) {
	next := *d
	next.Nano, next.Outputs, next.State = task.Nano, task.Outputs, Finished
	if task.State != media.Success {
		next.State, next.Code, next.Message = Failed, task.Code, task.Message
	}
	return &next, r.save(ctx, run, &next)
}

// wordsOf is what a client may read of an error.
func wordsOf(err error) string {
	if told, ok := errors.AsType[*fault.Error](err); ok {
		return told.Message
	}
	return err.Error()
}
