package stele_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	quoted    = regexp.MustCompile("`([^`]+)`")
	pathWords = regexp.MustCompile(`^[\w.*-]+(/[\w.*-]+)*/?$`)
	fileName  = regexp.MustCompile(`\.(go|md|txt|html|js)$`)
	// A file of Go, and behind it in brackets what of it is meant: `limit/run.go` (`shareOut`, `heed`).
	parts    = regexp.MustCompile("`([^` ]+\\.go)` \\(([^()]+)\\)")
	nameOnly = regexp.MustCompile(`^\w+$`)
	drawn    = regexp.MustCompile(`(?m)^    ([a-z]+)/ `)
)

// TestTheArchitectureNamesWhatIsThere follows every path of docs/architecture.md, and every
// name that stands in brackets behind a file.
func TestTheArchitectureNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	page := architecture(t)
	_, rest, _ := strings.Cut(page, "\n## Five journeys\n")
	paths, names := 0, 0
	for line := range strings.SplitSeq(wholeParagraphs(rest), "\n") {
		folders := []string{".", "internal"} // and those that the line has named before
		for _, found := range quoted.FindAllStringSubmatch(line, -1) {
			name := placeholders.Replace(found[1])
			if !pathWords.MatchString(name) || !strings.Contains(name, "/") && !fileName.MatchString(name) {
				folders = append(folders, path.Join("internal", name)) // `relay` …, `vault.go`
				continue
			}
			paths++
			there := find(t, folders, name)
			if there == "" {
				t.Errorf("docs/architecture.md names %s, which is not there: %.80s", found[1], line)
				continue
			}
			if fileName.MatchString(there) {
				there = path.Dir(there)
			}
			folders = append(folders, there, path.Dir(there))
		}
		for _, found := range parts.FindAllStringSubmatch(line, -1) {
			file := find(t, append(folders, "cmd/stele"), placeholders.Replace(found[1]))
			for _, part := range quoted.FindAllStringSubmatch(found[2], -1) {
				if !nameOnly.MatchString(part[1]) {
					continue
				}
				names++
				if source, err := os.ReadFile(file); err != nil || !regexp.MustCompile(`\b`+part[1]+`\b`).Match(source) {
					t.Errorf("docs/architecture.md looks for %s in %s, which does not have it (%v)", part[1], found[1], err)
				}
			}
		}
	}
	if paths < 300 || names < 30 {
		t.Errorf("only %d paths and %d names were found", paths, names)
	}
}

// TestTheDrawingIsWhole holds the drawing against the folders of internal/.
func TestTheDrawingIsWhole(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(architecture(t), "## The drawing")
	drawing, _, _ := strings.Cut(rest, "\n## ")
	var shown []string
	for _, found := range drawn.FindAllStringSubmatch(drawing, -1) {
		shown = append(shown, found[1])
	}
	folders, err := os.ReadDir("internal")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if !slices.Contains(shown, f.Name()) {
			t.Errorf("docs/architecture.md does not draw internal/%s", f.Name())
		}
	}
	if len(shown) != len(folders) {
		t.Errorf("docs/architecture.md draws %d folders of %d: %v", len(shown), len(folders), shown)
	}
}

// placeholders stand for what is the same in several places.
var placeholders = strings.NewReplacer("<family>", "openai", "<things>", "*", "ROOM", "keys")

func architecture(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// wholeParagraphs joins the lines of a step, which names a folder in one and its files in the next.
func wholeParagraphs(text string) string { return strings.ReplaceAll(text, "\n   ", " ") }

// find is where a name leads from one of the folders, the last first; "" where it leads nowhere.
func find(t *testing.T, folders []string, name string) string {
	t.Helper()
	for _, folder := range slices.Backward(folders) {
		found, err := filepath.Glob(path.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			return filepath.ToSlash(found[0])
		}
	}
	return ""
}
