package config

import (
	"encoding/json"
	"slices"
	"strings"

	"stele/internal/manifest"
)

// Record is a provider or a model that is kept elsewhere than in the file. Its
// fields are a mapping in the file's own words.
type Record struct {
	Name   string
	Fields []byte // JSON, which is YAML too
	Off    bool   // it is known, and offers nothing
}

// Wrong is what is wrong with a record: sentences by field, such as base_url or
// targets[0]; "" is the record as a whole.
type Wrong map[string]string

// Combined is a configuration with records beside what the file has.
type Combined struct {
	*Config

	// What is wrong with which records: those are not in the Config.
	Providers, Models map[string]Wrong
	// Which records give way to one of the same name in the file.
	Covered map[string]bool // providers by name, models by "model " and id
}

// With adds records to a configuration, which stays as it is. They are read and
// checked as the file is, but ask for no variable and no other file: who keeps
// them need not be who runs the machine. The file wins over records of the
// same name, and what is wrong with one record keeps no other from counting.
func (c *Config) With(kinds []Kind, providers, models []Record) Combined {
	next := *c
	next.Providers, next.Models = slices.Clone(c.Providers), slices.Clone(c.Models)
	out := Combined{Config: &next, Providers: make(map[string]Wrong), Models: make(map[string]Wrong), Covered: make(map[string]bool)}
	off := make(map[string]bool)
	for _, o := range providers {
		if slices.ContainsFunc(c.Providers, func(p Provider) bool { return p.Name == o.Name }) {
			out.Covered[o.Name] = true
			continue
		}
		p, wrong := c.readProvider(kinds, o)
		if len(wrong) > 0 {
			out.Providers[o.Name] = wrong
			continue
		}
		off[o.Name] = o.Off
		next.Providers = append(next.Providers, p)
	}
	for _, o := range models {
		if slices.ContainsFunc(c.Models, func(m Model) bool { return m.ID == o.Name }) {
			out.Covered["model "+o.Name] = true
			continue
		}
		m, wrong := next.readModel(kinds, o)
		if len(wrong) > 0 {
			out.Models[o.Name] = wrong
			continue
		}
		// A target that is switched off is passed over, whatever else the model has.
		m.Console = true
		m.Targets = slices.DeleteFunc(m.Targets, func(t Target) bool { return off[t.Provider] })
		if !o.Off {
			next.Models = append(next.Models, m)
		}
	}
	next.Providers = slices.DeleteFunc(next.Providers, func(p Provider) bool { return off[p.Name] })
	return out
}

// readProvider reads one and checks it alone: nothing of a provider is about another.
func (c *Config) readProvider(kinds []Kind, o Record) (Provider, Wrong) {
	check := readRecord(kinds, "providers", o)
	if len(check.cfg.Providers) != 1 {
		return Provider{}, Wrong{"": "It cannot be read."}
	}
	p := &check.cfg.Providers[0]
	at := manifest.At("providers", p.Name)
	const noFiles = "only the configuration file may name files of the server"
	if p.APIKeyFile != "" {
		check.report(at.Add("api_key_file"), noFiles)
	}
	for name := range p.Options {
		if strings.HasSuffix(name, fileSuffix) {
			check.report(at.Add("options", name), noFiles)
			delete(p.Options, name)
		}
	}
	check.checkProviders()
	for i, m := range p.Models { // the file's models win, so they cannot be offered twice
		if slices.ContainsFunc(c.Models, func(own Model) bool { return own.ID == p.Name+"/"+m }) {
			check.report(at.Add("models", i), "the configuration file has a model %s/%s already", p.Name, m)
		}
	}
	return *p, check.wrongFields(at)
}

// readModel reads one and checks it beside all providers.
func (c *Config) readModel(kinds []Kind, o Record) (Model, Wrong) {
	check := readRecord(kinds, "models", o)
	if len(check.cfg.Models) != 1 {
		return Model{}, Wrong{"": "It cannot be read."}
	}
	check.cfg.Providers = c.Providers
	check.checkModels()
	return check.cfg.Models[0], check.wrongFields(manifest.At("models", o.Name))
}

// readRecord reads a record as if the file had it, and nothing else.
func readRecord(kinds []Kind, section string, o Record) *checker {
	check := &checker{
		cfg: new(Config), kinds: kinds, alone: true, getenv: func(string) string { return "" }, origins: make(map[string]origin),
	}
	text, err := json.Marshal(map[string]map[string]json.RawMessage{section: {o.Name: o.Fields}})
	if err != nil {
		text = nil // it is no JSON, so nothing is read
	}
	check.doc = manifest.Decode("", text, check.cfg, manifest.Options{})
	return check
}

// wrongFields is what a checker has found, by field. Of several about one field the
// first counts.
func (c *checker) wrongFields(at manifest.Path) Wrong {
	wrong := make(Wrong)
	for _, p := range c.doc.Problems() {
		field := strings.TrimPrefix(strings.TrimPrefix(p.Path, at.String()), ".")
		if _, known := wrong[field]; !known {
			wrong[field] = sentence(strings.TrimPrefix(p.Message, p.Path+": "))
		}
	}
	return wrong
}

// sentence is a report as it stands by itself.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if !strings.ContainsAny(text[len(text)-1:], ".?!") {
		text += "."
	}
	return text
}

// ReadProvider reads a record without checking it, to be shown.
func ReadProvider(o Record) Provider {
	if list := readRecord(nil, "providers", o).cfg.Providers; len(list) == 1 {
		return list[0]
	}
	return Provider{Name: o.Name}
}

// ReadModel reads a record without checking it, to be shown.
func ReadModel(o Record) Model {
	if list := readRecord(nil, "models", o).cfg.Models; len(list) == 1 {
		return list[0]
	}
	return DefaultModel(o.Name)
}
