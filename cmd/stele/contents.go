package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/guard"
	"stele/internal/relay"
)

// contents is what a configuration offers to clients, read whole or not at all.
type contents struct {
	catalog catalog.Contents
	apps    []app.Recipe
}

// readContents reads every file the configuration names and reports all that is
// wrong with any of them.
func readContents(cfg *config.Config) (contents, error) {
	var c contents
	var problems []error
	c.catalog.Models = chatModels(cfg)
	c.catalog.Open = openProviders(cfg)
	models, err := mediaModels(cfg)
	problems = append(problems, err)
	c.catalog.Media = models
	apps, err := readApps(cfg, models)
	problems = append(problems, err)
	c.apps = apps
	if cfg.Egress.CAFile != "" {
		_, err := guard.Roots(cfg.Egress.CAFile)
		problems = append(problems, err)
	}
	_, err = openUpstreams(cfg, nil, nil, nil)
	problems = append(problems, err)
	if err := errors.Join(problems...); err != nil {
		return contents{}, err
	}
	return c, errors.Join(catalog.New().Replace(c.catalog), app.NewLibrary().Replace(c.apps))
}

func readFile[T any](name string, read func(string, []byte) (T, error)) (T, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		var none T
		return none, fmt.Errorf("read %s: %w", name, err)
	}
	return read(name, src)
}

// chatModels are the configured models, then what each provider offers by name.
func chatModels(cfg *config.Config) []catalog.Model {
	created := changed(cfg)
	list := []catalog.Model{{
		ID: relay.Sandbox, Name: "Sandbox", Owner: config.Builtin, Created: time.Unix(0, 0),
		Description:  "Built in: answers as any model would, costs nothing, and fails in every way you order it to.",
		Capabilities: map[string]bool{"reasoning": true, "attachments": true, "tools": true},
		Targets:      []catalog.Target{{Provider: config.Builtin, Model: "sandbox", Weight: 1}},
	}}
	for _, m := range cfg.Models {
		out := catalog.Model{
			ID: m.ID, Name: m.Name, Description: m.Description, Owner: "stele", Created: created,
			Capabilities: m.Capabilities, Tags: m.Tags, Balance: m.Strategy == config.Balance, Retries: m.Retries,
			Timeouts: catalog.Timeouts(m.Timeouts), Price: catalog.Price(m.Price), HideUpstream: m.HideUpstream,
		}
		if out.Name == "" {
			out.Name = m.ID
		}
		for _, t := range m.Targets {
			out.Targets = append(out.Targets, catalog.Target(t))
		}
		list = append(list, out)
	}
	for _, p := range cfg.Providers {
		for _, name := range p.Models {
			if name == "*" {
				continue // any name: see openProviders
			}
			list = append(list, catalog.Model{
				ID: p.Name + "/" + name, Name: name, Owner: p.Name, Created: created, Retries: 2,
				Targets: []catalog.Target{{Provider: p.Name, Model: name, Weight: 1}},
			})
		}
	}
	return list
}

// changed is when the configuration last was.
func changed(cfg *config.Config) time.Time {
	if cfg.ModTime.IsZero() {
		return time.Unix(0, 0)
	}
	return cfg.ModTime
}

// openProviders are the accounts that take any model's name.
func openProviders(cfg *config.Config) map[string]catalog.Model {
	open := make(map[string]catalog.Model)
	for _, p := range cfg.Providers {
		if slices.Contains(p.Models, "*") {
			open[p.Name] = catalog.Model{Owner: p.Name, Created: changed(cfg), Retries: 2}
		}
	}
	return open
}
