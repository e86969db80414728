package main

import (
	"errors"
	"slices"
	"time"

	"stele/internal/app"
	"stele/internal/config"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/relay"
	"stele/internal/store"
)

// readApps reads the app files: those built in, and the operator's, which stand in
// for built-in ones of the same id. Each is held against the models there are;
// built-in apps whose models are not offered are left out.
func readApps(cfg *config.Config, models []media.Model) ([]app.Recipe, error) {
	find := modelIn(models)
	own := slices.DeleteFunc(app.BuiltIn(), func(r app.Recipe) bool { return r.Check(find) != nil })
	var list []app.Recipe
	var problems []error
	for _, file := range cfg.AppFiles {
		r, err := readFile(file, app.Read)
		if err == nil {
			err = r.Check(find)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		r.Origin = app.FromFile
		own = slices.DeleteFunc(own, func(built app.Recipe) bool { return built.ID == r.ID })
		list = append(list, r)
	}
	return append(own, list...), errors.Join(problems...)
}

// openApps makes the runner of apps, and the maker of their tasks of it.
func (w *workshop) openApps(db *store.Store, l *live, talk *relay.Relay) *app.Runner {
	r := app.NewRunner(app.Options{
		Library: l.apps, Catalog: l.catalog, Generations: w.generations, Tasks: db, Store: db, Files: w.files, Chat: talk,
		Rights: w.rights, Log: w.log, Now: time.Now,
	})
	w.makers.mu.Lock()
	defer w.makers.mu.Unlock()
	w.makers.builtin[generation.AppMaker] = r
	return r
}
