package start_test

import (
	"strings"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/clients"
	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/meter"
)

func TestTheFirstPageShowsTheFirstThreeStepsUntilSomethingWasCalled(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithStart)
	page := consoletest.Body(t, h.Get("/console/", consoletest.Browser))
	consoletest.WantText(t, page, "Three steps to the first call", `<li class="done"><i aria-hidden="true"></i><div><strong>Make a key</strong>`,
		`<li><i aria-hidden="true"></i><div><strong>Call it</strong>`, `hx-get="/console/?part=steps"`)
	h.Save(h.Use(0))
	part := consoletest.Body(t, h.Get("/console/?part=steps", consoletest.Browser, consoletest.With("HX-Request", "true")))
	consoletest.WantText(t, part, "The first call has arrived", `<li class="done"><i aria-hidden="true"></i><div><strong>Call it</strong>`)
	if strings.Contains(part, "hx-get") || strings.Contains(part, "<!doctype") {
		t.Errorf("the steps go on asking: %s", part)
	}
	if page = consoletest.Body(t, h.Get("/console/", consoletest.Browser)); strings.Contains(page, "Three steps") {
		t.Error("the steps are still there")
	}
}

func TestTheFirstPageShowsTodayAndTheLatest(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithStart)
	h.Save(h.Use(0), h.Use(time.Hour), h.Use(24*time.Hour))
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/", consoletest.Browser)), "Requests today", "<dd>2<small", "1 yesterday", "Last requests", "acme/fast",
		"second", "It refused the credentials.", "not called yet", "Last generations", "postcard", `<span class="badge cool">processing</span>`)
	if page := consoletest.Body(t, h.Get("/console/", consoletest.Browser)); strings.Contains(page, "a-part") {
		t.Error("a part of an app's run is shown by itself")
	}
}

func TestTheFirstPageStandsWithoutAnyOtherRoom(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	res := h.Get("/console/", consoletest.Browser)
	consoletest.WantStatus(t, res, 200)
	consoletest.WantText(t, consoletest.Body(t, res), "Welcome", `aria-current="page"`)
}

func TestSnippetsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	for name, models := range map[string]*catalog.Catalog{"acme/fast": consoletest.Offers(t, "acme/it's", "stele/sandbox", "acme/fast"), "stele/sandbox": consoletest.Offers(t, "stele/sandbox", "acme/$(id)")} {
		h := consoletest.Open(t, "https://ai.example.com/stele", func(_ *consoletest.House, o *console.Options) {
			o.Start = &console.Start{Models: models, Media: models}
		})
		h.SignIn()
		page := consoletest.Body(t, h.Get("/console/", consoletest.Browser))
		if n := strings.Count(page, `<div class="code snippet`); n != 16 {
			t.Errorf("%d snippets", n)
		}
		if n := strings.Count(page, "{{"); n > 0 {
			t.Error("a snippet has a place that is not filled in")
		}
		consoletest.WantText(t, page, "curl https://ai.example.com/stele/api/v1/chat/completions", "/stele/api/v1beta/models/"+name+":generateContent",
			"baseURL: &#34;https://ai.example.com/stele/api&#34;", "&#34;stele/canvas&#34;")
	}
}

func TestTheFirstPageSaysHowManyRequestsAreUnpriced(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithStart)
	unpriced := func(r *meter.Record) { r.Nano, r.Priced, r.PriceSource = 0, false, catalog.Unpriced }
	h.Save(h.Use(0))
	if page := consoletest.Body(t, h.Get("/console/", consoletest.Browser)); strings.Contains(page, "no price") {
		t.Error("requests with a price are said to have none")
	}
	h.Save(h.Use(0, unpriced), h.Use(time.Hour, unpriced))
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/", consoletest.Browser)), "2 requests since yesterday have no price", `/console/prices"`)
}

func TestAClientIsToldThisServersAddress(t *testing.T) {
	t.Parallel()
	h := consoletest.Open(t, "https://stele.example.com/ai", consoletest.WithStart)
	h.SignIn()
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/", consoletest.Browser)), "Connect a client", `href="/ai/console/connect?client=claude-code"`)
	page := consoletest.Body(t, h.Get("/console/connect?client=claude-code", consoletest.Browser))
	consoletest.WantText(t, page, "Connect Claude Code", "~/.claude/settings.json", "$CLAUDE_CONFIG_DIR/settings.json", "https://stele.example.com/ai/api&#34;", "stele connect claude-code --url https://stele.example.com/ai",
		"no model here answers to them", "&#34;ANTHROPIC_MODEL&#34;: &#34;", `/ai/console/names?pattern=claude-%2ahaiku%2a#add`)
	consoletest.WantStatus(t, h.Get("/console/connect?client=nothing", consoletest.Browser), 404)
	for _, c := range clients.All() {
		consoletest.WantText(t, consoletest.Body(t, h.Get("/console/connect?client="+c.ID, consoletest.Browser)), "Connect "+c.Name)
	}
}
