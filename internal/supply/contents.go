package supply

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/guard"
	"stele/internal/media"
)

// Contents is what a configuration offers to clients, read whole or not at all.
type Contents struct {
	Catalog catalog.Contents
	Apps    []app.Recipe
}

// Read reads every file the configuration names and reports all that is wrong with
// any of them.
func Read(cfg *config.Config, by Connector, library MediaLibrary) (Contents, error) {
	models, modelsErr := MediaModels(cfg, library)
	apps, appsErr := readApps(cfg, models)
	var rootsErr error
	if cfg.Egress.CAFile != "" {
		_, rootsErr = guard.Roots(cfg.Egress.CAFile)
	}
	_, accountsErr := openUpstreams(cfg, by, EgressClients{})
	if err := errors.Join(modelsErr, appsErr, rootsErr, accountsErr); err != nil {
		return Contents{}, err
	}
	c := Contents{Apps: apps, Catalog: catalog.Contents{
		Models: ChatModels(cfg), Open: OpenProviders(cfg), Names: namesOf(cfg), Media: models, Prices: Prices(cfg, by.Kinds()),
	}}
	return c, errors.Join(catalog.New().Replace(c.Catalog), app.NewLibrary().Replace(c.Apps))
}

// readApps reads the app files: those built in, and the operator's, which stand in
// for built-in ones of the same id. Each is held against the models there are;
// built-in apps whose models are not offered are left out.
func readApps(cfg *config.Config, models []media.Model) ([]app.Recipe, error) {
	own := slices.DeleteFunc(app.BuiltIn(), func(r app.Recipe) bool { return r.Check(find(models)) != nil })
	var list []app.Recipe
	var problems []error
	for _, file := range cfg.AppFiles {
		r, err := ReadApp(file, models)
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

// ReadApp reads an app file and holds it against the models there are.
func ReadApp(file string, models []media.Model) (app.Recipe, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return app.Recipe{}, fmt.Errorf("read %s: %w", file, err)
	}
	r, err := app.Read(file, src)
	if err != nil {
		return r, err
	}
	return r, r.Check(find(models))
}

func find(models []media.Model) func(id string) *media.Model {
	return func(id string) *media.Model {
		if i := slices.IndexFunc(models, func(m media.Model) bool { return m.ID == id }); i >= 0 {
			return &models[i]
		}
		return nil
	}
}

// ChatModels are the configured models, then what each provider offers by name.
func ChatModels(cfg *config.Config) []catalog.Model {
	list := []catalog.Model{{
		ID: catalog.Sandbox, Name: "Sandbox", Owner: config.Builtin, Created: time.Unix(0, 0),
		Description:  "Built in: answers as any model would, costs nothing, and fails in every way you order it to.",
		Capabilities: map[string]bool{"reasoning": true, "attachments": true, "tools": true},
		Targets:      []catalog.Target{{Provider: config.Builtin, Model: "sandbox", Weight: 1}},
		Timeouts:     catalog.Timeouts(config.DefaultModel("").Timeouts),
	}}
	for _, m := range cfg.Models {
		list = append(list, modelOf(cfg, m, "stele"))
	}
	for _, p := range cfg.Providers {
		for _, name := range p.Models {
			if name == "*" {
				continue // any name: see OpenProviders
			}
			m := config.DefaultModel(p.Name + "/" + name)
			m.Name, m.Targets = name, []config.Target{{Provider: p.Name, Model: name, Weight: 1}}
			list = append(list, modelOf(cfg, m, p.Name))
		}
	}
	return list
}

// modelOf is a model of a configuration as the catalog has it.
func modelOf(cfg *config.Config, m config.Model, owner string) catalog.Model {
	out := catalog.Model{
		ID: m.ID, Name: cmp.Or(m.Name, m.ID), Description: m.Description, Owner: owner, Created: lastChange(cfg),
		Capabilities: m.Capabilities, Tags: m.Tags, Balance: m.Strategy == config.Balance, Retries: m.Retries,
		Timeouts: catalog.Timeouts(m.Timeouts), Price: OwnPrice(m.Price, m.Console), HideUpstream: m.HideUpstream,
	}
	for _, t := range m.Targets {
		out.Targets = append(out.Targets, catalog.Target(t))
	}
	return out
}

// lastChange is when the configuration last was.
func lastChange(cfg *config.Config) time.Time {
	if cfg.ModTime.IsZero() {
		return time.Unix(0, 0)
	}
	return cfg.ModTime
}

// OpenProviders are the accounts that take any model's name.
func OpenProviders(cfg *config.Config) map[string]catalog.Model {
	open := make(map[string]catalog.Model)
	for _, p := range cfg.Providers {
		if slices.Contains(p.Models, "*") {
			open[p.Name] = modelOf(cfg, config.DefaultModel(""), p.Name)
		}
	}
	return open
}
