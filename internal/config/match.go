package config

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"stele/internal/manifest"
)

// match returns the files that the patterns of a setting name, sorted, each once.
// Relative patterns begin at the folder of the configuration file.
func (c *checker) match(setting string, patterns []string) []string {
	dir := filepath.Dir(c.cfg.File)
	var files []string
	for i, pattern := range patterns {
		found, why := matchOne(dir, pattern)
		if why != "" {
			c.report(manifest.At(setting, i), "%s", why)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// matchOne returns the files of one pattern, or what is wrong with it. Only a
// pattern without wildcards must match.
func matchOne(dir, pattern string) (files []string, why string) {
	switch {
	case pattern == "":
		return nil, "must not be empty"
	case strings.Contains(pattern, "**"):
		return nil, "** is not supported; name each folder"
	case !hasWildcard(pattern):
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(dir, pattern)
		}
		return matchPlain(pattern)
	}
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(literal(dir), pattern)
	}
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, "not a valid pattern"
	}
	for _, name := range found {
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			files = append(files, name)
		}
	}
	return files, ""
}

func matchPlain(name string) (files []string, why string) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, "cannot read " + name + ": " + reason(err)
	case info.IsDir():
		return nil, name + " is a folder; write " + filepath.Join(name, "*.yaml")
	}
	return []string{name}, ""
}

func hasWildcard(pattern string) bool {
	signs := `*?[\`
	if runtime.GOOS == "windows" {
		signs = `*?[`
	}
	return strings.ContainsAny(pattern, signs)
}

// literal returns a pattern that matches dir itself, whatever signs it holds.
func literal(dir string) string {
	if runtime.GOOS == "windows" {
		return dir // its separator is the sign that would quote
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
