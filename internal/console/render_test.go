package console

import (
	"net/url"
	"os"
	"strings"
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

// TestEveryEntryOfTheNavigationHasAnIcon looks for the name of each in the file that
// draws them.
func TestEveryEntryOfTheNavigationHasAnIcon(t *testing.T) {
	t.Parallel()
	icons, err := os.ReadFile("page/templates/icons.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range allNav {
		for _, item := range g.Items {
			if !strings.Contains(string(icons), `eq . "`+item.Name+`"`) {
				t.Errorf("%s has none", item.Label)
			}
		}
	}
}
