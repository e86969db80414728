// Package modules finds what a Go program is linked from, and under which licences.
package modules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Module is one that is linked, with the folders of those of its packages that are.
type Module struct {
	Path, Version, Dir string

	packages []string
}

// Linked lists the modules behind target, by path. The main module and the standard library are not among them.
func Linked(root, target string) ([]*Module, error) {
	out, err := run(root, "go", "list", "-deps", "-json=Dir,Module", target)
	if err != nil {
		return nil, err
	}
	byPath := map[string]*Module{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read go list: %w", err)
		}
		if pkg.Module == nil || pkg.Module.Main {
			continue
		}
		m := byPath[pkg.Module.Path]
		if m == nil {
			m = &Module{Path: pkg.Module.Path, Version: pkg.Module.Version, Dir: pkg.Module.Dir}
			byPath[m.Path] = m
		}
		m.packages = append(m.packages, pkg.Dir)
	}
	var modules []*Module
	for _, m := range byPath {
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b *Module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-._].*)?$`)

// Licence files that do not speak of linked code: a list of everything in a module's graph, linked or not, and a picture.
var aside = []string{"LICENSE-3RD-PARTY.md", "LICENSE-LOGO"}

// Licences names what the module's licence files say: those at its root and those beside or above a linked package, for
// code that was taken over from elsewhere.
func (m *Module) Licences() ([]string, error) {
	texts, err := m.Texts()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, text := range texts {
		found = append(found, classify(text)...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Texts are the licence files themselves, as those who hand out a binary must hand them out, too.
func (m *Module) Texts() ([]string, error) {
	dirs := []string{m.Dir}
	for _, dir := range m.packages {
		for ; len(dir) > len(m.Dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	var texts []string
	for _, dir := range slices.Compact(dirs) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() || !licenceFile.MatchString(name) || filepath.Ext(name) == ".go" || slices.Contains(aside, name) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			texts = append(texts, string(text))
		}
	}
	return texts, nil
}

// Unexplained lists the direct dependencies of the module in root that no file in its docs/decisions mentions.
func Unexplained(root string) ([]string, error) {
	out, err := run(root, "go", "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return nil, fmt.Errorf("read go.mod: %w", err)
	}
	pages, err := decisions(filepath.Join(root, "docs", "decisions"))
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, r := range mod.Require {
		if !r.Indirect && !mentions(pages, r.Path) {
			missing = append(missing, "  "+r.Path)
		}
	}
	return missing, nil
}

// decisions is the text of all files below dir.
func decisions(dir string) (string, error) {
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		all.WriteByte('\n')
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return all.String(), err
}

// mentions reports whether pages names the module, and not just one whose path begins alike. A module may be named with or
// without its major version and by a package in it.
func mentions(pages, path string) bool {
	path = regexp.MustCompile(`/v[0-9]+$`).ReplaceAllString(path, "")
	return regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(path) + `($|[^\w.-]|\.(\s|$))`).MatchString(pages)
}

func run(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	return out, nil
}
