package console

import (
	"net/url"
	"testing"

	"stele/internal/console/page"
)

// TestEveryPageCanBeRead finds what is wrong with a template before a visitor wants it.
func TestEveryPageCanBeRead(t *testing.T) {
	t.Parallel()
	f, err := page.New(page.Options{PublicURL: func() *url.URL { return nil }, Rooms: roomFiles()})
	if err != nil {
		t.Fatal(err)
	}
	if names, err := f.ReadAll(); err != nil || len(names) < 20 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
}
