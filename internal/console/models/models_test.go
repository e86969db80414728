package models_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stele/internal/console/consoletest"
)

func TestAModelIsAddedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	page := consoletest.Body(t, h.Get("/console/models", consoletest.Browser))
	consoletest.WantText(t, page, "steady", "$1.25 in, $10 out", "main/gpt-5", "stele.yaml, line 7", "tools")
	consoletest.AddProvider(t, h, "proxy")

	form := url.Values{
		"id": {"acme/fast"}, "name": {"Fast <one>"}, "strategy": {"balance"}, "retries": {"1"},
		"target_provider": {"proxy", "main", ""}, "target_model": {"gpt-5-mini", "gpt-5", ""}, "target_weight": {"3", "1", "1"},
		"price.input": {"0.25"}, "price.output": {"2"}, "timeouts.total": {"5m"}, "capability": {"tools", "reasoning"}, "tags": {"cheap, internal"},
	}
	consoletest.WantStatus(t, h.Post("/console/models", form, consoletest.Browser), 303)
	m := s.Both.Config.Models[1]
	if m.ID != "acme/fast" || len(m.Targets) != 2 || m.Targets[0].Provider != "proxy" || m.Targets[0].Weight != 3 || m.Retries != 1 ||
		m.Price.Sheet.Text() != "0.25 - - 2" || m.Timeouts.Total.Minutes() != 5 || !m.Capabilities["reasoning"] || strings.Join(m.Tags, " ") != "cheap internal" {
		t.Fatalf("the model is %+v", m)
	}
	page = consoletest.Body(t, h.Get("/console/models/show?id=acme%2Ffast", consoletest.Browser))
	consoletest.WantText(t, page, "acme/fast", "Fast &lt;one&gt;", "75%", "25%", "by weight", "$0.25", "&#34;model&#34;: &#34;acme/fast&#34;", "All within", "5m")

	page = consoletest.Body(t, h.Get("/console/models/edit?id=acme%2Ffast", consoletest.Browser))
	consoletest.WantText(t, page, `value="gpt-5-mini"`, `value="0.25"`, `value="5m"`, `value="cheap, internal"`, `<datalist id="names-main">`)
	form.Set("revision", consoletest.Revision(t, page))
	form.Set("strategy", "fallback")
	form.Set("timeouts.total", "")
	consoletest.WantStatus(t, h.Post("/console/models/edit", form, consoletest.Browser), 303)
	if m := s.Both.Config.Models[1]; m.Strategy != "fallback" || m.Timeouts.Total.Minutes() != 30 {
		t.Errorf("after a change: %+v", m)
	}
	consoletest.WantStatus(t, h.Post("/console/models/delete", url.Values{"id": {"acme/fast"}}, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Get("/console/models/show?id=acme%2Ffast", consoletest.Browser), 404)
	consoletest.WantStatus(t, h.Post("/console/models/delete", url.Values{"id": {"steady"}}, consoletest.Browser), 404)
	consoletest.WantStatus(t, h.Get("/console/models/edit?id=steady", consoletest.Browser), 403)
}

func TestAWrongModelNamesItsField(t *testing.T) {
	t.Parallel()
	s, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	for name, test := range map[string]struct {
		change url.Values
		says   string
		at     string
	}{
		"no id":          {url.Values{"id": {""}}, "Give it an id", "id-problem"},
		"a bad id":       {url.Values{"id": {"two words"}}, "letters, digits", "id-problem"},
		"the file's":     {url.Values{"id": {"steady"}}, "counts instead", "id-problem"},
		"a provider's":   {url.Values{"id": {"main/gpt-5"}}, "offers a model of this id", "id-problem"},
		"no target":      {url.Values{"target_provider": {""}, "target_model": {""}}, "at least one target", ""},
		"half a target":  {url.Values{"target_model": {""}}, "Missing", "target-problem-0"},
		"a lost target":  {url.Values{"target_provider": {"gone"}}, "No provider is called", "target-problem-0"},
		"a weight":       {url.Values{"target_weight": {"-1"}}, "negative", "target-problem-0"},
		"a word of it":   {url.Values{"target_weight": {"much"}}, "Expected a whole number", "target-problem-0"},
		"a price":        {url.Values{"price.output": {"cheap"}}, "Expected a number", "price-output-problem"},
		"a time":         {url.Values{"timeouts.gap": {"a while"}}, "duration", "timeouts-gap-problem"},
		"a retry":        {url.Values{"retries": {"-3"}}, "negative", ""},
		"no such choice": {url.Values{"strategy": {"random"}}, "none of fallback", ""},
	} {
		form := url.Values{
			"id": {"fast"}, "strategy": {"fallback"}, "target_provider": {"main"}, "target_model": {"gpt-5"}, "target_weight": {"1"}, "retries": {"2"},
		}
		maps.Copy(form, test.change)
		res := h.Post("/console/models", form, consoletest.Browser)
		page := consoletest.Body(t, res)
		if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, test.says) || !strings.Contains(page, test.at) {
			t.Errorf("%s: status %d, want %q at %q", name, res.StatusCode, test.says, test.at)
		}
	}
	if len(s.Now) != 0 {
		t.Errorf("something was saved: %v", s.Now)
	}
}

func TestModelsAreFoundByWordTypeAndProvider(t *testing.T) {
	t.Parallel()
	_, rooms := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, rooms)
	for query, found := range map[string]bool{
		"q=stea": true, "q=STEADY": true, "q=other": false, "type=chat": true, "type=image": false, "provider=main": true, "provider=proxy": false,
	} {
		if got := strings.Contains(consoletest.Body(t, h.Get("/console/models?"+query, consoletest.Browser)), "models/show?id=steady"); got != found {
			t.Errorf("%s: found is %v", query, got)
		}
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/models?q=%3Cb%3E", consoletest.Browser)), "Nothing fits", "&lt;b&gt;")
}
