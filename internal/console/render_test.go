package console

import "testing"

// TestEveryPageCanBeRead finds what is wrong with a template before somebody wants it.
func TestEveryPageCanBeRead(t *testing.T) {
	t.Parallel()
	pages, err := newPages()
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for name, read := range pages {
		set, err := read()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if set.Lookup("layout") == nil {
			t.Errorf("%s has no layout", name)
		}
	}
}
