package prices_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/consoletest"
	"stele/internal/supply"
)

func TestAPriceIsSetChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	form := url.Values{"id": {"main/gpt-5*"}, "line": {"2 0.2 - 8 @flex=1/2"}, "from": {"2026-12-01"}, "revision": {"0"}}
	consoletest.WantStatus(t, h.Post("/console/prices", form, consoletest.Browser), 303)
	if len(s.Now) != 1 || s.Now[0].Sort != catalog.PriceRecord || s.Now[0].ID != "main/gpt-5*" {
		t.Fatalf("kept %+v", s.Now)
	}
	page := consoletest.Body(t, h.Get("/console/prices?id=main%2Fgpt-5%2A", consoletest.Browser))
	consoletest.WantText(t, page, "<code>2 0.2 - 8 @flex=1/2</code>", "2026-12-01", "Change the price", `value="2026-12-01"`)
	form.Set("revision", consoletest.Revision(t, page))
	form.Set("line", "3 - - 9")
	form.Set("from", "")
	consoletest.WantStatus(t, h.Post("/console/prices", form, consoletest.Browser), 303)
	page = consoletest.Body(t, h.Get("/console/prices?set=main%2Fgpt-5%2A", consoletest.Browser))
	consoletest.WantText(t, page, "<code>3 - - 9</code>", "always", "The price of “main/gpt-5*” is set.")

	consoletest.WantStatus(t, h.Post("/console/prices/delete", url.Values{"id": {"main/gpt-5*"}}, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Post("/console/prices/delete", url.Values{"id": {"main/gpt-5*"}}, consoletest.Browser), 404)
	if len(s.Now) != 0 {
		t.Errorf("still there: %+v", s.Now)
	}
	var did []string
	list, err := h.Store.Entries(t.Context(), access.Filter{Workspace: access.DefaultWorkspace, About: "main/gpt-5*", Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		did = append(did, e.Action)
	}
	if got := strings.Join(did, " "); got != "price.delete price.update price.create" {
		t.Errorf("the audit log has %s", got)
	}
}

func TestWhatIsWrongWithAPriceIsSaid(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	for name, test := range map[string]struct{ id, line, from, says string }{
		"no provider":   {"gone/x", "1 - - 2", "", "No provider is called"},
		"no model":      {"main", "1 - - 2", "", "Expected provider/model"},
		"no price":      {"main/x", "cheap", "", "expected the prices of input"},
		"a negative":    {"main/x", "-1 - - 2", "", "expected an amount"},
		"a bad tier":    {"main/x", "1 - - 2 @flex=half", "", "factor such as @flex=1/2"},
		"no day":        {"main/x", "1 - - 2", "soon", "Expected a day"},
		"<script>":      {"<script>/x", "1 - - 2", "", "No provider is called"},
		"all of it":     {"main/x", "- - - -", "", "has a price"},
		"too many figs": {"main/x", "0.0000000001 - - 2", "", "at most nine decimals"},
	} {
		res := h.Post("/console/prices", url.Values{"id": {test.id}, "line": {test.line}, "from": {test.from}}, consoletest.Browser)
		page := consoletest.Body(t, res)
		if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(strings.ToLower(page), strings.ToLower(test.says)) || strings.Contains(page, "<script>/x") {
			at := strings.Index(page, `role="alert"`)
			t.Errorf("%s: status %d, want %q: %s", name, res.StatusCode, test.says, page[max(at, 0):min(len(page), max(at, 0)+200)])
		}
	}
	if len(s.Now) != 0 {
		t.Errorf("something was saved: %v", s.Now)
	}
}

func TestTheBookIsSearchedAndUnpricedModelsAreNamed(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	s.More = []supply.Model{{Enabled: true, Model: catalog.Model{ID: "acme/odd", Targets: []catalog.Target{{Provider: "main", Model: "our-own"}}}}}
	page := consoletest.Body(t, h.Get("/console/prices?q=claude-3-opus&kind=anthropic", consoletest.Browser))
	consoletest.WantText(t, page, "Without a price", "acme/odd", "main/our-own", "claude-3-opus", "$15", "retired 2026-01-05", "@pydantic/genai-prices 0.1.8", "checked 2026-09-23")
	if strings.Contains(page, "<strong>gpt-5</strong>") {
		t.Error("more than what was asked for")
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/prices", consoletest.Browser)), "more. Search to narrow the list")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/prices?q=%3Cb%3E", consoletest.Browser)), "Nothing fits", "&lt;b&gt;")
}
