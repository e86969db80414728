package assembly

import (
	"testing"

	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/media"
	"stele/internal/route"
	"stele/internal/supply"
)

// TestARemovedAccountSeesItsWorkThrough removes an account that makes media and
// brings it back.
func TestARemovedAccountSeesItsWorkThrough(t *testing.T) {
	t.Parallel()
	s := supply.New(supply.Options{
		File: config.Default(), Connector: connector{getenv: func(string) string { return "" }}, Library: mediaLibrary{}, Catalog: catalog.New(), Apps: app.NewLibrary(),
		Router: route.New(), Took: func(*config.Config) {},
	})
	cfg := &config.Config{Providers: config.Providers{{Name: "pics", Kind: "replicate", BaseURL: "http://127.0.0.1:9", APIKey: "a"}}}
	offer := func(cfg *config.Config) {
		t.Helper()
		if err := s.Replace(cfg, supply.Contents{}); err != nil {
			t.Fatal(err)
		}
	}
	offer(cfg)
	first, ok := s.Maker("pics")
	if !ok {
		t.Fatal("the account makes nothing")
	}
	offer(cfg)
	if same, _ := s.Maker("pics"); same != first {
		t.Error("an account that did not change was opened again")
	}
	offer(&config.Config{})
	left, ok := s.Maker("pics")
	if !ok {
		t.Fatal("accepted work of a removed account cannot be looked at any more")
	}
	if _, err := left.Submit(t.Context(), media.Request{}); media.ToFailure(err).Class != media.Quota {
		t.Errorf("a removed account takes orders: %v", err)
	}
	if _, err := left.Poll(t.Context(), media.Ticket("{}")); media.ToFailure(err).Class != media.Gone {
		t.Errorf("a ticket that is none: %v", err)
	}
	cfg.Providers[0].APIKey = "b"
	offer(cfg)
	if back, _ := s.Maker("pics"); back == first || back == left {
		t.Error("the account that is back is the old one")
	}
	if _, ok := s.Maker("other"); ok {
		t.Error("nobody's account was found")
	}
	s.Close()
}
