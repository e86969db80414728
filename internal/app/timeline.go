package app

import (
	"context"
	"slices"
	"time"

	"stele/internal/generation"
	"stele/internal/media"
)

// Timeline is a run as people watch it: the app as it was when the run was ordered,
// and how far each of its steps is, in the order they can be done.
type Timeline struct {
	Recipe *Recipe
	Steps  []StepView
}

// StepView is how far a step is.
type StepView struct {
	ID     string
	Kind   string // chat, generate, fetch, convert or compose
	Model  string
	Mode   string
	State  media.State // as media.StepStatus has it; Canceled where the run ended first
	Total  int         // items, 0 where the step has none or they are not known
	Each   bool
	Began  time.Time // zero: not begun
	Ended  time.Time // zero: not ended
	Items  []Done    // that are known, by their place
	Needs  []string
	Writes bool // what it says is JSON
}

// Timeline shows a run.
func (r *Runner) Timeline(ctx context.Context, task *generation.Task) (*Timeline, error) {
	recipe, err := r.recipe(ctx, task, patience)
	if err != nil {
		return nil, toClient(err)
	}
	done, err := r.Store.Steps(ctx, task.ID)
	if err != nil {
		return nil, err
	}
	told := make(map[string]media.StepStatus)
	for _, s := range task.Steps {
		told[s.ID] = s
	}
	line, ended := &Timeline{Recipe: recipe}, make(map[string]time.Time)
	for _, i := range recipe.order {
		s := &recipe.Steps[i]
		v := s.view(recipe)
		for _, d := range done {
			if d.Step == s.ID {
				v.Items = append(v.Items, d)
			}
		}
		v.settle(told[s.ID], task)
		if v.Began.IsZero() && v.State == media.Processing { // a call keeps its first checkpoint when it is done
			v.Began = task.Created
			for _, id := range v.Needs {
				if ended[id].After(v.Began) {
					v.Began = ended[id]
				}
			}
		}
		ended[s.ID] = v.Ended
		line.Steps = append(line.Steps, v)
	}
	return line, nil
}

func (s *Step) view(recipe *Recipe) StepView {
	v := StepView{ID: s.ID, State: media.Pending, Each: s.Each != "", Writes: s.says != nil}
	switch f := s.File; {
	case s.Chat != nil:
		v.Kind, v.Model = "chat", s.Chat.Model
	case s.Generate != nil:
		v.Kind, v.Model, v.Mode = "generate", s.Generate.Model, s.Generate.Mode
	case f.Fetch != "":
		v.Kind = "fetch"
	case f.Convert != nil:
		v.Kind = "convert"
	default:
		v.Kind = "compose"
	}
	for _, n := range s.needs {
		v.Needs = append(v.Needs, recipe.Steps[n].ID)
	}
	return v
}

// settle finds how far a step is. The checkpoints know more than the task, which is
// written less often.
func (v *StepView) settle(told media.StepStatus, task *generation.Task) {
	if told.State != "" {
		v.State, v.Total = told.State, told.Total
	}
	for i := range v.Items {
		d := &v.Items[i]
		if !d.Began.IsZero() && (v.Began.IsZero() || d.Began.Before(v.Began)) {
			v.Began = d.Began
		}
		if d.State != Started && d.Saved.After(v.Ended) {
			v.Ended = d.Saved
		}
		if v.State == media.Pending {
			v.State = media.Processing
		}
	}
	if v.Each {
		v.Total = max(v.Total, len(v.Items))
	}
	if whole := !v.Each && len(v.Items) == 1; whole || v.Each && v.Total > 0 && len(v.Items) == v.Total {
		if state, all := v.outcome(); all {
			v.State = state
		}
	}
	switch v.State {
	case media.Pending, media.Processing:
		if task.State.Final() {
			if v.State == media.Processing {
				v.Ended = task.Ended
			}
			v.State = media.Canceled
		} else {
			v.Ended = time.Time{}
		}
	}
}

// outcome is what all items together came to; all is false while some are on their way.
func (v *StepView) outcome() (state media.State, all bool) {
	state = media.Success
	for _, d := range v.Items {
		switch d.State {
		case Started:
			return "", false
		case Failed:
			state = media.Failed
		case Skipped:
			state = "skipped"
		}
	}
	// A failure may still be tried again: only the run itself knows.
	return state, state != media.Failed || v.State == media.Failed || !slices.ContainsFunc(v.Items, func(d Done) bool { return d.canTryAgain() })
}
