// Package migration reads the files that change tables, statement by statement: what each does
// to which table, whether a binary of the release before can work beside it, and what it costs
// on a large table. It must not know a database: store runs what is read here.
package migration

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// File is one step of the schema. Its statements take effect together or not at all.
type File struct {
	Version    int64
	Name       string // as the file is called, without its end
	Statements []Statement
}

// Release is a version that was released, and the schema that it knows.
type Release struct {
	Version string
	Schema  int64
}

// ReadAll reads the files of a folder, in order.
func ReadAll(folder fs.FS) ([]File, error) {
	names, err := fs.Glob(folder, "*.sql")
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("read migrations: %d files, %w", len(names), err)
	}
	var list []File
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("read migrations: %w", err)
		}
		f, err := read(strings.TrimSuffix(path.Base(name), ".sql"), string(text))
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.Version, b.Version) })
	return list, nil
}

func read(name, text string) (File, error) {
	number, _, _ := strings.Cut(name, "_")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return File{}, fmt.Errorf("the name does not begin with a number: %w", err)
	}
	f := File{Version: version, Name: name}
	for _, words := range split(text) {
		f.Statements = append(f.Statements, parse(words))
	}
	if len(f.Statements) == 0 {
		return File{}, fmt.Errorf("there is no statement in it")
	}
	return f, nil
}

// ReadReleases reads a list of releases, a line for each: its version and its schema.
func ReadReleases(text string) ([]Release, error) {
	var list []Release
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var r Release
		if _, err := fmt.Sscan(line, &r.Version, &r.Schema); err != nil {
			return nil, fmt.Errorf("read releases: %q: %w", line, err)
		}
		list = append(list, r)
	}
	return list, nil
}
