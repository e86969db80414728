package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stele/internal/config"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/provider"
	"stele/internal/provider/blueprint"
	sandbox "stele/internal/provider/sandbox/maker"
	"stele/internal/provider/studio"
)

// studioMaker is the maker on this machine, as tasks name it.
const studioMaker = config.Builtin + "/studio"

// theStudio is what can be made on this machine, looked for when it is first asked.
var theStudio = sync.OnceValue(func() *studio.Studio { return studio.Open(exec.LookPath) })

// mediaModels reads the model files: those built in, as far as somebody makes
// them, and the operator's, which stand in for built-in ones of the same id.
func mediaModels(cfg *config.Config) ([]media.Model, error) {
	own, problems := builtinModels(cfg)
	var list []media.Model
	for _, file := range cfg.MediaModelFiles {
		m, err := operatorsModel(cfg, file)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		own = slices.DeleteFunc(own, func(built media.Model) bool { return built.ID == m.ID })
		list = append(list, m)
	}
	return append(own, list...), errors.Join(problems...)
}

func builtinModels(cfg *config.Config) (list []media.Model, problems []error) {
	for _, file := range builtinFiles() {
		if file.Kind != "" && !slices.ContainsFunc(cfg.Providers, func(p config.Provider) bool { return p.Kind == file.Kind }) {
			continue // nobody makes it
		}
		m, err := media.Read(file.Name, file.Body)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if m.Provider, err = whoMakes(cfg, m); err == nil && (m.Provider != studioMaker || theStudio().Offer(&m)) {
			list = append(list, m)
		}
	}
	return list, problems
}

// builtinFiles are the model files in the program.
func builtinFiles() []blueprint.File {
	var list []blueprint.File
	for folder, files := range map[string]fs.FS{"sandbox": sandbox.Models(), "studio": studio.Models()} {
		names, _ := fs.Glob(files, "*.yaml")
		for _, name := range names {
			body, err := fs.ReadFile(files, name)
			if err != nil {
				panic(err) // it is in the program
			}
			list = append(list, blueprint.File{Name: folder + "/" + name, Body: body})
		}
	}
	slices.SortFunc(list, func(a, b blueprint.File) int { return strings.Compare(b.Name, a.Name) }) // the studio first
	return append(list, blueprint.Models()...)
}

func operatorsModel(cfg *config.Config, file string) (media.Model, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return media.Model{}, fmt.Errorf("read %s: %w", file, err)
	}
	m, err := media.ReadFor(mediaKinds())(file, src)
	if err != nil {
		return m, err
	}
	if m.Provider, err = whoMakes(cfg, m); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	switch {
	case m.Provider == studioMaker && !theStudio().Offer(&m):
		return m, fmt.Errorf("%s: the studio of this machine cannot make this", file)
	case m.Provider != studioMaker && m.Provider != generation.SandboxMaker:
		err = blueprint.Check(file, src, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(filepath.Dir(file), name)) })
	}
	if m.Call.Graph != "" {
		m.Call.Graph = filepath.Join(filepath.Dir(file), m.Call.Graph)
	}
	return m, err
}

// mediaKinds are the kinds of those who make media.
func mediaKinds() []string {
	kinds := []string{"studio", "sandbox"}
	for _, k := range provider.Kinds() {
		if blueprint.Makes(k.Name) {
			kinds = append(kinds, k.Name)
		}
	}
	return kinds
}

// whoMakes is the maker of a model: what is built in, the account it names, or
// the first of its kind.
func whoMakes(cfg *config.Config, m media.Model) (string, error) {
	switch m.Kind {
	case "studio":
		return studioMaker, nil
	case "sandbox":
		return generation.SandboxMaker, nil
	}
	for _, p := range cfg.Providers {
		if p.Kind == m.Kind && (m.Provider == "" || m.Provider == p.Name) {
			return p.Name, nil
		}
	}
	if m.Provider != "" {
		return "", fmt.Errorf("there is no provider %q of kind %q", m.Provider, m.Kind)
	}
	return "", fmt.Errorf("there is no provider of kind %q", m.Kind)
}
