package blueprint

import (
	"testing"

	"stele/internal/media"
)

func TestEveryBuiltInFileIsRight(t *testing.T) {
	t.Parallel()
	if _, err := operations(); err != nil {
		t.Fatal(err)
	}
	files := Models()
	if len(files) < 12 {
		t.Errorf("%d model files", len(files))
	}
	seen := make(map[string]bool)
	for _, f := range files {
		m, err := media.Read(f.Name, f.Body)
		if err != nil {
			t.Errorf("%s", err)
			continue
		}
		if err := Check(f.Name, f.Body, nil); err != nil {
			t.Errorf("%s", err)
		}
		if m.CheckedOn == "" || seen[m.ID] || f.Kind != m.Kind {
			t.Errorf("%s: checked_on %q, twice %t, kind %q", f.Name, m.CheckedOn, seen[m.ID], f.Kind)
		}
		seen[m.ID] = true
	}
}
