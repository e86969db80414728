package catalog_test

import (
	"testing"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/media"
)

// TestAPolicyLeavesProvidersOut has a model that two providers serve, one that only a
// forbidden one does, and a provider that takes any name.
func TestAPolicyLeavesProvidersOut(t *testing.T) {
	t.Parallel()
	c := catalog.New()
	err := c.Replace(catalog.Contents{
		Models: []catalog.Model{
			{ID: "both", Targets: []catalog.Target{{Provider: "bad", Model: "x"}, {Provider: "good", Model: "y"}}},
			{ID: "only", Targets: []catalog.Target{{Provider: "bad", Model: "x"}}},
		},
		Media: []media.Model{{ID: "m-good", Provider: "good"}, {ID: "m-bad", Provider: "bad"}},
		Open:  map[string]catalog.Model{"bad": {}, "good": {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scope := access.Scope{Policy: &access.Policy{Providers: []string{"good"}}}
	m, err := c.Model("both", scope)
	if err != nil || len(m.Targets) != 1 || m.Targets[0].Provider != "good" {
		t.Errorf("both: %+v, %v", m, err)
	}
	if all, err := c.Model("both", access.Scope{}); err != nil || len(all.Targets) != 2 {
		t.Errorf("the catalog itself was narrowed: %+v, %v", all, err)
	}
	for _, id := range []string{"only", "bad/anything"} {
		if m, err := c.Model(id, scope); err == nil {
			t.Errorf("%s is open: %+v", id, m)
		}
	}
	if _, err := c.Model("good/anything", scope); err != nil {
		t.Error(err)
	}
	if list := c.Models(scope); len(list) != 1 || list[0].ID != "both" || len(list[0].Targets) != 1 {
		t.Errorf("listed %+v", list)
	}
	if list := c.Media(scope, ""); len(list) != 1 || list[0].ID != "m-good" {
		t.Errorf("listed %+v", list)
	}
	if _, err := c.OpenMediaModel("m-bad", scope); err == nil {
		t.Error("a media model of a forbidden provider is open")
	}
}
