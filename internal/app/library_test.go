package app

import (
	"io/fs"
	"os"
	"testing"

	"stele/internal/media"
)

// studio reads the model files of what is built in.
func studio(t testing.TB) func(id string) *media.Model {
	t.Helper()
	models := make(map[string]*media.Model)
	files := os.DirFS("../provider/studio/models")
	names, err := fs.Glob(files, "*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal("no model files", err)
	}
	for _, name := range names {
		src, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := media.Read(name, src)
		if err != nil {
			t.Fatal(err)
		}
		models[m.ID] = &m
	}
	return func(id string) *media.Model { return models[id] }
}

func TestTheLibraryIsReadAndFitsTheModels(t *testing.T) {
	t.Parallel()
	models := studio(t)
	names, err := fs.Glob(library, "library/*.yaml")
	if err != nil || len(names) != 8 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		src, err := library.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(name, src)
		if err == nil {
			err = r.Check(models)
		}
		if err != nil {
			t.Error(err)
		}
		if want := "library/" + r.ID + ".yaml"; name != want || r.Description == "" || r.Name == r.ID {
			t.Errorf("%s is called %s (%s): %s", name, r.ID, r.Name, r.Description)
		}
	}
}
