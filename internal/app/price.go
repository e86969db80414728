package app

import (
	"context"
	"errors"

	"stele/internal/access"
	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/media"
)

// CostSoFar is what a run has cost so far. Of generations that are on their way those
// count that are made already: the others are not owed when they are stopped.
func (r *Runner) CostSoFar(ctx context.Context, id string) (int64, error) {
	steps, err := r.Store.Steps(ctx, id)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, d := range steps {
		sum += d.Nano
		if d.State != Started || d.Generation == "" {
			continue
		}
		part, err := r.Tasks.Task(ctx, "", d.Generation)
		if errors.Is(err, access.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if part.State.Final() || part.Stage == generation.Collecting {
			sum += part.Nano
		}
	}
	return sum, nil
}

// estimate is what a run will cost at most, as far as that can be known before it:
// lists that are not known yet count with all the items they may have, parameters
// that are not known with their defaults. What chats cost shows only afterwards.
func (r *Runner) estimate(b *formula.Budget, recipe *Recipe, values map[string]any) (int64, error) {
	env := newRun(&generation.Task{Order: generation.Order{Parameters: values}}, recipe, nil).bareEnv()
	var sum int64
	for i := range recipe.Steps {
		s := &recipe.Steps[i]
		g := s.generates()
		if g == nil {
			continue
		}
		model, ok := r.Catalog.MediaModel(g.Model)
		if !ok {
			continue
		}
		times := 1
		env["item"], env["index"] = nil, 0
		if s.each != nil {
			times = s.most()
			if len(s.needs) == 0 {
				v, err := s.each.value(b, env)
				if err := reckoningError(err); err != nil {
					return 0, err
				}
				if err == nil {
					items, _ := asList(v)
					times = min(len(items), s.most())
					if times > 0 {
						env["item"] = items[0]
					}
				}
			}
		}
		one, err := s.nano(b, model, env)
		if err != nil {
			return 0, err
		}
		sum += int64(times) * one
	}
	return sum, nil
}

// reckoningError is an error that ends a reckoning. What merely has no value yet does
// not: it comes of steps that have not been done.
func reckoningError(err error) error {
	if v, ok := errors.AsType[*valueless](err); ok && !v.over {
		return nil
	}
	return err
}

// nano is what one item of a step costs.
func (s *Step) nano(b *formula.Budget, model *media.Model, env map[string]any) (int64, error) {
	g := s.generates()
	operation := model.Operation(g.Mode)
	if operation == nil {
		operation = &model.Operations[0]
	}
	parameters, prompt := make(map[string]any), ""
	for _, p := range operation.Parameters {
		if p.Default != nil {
			parameters[p.Name] = p.Default
		}
	}
	for name, t := range s.parts["with"].fields {
		v, err := t.value(b, env)
		if err := reckoningError(err); err != nil {
			return 0, err
		}
		switch {
		case err != nil || v == nil:
		case name == "prompt":
			prompt = toText(v)
		case operation.Parameter(name) != nil:
			parameters[name] = v
		}
	}
	return operation.Nano(prompt, operation.WithTypes(parameters)), nil
}
