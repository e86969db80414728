package app

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// published is the schema that editors are given.
func published(t *testing.T) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	src, err := os.ReadFile("../../api/app.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("urn:stele:app", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:stele:app")
	if err != nil {
		t.Fatal(err)
	}
	return s, doc.(map[string]any)
}

func untyped(t *testing.T, src []byte) any {
	t.Helper()
	text, err := yaml.YAMLToJSON(src)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTheLibraryFitsThePublishedSchema(t *testing.T) {
	t.Parallel()
	s, _ := published(t)
	names, _ := fs.Glob(library, "library/*.yaml")
	files := map[string][]byte{"right": []byte(right), "docs/apps.md": example(t)}
	for _, name := range names {
		src, err := library.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = src
	}
	for name, src := range files {
		if err := s.Validate(untyped(t, src)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// example is the app in the documentation.
func example(t *testing.T) []byte {
	t.Helper()
	page, err := os.ReadFile("../../docs/apps.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```yaml\n")
	text, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/apps.md has no example")
	}
	return []byte(text)
}

func TestTheExampleOfTheDocumentationIsRight(t *testing.T) {
	t.Parallel()
	r, err := Read("docs/apps.md", example(t))
	if err == nil {
		err = r.Check(studio(t))
	}
	if err != nil {
		t.Error(err)
	}
}

// TestThePublishedSchemaRefusesWhatTheReaderRefuses holds the two against each
// other where it is about form; meaning is the reader's alone.
func TestThePublishedSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	t.Parallel()
	s, _ := published(t)
	for _, c := range [][2]string{
		{"app: right\n", "app: Right One\n"}, {"version: 2\n", "version: 0\n"}, {"media_type: image\n", "media_type: picture\n"},
		{"name: idea, type: string", "name: Idea, type: string"}, {"name: idea, type: string", "name: idea, type: text"},
		{"media: image}\nsteps", "media: picture}\nsteps"}, {"id: think", "id: Think"}, {"retries: 1", "retries: 9"},
		{"retries: 1", "retry: 1"}, {"retries: 1", "file: {fetch: x}"}, {"parallel: 2", "parallel: 0"}, {"most: 5", "most: 1000"},
		{"model: stele/sandbox", "model: ''"}, {"n: 1}", "dry_run: true}"}, {"layout: row", "layout: circle"}, {"format: png", "format: gif"},
		{"{compose:", "{fetch: x, compose:"}, {`texts: ["${steps.think.text}"]`, "texts: 5"}, {`texts: ["${steps.think.text}"]`, "text: x"},
	} {
		src := []byte(strings.Replace(right, c[0], c[1], 1))
		if _, err := Read("wrong.yaml", src); err == nil {
			t.Errorf("%q: the reader takes it", c[1])
		}
		if err := s.Validate(untyped(t, src)); err == nil {
			t.Errorf("%q: the schema takes it", c[1])
		}
	}
}

// TestThePublishedSchemaHasTheFieldsOfTheTypes keeps the two from drifting apart.
func TestThePublishedSchemaHasTheFieldsOfTheTypes(t *testing.T) {
	t.Parallel()
	_, doc := published(t)
	of := func(name string) map[string]any {
		if name == "" {
			return doc["properties"].(map[string]any)
		}
		return doc["$defs"].(map[string]any)[name].(map[string]any)["properties"].(map[string]any)
	}
	for name, v := range map[string]any{
		"": Recipe{}, "input": Input{}, "step": Step{}, "chat": Chat{}, "generate": Generate{}, "file": File{}, "result": Result{},
	} {
		want := tags(reflect.TypeOf(v))
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(of(name))); !slices.Equal(got, want) {
			t.Errorf("%q has %v in the schema and %v in the program", name, got, want)
		}
	}
}

func tags(t reflect.Type) []string {
	var list []string
	for f := range t.Fields() {
		if tag := f.Tag.Get("yaml"); tag != "" {
			list = append(list, tag)
		} else if f.Anonymous {
			list = append(list, tags(f.Type)...)
		}
	}
	return list
}
