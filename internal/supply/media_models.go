package supply

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"stele/internal/config"
	"stele/internal/generation"
	"stele/internal/media"
)

// StudioMaker is the maker on this machine, as tasks name it.
const StudioMaker = config.Builtin + "/studio"

// MediaLibrary knows the media models in the program, and what others must be like.
type MediaLibrary interface {
	// Kinds lists the kinds of those who make media.
	Kinds() []string
	// Files are the model files in the program.
	Files() []ModelFile
	// Has reports whether a model of this id is in the program.
	Has(id string) bool
	// StudioOffers leaves of a model what the studio of this machine can make, and
	// reports whether that is anything.
	StudioOffers(*media.Model) bool
	// Check finds what is wrong with a file of a model that an account makes.
	Check(file string, src []byte) error
}

// ModelFile is a model file in the program.
type ModelFile struct {
	Name string
	Kind string // of the accounts that make it; "": it is made here
	Body []byte
}

// MediaModels reads the model files: those built in, as far as an account makes
// them, and the operator's, which stand in for built-in ones of the same id.
func MediaModels(cfg *config.Config, library MediaLibrary) ([]media.Model, error) {
	own, problems := builtinModels(cfg, library)
	var list []media.Model
	for _, file := range cfg.MediaModelFiles {
		m, err := operatorsModel(cfg, library, file)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		own = slices.DeleteFunc(own, func(built media.Model) bool { return built.ID == m.ID })
		list = append(list, m)
	}
	return append(own, list...), errors.Join(problems...)
}

func builtinModels(cfg *config.Config, library MediaLibrary) (list []media.Model, problems []error) {
	for _, file := range library.Files() {
		if file.Kind != "" && !slices.ContainsFunc(cfg.Providers, func(p config.Provider) bool { return p.Kind == file.Kind }) {
			continue // no account makes it
		}
		m, err := media.Read(file.Name, file.Body)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if m.Provider, err = whoMakes(cfg, m); err == nil && (m.Provider != StudioMaker || library.StudioOffers(&m)) {
			list = append(list, m)
		}
	}
	return list, problems
}

func operatorsModel(cfg *config.Config, library MediaLibrary, file string) (media.Model, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return media.Model{}, fmt.Errorf("read %s: %w", file, err)
	}
	m, err := media.ReadFor(library.Kinds())(file, src)
	if err != nil {
		return m, err
	}
	if m.Provider, err = whoMakes(cfg, m); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	switch {
	case m.Provider == StudioMaker && !library.StudioOffers(&m):
		return m, fmt.Errorf("%s: the studio of this machine cannot make this", file)
	case m.Provider != StudioMaker && m.Provider != generation.SandboxMaker:
		err = library.Check(file, src)
	}
	if m.Call.Graph != "" {
		m.Call.Graph = filepath.Join(filepath.Dir(file), m.Call.Graph)
	}
	return m, err
}

// whoMakes is the maker of a model: what is built in, the account it names, or
// the first of its kind.
func whoMakes(cfg *config.Config, m media.Model) (string, error) {
	switch m.Kind {
	case "studio":
		return StudioMaker, nil
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
