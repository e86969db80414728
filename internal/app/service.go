package app

import (
	"context"
	"errors"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/media"
)

// longestGiven is how long a file given as text may be: the bytes may be in it.
const longestGiven = 64 << 20

// NoApp says that there is no such app for the caller.
func NoApp() *fault.Error { return fault.New(fault.AppNotFound, "There is no app with this id.") }

// Open finds an app of who's workspace whose every model its scope opens.
func (r *Runner) Open(who access.Principal, id string) (Recipe, error) {
	recipe, ok := r.Library.ByID(who.Workspace, id)
	if !ok || r.whyClosed(&recipe, who.Scope) != nil {
		return Recipe{}, NoApp()
	}
	return recipe, nil
}

// Page lists limit apps that are open to a caller from the page-th page on, counted
// from 1, and whether more follow.
func (r *Runner) Page(who access.Principal, page, limit int) (list []Recipe, more bool) {
	return r.Library.Page(who.Workspace, page, limit, func(recipe *Recipe) bool { return r.whyClosed(recipe, who.Scope) == nil })
}

// whyClosed says which of an app's models is not offered, or not to this scope.
func (r *Runner) whyClosed(recipe *Recipe, scope access.Scope) error {
	makers, talkers := recipe.Models()
	for _, id := range makers {
		if _, err := r.Catalog.OpenMediaModel(id, scope); err != nil {
			return err
		}
	}
	for _, id := range talkers {
		if _, err := r.Catalog.Model(id, scope); err != nil {
			return err
		}
	}
	return nil
}

// Create checks the inputs of a run, reckons its price and writes it down.
func (r *Runner) Create(ctx context.Context, who access.Principal, id, app string, body []byte) (*generation.Task, error) {
	fields, err := media.Fields(body)
	return r.CreateRead(ctx, who, id, Asked{App: app, Fields: fields, Malformed: err})
}

// Asked is a run that is asked for, its body read by media.Fields.
type Asked struct {
	App       string
	Fields    map[string]any
	Malformed error         // why there are no fields
	Within    time.Duration // the run is canceled by itself after that; 0: not
}

// CreateRead is Create for a body that was read, or could not be.
func (r *Runner) CreateRead(ctx context.Context, who access.Principal, id string, asked Asked) (*generation.Task, error) {
	fields, malformed := asked.Fields, asked.Malformed
	recipe, ok := r.Library.ByID(who.Workspace, asked.App)
	if !ok {
		return nil, NoApp()
	}
	if malformed != nil {
		return nil, malformed
	}
	if fields == nil {
		fields = make(map[string]any)
	}
	extras, err := media.ParseExtras(fields)
	if err != nil {
		return nil, err
	}
	extras.Within = asked.Within
	if err := r.whyClosed(&recipe, who.Scope); err != nil {
		return nil, err
	}
	list := recipe.Parameters()
	for i := range list {
		if recipe.Inputs[i].Media != "" && list[i].MaxLength == 0 {
			list[i].MaxLength = longestGiven
		}
	}
	values, err := media.Values(list, fields)
	if err != nil {
		return nil, err
	}
	w := generation.AppRun{
		App: recipe.ID, MediaType: recipe.MediaType, Recipe: recipe.source, Values: values, Deadline: recipe.Deadline, Extras: extras,
	}
	w.Model, w.Mode = recipe.last()
	for _, in := range recipe.Inputs {
		if in.Media == "" {
			continue
		}
		for _, given := range texts(values[in.Name]) {
			w.Files = append(w.Files, generation.Input{Field: in.Name, URL: given, Kind: in.Media})
		}
		delete(values, in.Name)
	}
	err = r.Pool.doForPerson(ctx, who.Workspace, func(b *formula.Budget) (err error) {
		if b.Weigh(values) != nil {
			return fault.New(fault.InvalidParameter, "The inputs of a run have at most %d MB together, beside files.", formula.MostGiven>>20)
		}
		w.Nano, err = r.estimate(b, &recipe, values)
		return err
	})
	if v, ok := errors.AsType[*valueless](err); ok {
		return nil, fault.New(fault.InvalidParameter, "The app cannot be run with these inputs: %s", sentence(v.why))
	} else if err != nil {
		return nil, err
	}
	return r.Generations.CreateRun(ctx, who, id, w)
}
