package media

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"stele/internal/manifest"
)

const schemaFile = "../../api/media-model.schema.json"

func schema(t *testing.T) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	src, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("urn:stele:media-model", doc); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("urn:stele:media-model")
	if err != nil {
		t.Fatal(err)
	}
	return s, doc.(map[string]any)
}

// modelFiles finds every model file of the tree: built-in ones and those of tests.
func modelFiles(t *testing.T) []string {
	t.Helper()
	files := []string{"testdata/clip.yaml", "testdata/minimal.yaml"}
	err := filepath.WalkDir("../provider", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".yaml") && filepath.Base(filepath.Dir(name)) == "models" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestEveryModelFileIsReadAndFitsTheSchema(t *testing.T) {
	t.Parallel()
	s, _ := schema(t)
	for _, file := range modelFiles(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file, src); err != nil {
			t.Error(err)
		}
		if err := s.Validate(untyped(t, src)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestTheSchemaHasTheFieldsOfTheTypes keeps the published schema and the types
// that read the files from drifting apart.
func TestTheSchemaHasTheFieldsOfTheTypes(t *testing.T) {
	t.Parallel()
	_, doc := schema(t)
	defs := doc["$defs"].(map[string]any)
	def := func(path ...string) map[string]any {
		var at any = defs
		for _, step := range path {
			at = at.(map[string]any)[step]
		}
		return at.(map[string]any)
	}
	for _, row := range []struct {
		v      any
		schema map[string]any
	}{
		{Model{}, doc}, {Operation{}, def("operation")}, {Limit{}, def("limit")}, {Parameter{}, def("parameter")}, {Price{}, def("price")},
		{Call{}, def("call")}, {Rule{}, def("rules", "items")}, {Input{}, def("operation", "properties", "input")},
		{Requirement{}, def("operation", "properties", "requires", "items")},
	} {
		var tags []string
		for field := range reflect.TypeOf(row.v).Fields() {
			tags = append(tags, field.Tag.Get("yaml"))
		}
		slices.Sort(tags)
		names := slices.Sorted(maps.Keys(row.schema["properties"].(map[string]any)))
		if !slices.Equal(tags, names) {
			t.Errorf("%T:\n type   %v\n schema %v", row.v, tags, names)
		}
	}
	for name, row := range map[string]struct {
		got  any
		want []string
	}{
		"media types":     {doc["properties"].(map[string]any)["media_type"].(map[string]any)["enum"], Types()},
		"inputs":          {def("inputs", "items")["enum"], Inputs()},
		"limits":          {def("operation", "properties", "limits", "propertyNames")["enum"], Inputs()},
		"parameter types": {def("type")["enum"], parameterTypes()},
		"forms":           {def("limit", "properties", "forms", "items")["enum"], Forms()},
		"units":           {def("price", "properties", "per")["enum"], append(Units(), "")},
	} {
		var got []string
		for _, v := range row.got.([]any) {
			if text, ok := v.(string); ok {
				got = append(got, text)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

// TestWhatIsReadFitsTheSchema spoils files in many ways: an editor that follows
// the schema must never refuse what Stele takes.
func TestWhatIsReadFitsTheSchema(t *testing.T) {
	t.Parallel()
	s, _ := schema(t)
	taken, refused := 0, 0
	for _, file := range modelFiles(t)[:2] {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		for range 100 {
			spoilt, err := yaml.Marshal(spoil(random, untyped(t, src)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Read("f", spoilt); err != nil {
				refused++
				continue
			}
			taken++
			if err := s.Validate(untyped(t, spoilt)); err != nil {
				t.Fatalf("%v\n%s", err, spoilt)
			}
		}
	}
	if taken < 20 || refused < 20 {
		t.Errorf("%d were taken and %d refused: this shows nothing", taken, refused)
	}
}

// spoil changes one place of a document: drops it, doubles it or puts something
// else there.
func spoil(random *rand.Rand, v any) any {
	others := []any{nil, "", "x", 0, -1, 5, 0.5, true, []any{}, map[string]any{}, []any{"prompt"}, "720p", "prompt", "1h"}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || random.IntN(8) == 0 {
			return others[random.IntN(len(others))]
		}
		key := slices.Sorted(maps.Keys(v))[random.IntN(len(v))]
		switch random.IntN(6) {
		case 0:
			delete(v, key)
		case 1:
			v[key+"x"] = v[key]
		default:
			v[key] = spoil(random, v[key])
		}
		return v
	case []any:
		if len(v) == 0 || random.IntN(8) == 0 {
			return others[random.IntN(len(others))]
		}
		i := random.IntN(len(v))
		switch random.IntN(6) {
		case 0:
			return slices.Delete(v, i, i+1)
		case 1:
			return append(v, v[i])
		default:
			v[i] = spoil(random, v[i])
		}
		return v
	}
	return others[random.IntN(len(others))]
}

// untyped is a file as plain values, read by the same rules.
func untyped(t *testing.T, src []byte) any {
	t.Helper()
	var v any
	if err := manifest.Decode("f", src, &v, manifest.Options{}).Err(); err != nil {
		t.Fatal(err)
	}
	return v
}
