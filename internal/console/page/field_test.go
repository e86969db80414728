package page

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Attributes go into pages as they are: they must be written in a template, never come
// from what a person or a program said.
func TestAttributesOfFieldsAreWrittenInTemplates(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*/templates/*.html")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d templates, %v", len(files), err)
	}
	frame, err := filepath.Glob("../templates/*.html")
	if err != nil || len(frame) == 0 {
		t.Fatalf("%d templates of the frame, %v", len(frame), err)
	}
	use := regexp.MustCompile(`\| attrs(If)?\b`)
	literal := regexp.MustCompile("\\| attrs(If (\\([^()]*\\)|[^ ]+))? `[^`]*`")
	seen := 0
	for _, file := range append(files, frame...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		uses, literals := use.FindAllString(string(text), -1), literal.FindAllString(string(text), -1)
		if len(uses) != len(literals) || strings.Contains(string(text), "attrs (") {
			t.Errorf("%s has %d attrs, of which %d are literals", file, len(uses), len(literals))
		}
		seen += len(uses)
	}
	if seen < 60 {
		t.Errorf("only %d attrs were found", seen)
	}
}

func TestAFieldEscapesWhatItShows(t *testing.T) {
	t.Parallel()
	set, err := readPage(os.DirFS("../keys"), "templates/key.html")
	if err != nil {
		t.Fatal(err)
	}
	const evil = `"><script>` + "`</code>`"
	field := fieldWords["field"].(func(id, label string, value any) Field)
	for name, f := range map[string]Field{
		"input":  field(evil, evil, evil),
		"area":   {ID: "a", Label: "A", Value: evil, Rows: 3, Hint: spans(evil)},
		"choice": {ID: "c", Label: "C", Choice: true, First: evil, Options: []Option{{evil, evil}}, Problem: evil, Class: evil, Note: evil, Placeholder: evil},
	} {
		var out strings.Builder
		if err := set.ExecuteTemplate(&out, "field", f); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "<script") {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}
