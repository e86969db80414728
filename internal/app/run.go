package app

import (
	"context"

	"github.com/go-json-experiment/json"

	"stele/internal/chat"
	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/media"
)

// run is a run as far as it is.
type run struct {
	task   *generation.Task
	recipe *Recipe
	steps  map[string]map[int]*Done // by step and place
	total  map[string]int           // items of the steps that have begun
	part   map[string]float64       // how far the generations are that are on their way, added up
	active map[string]int           // items on their way
	ended  map[string]bool
	broken *Done // the failure that is the run's

	given  map[string]any  // the inputs, once they were asked for
	values map[string]any  // of the steps that have ended, once they were asked for
	memory *formula.Budget // for all of them
}

func newRun(t *generation.Task, recipe *Recipe, steps []Done) *run {
	r := &run{
		task: t, recipe: recipe, steps: make(map[string]map[int]*Done), total: make(map[string]int), part: make(map[string]float64),
		active: make(map[string]int), ended: make(map[string]bool),
	}
	for i := range steps {
		r.keep(&steps[i])
	}
	return r
}

func (r *run) keep(d *Done) {
	if r.steps[d.Step] == nil {
		r.steps[d.Step] = make(map[int]*Done)
	}
	r.steps[d.Step][d.Place] = d
}

// env is what expressions speak of: the inputs, and the steps that have ended. What a
// step came to is read once, within bounds of its own: it does not change any more.
func (r *run) env(ctx context.Context) (map[string]any, error) {
	if r.memory == nil {
		r.memory, r.values = formula.NewBudget(ctx), make(map[string]any)
	}
	for i := range r.recipe.Steps {
		s := &r.recipe.Steps[i]
		if _, known := r.values[s.ID]; known || !r.ended[s.ID] {
			continue
		}
		v, err := r.value(s)
		if err != nil {
			return nil, err
		}
		r.values[s.ID] = v
	}
	return r.bareEnv(), nil
}

// bareEnv is env with what was read of the steps so far; the others are empty.
func (r *run) bareEnv() map[string]any {
	steps := make(map[string]any, len(r.recipe.Steps))
	for i := range r.recipe.Steps {
		s := &r.recipe.Steps[i]
		v, known := r.values[s.ID]
		if !known {
			v = kindOfStep(s).conform(nil)
		}
		steps[s.ID] = v
	}
	if r.given == nil {
		r.given = inputValues(r.recipe, r.task.Order.Parameters, r.task.Order.Sources)
	}
	return map[string]any{"inputs": r.given, "steps": steps}
}

// answeredBytes is how many bytes the chats have answered so far.
func (r *run) answeredBytes() int64 {
	var n int64
	for _, items := range r.steps {
		for _, d := range items {
			n += int64(len(d.Said))
		}
	}
	return n
}

// inputValues are the inputs as expressions see them.
func inputValues(recipe *Recipe, given map[string]any, sources []generation.Source) map[string]any {
	values := make(map[string]any, len(recipe.Inputs))
	for i := range recipe.Inputs {
		in := &recipe.Inputs[i]
		v, ok := given[in.Name]
		if in.Media != "" {
			v, ok = filesIn(in, sources), true
		}
		if !ok {
			v = in.Default
		}
		values[in.Name] = kindOfInput(in).conform(v)
	}
	return values
}

// filesIn are the files that were given in an input.
func filesIn(in *Input, sources []generation.Source) any {
	var list []any
	for _, s := range sources {
		if s.Field == in.Name {
			list = append(list, s.File)
		}
	}
	if in.Type == "array" {
		return list
	}
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// value is what expressions see of a step.
func (r *run) value(s *Step) (any, error) {
	items := r.steps[s.ID]
	if s.Each == "" {
		v, err := s.itemResult(r.memory, items[0])
		return kindOfStep(s).conform(v), err
	}
	list := make([]any, r.total[s.ID])
	for i := range list {
		v, err := s.itemResult(r.memory, items[i])
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return kindOfStep(s).conform(list), nil
}

// itemResult is one item's result.
func (s *Step) itemResult(b *formula.Budget, d *Done) (any, error) {
	if d == nil || d.State != Finished {
		return nil, nil
	}
	v := map[string]any{"ok": true}
	if s.Chat != nil {
		v["text"] = d.Said
		if s.says != nil {
			text := chat.UnfenceText(d.Said)
			if err := b.Parse(text); err != nil {
				return nil, asValueless(err)
			}
			var data any
			if json.Unmarshal([]byte(text), &data) == nil {
				v["data"] = data
			}
		}
		return v, nil
	}
	byKind := make(map[string][]any)
	for _, m := range d.Outputs {
		if m.Role != "" {
			continue
		}
		byKind[m.Kind] = append(byKind[m.Kind], m.File)
		if v["width"] == nil {
			v["width"], v["height"], v["duration"] = m.Width, m.Height, m.Duration
		}
	}
	for _, k := range media.Types() {
		v[k+"s"] = byKind[k]
		if len(byKind[k]) > 0 {
			v[k] = byKind[k][0]
		}
	}
	return v, nil
}

// listMade lists what the steps made, each with what belongs to it.
func (r *run) listMade() [][]generation.Made {
	var list [][]generation.Made
	for i := range r.recipe.Steps {
		for _, d := range r.steps[r.recipe.Steps[i].ID] {
			list = append(list, d.Outputs)
		}
	}
	return list
}

// nano is what has been spent so far.
func (r *run) nano() int64 {
	var sum int64
	for _, items := range r.steps {
		for _, d := range items {
			sum += d.Nano
		}
	}
	return sum
}

// progress is how far the run is, every step counting the same.
func (r *run) progress() float64 {
	var sum float64
	for i := range r.recipe.Steps {
		id := r.recipe.Steps[i].ID
		switch total := r.total[id]; {
		case r.ended[id]:
			sum++
		case total > 0:
			sum += (float64(r.countFinished(id)) + r.part[id]) / float64(total)
		}
	}
	return sum / float64(max(1, len(r.recipe.Steps)))
}

func (r *run) countFinished(id string) int {
	n := 0
	for _, d := range r.steps[id] {
		if d.State == Finished {
			n++
		}
	}
	return n
}

// status is the run for its client.
func (r *run) status() media.Status {
	s := media.Status{State: media.Processing, Progress: r.progress(), Wait: lookAgain}
	for i := range r.recipe.Steps {
		s.Steps = append(s.Steps, r.stepStatus(&r.recipe.Steps[i]))
	}
	return s
}

func (r *run) stepStatus(s *Step) media.StepStatus {
	status := media.StepStatus{ID: s.ID, State: media.Pending}
	items := r.steps[s.ID]
	if s.Each != "" {
		status.Done, status.Total = r.countFinished(s.ID), r.total[s.ID]
	}
	switch {
	case r.broken != nil && r.broken.Step == s.ID:
		status.State = media.Failed
	case r.ended[s.ID]:
		status.State = media.Success
		for _, d := range items {
			switch d.State {
			case Failed:
				status.State = media.Failed
				return status
			case Skipped:
				status.State = "skipped"
			}
		}
	case len(items) > 0 || r.active[s.ID] > 0:
		status.State = media.Processing
	}
	return status
}
