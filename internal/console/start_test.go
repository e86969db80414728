package console_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/console"
	"stele/internal/generation"
	"stele/internal/media"
)

// offers is a catalog with these chat models and a media model.
func offers(t *testing.T, ids ...string) *catalog.Catalog {
	t.Helper()
	var contents catalog.Contents
	for _, id := range ids {
		contents.Models = append(contents.Models, catalog.Model{ID: id})
	}
	contents.Media = []media.Model{{ID: "stele/canvas", MediaType: "image", Operations: []media.Operation{{Mode: "text_to_image"}}}}
	c := catalog.New()
	if err := c.Replace(contents); err != nil {
		t.Fatal(err)
	}
	return c
}

// health is what a test says of the providers.
type health []console.ProviderHealth

func (h health) Health(context.Context) []console.ProviderHealth { return h }

// tasks are what a test says was made.
type tasks []generation.Task

func (t tasks) Tasks(context.Context, string, int) ([]generation.Task, error) { return t, nil }

// started adds a first page with all that it can have.
func started(h *house, o *console.Options) {
	observed(h, o)
	models := offers(h.t, "stele/sandbox", "acme/fast")
	o.Start = &console.Start{Models: models, Media: models, Tasks: tasks{
		{ID: "gen_2", Model: "stele/canvas", Mode: "text_to_image", State: media.Processing, Created: h.clock().Add(-time.Minute)},
		{ID: "gen_3", Parent: "gen_4", Model: "a-part"},
		{ID: "gen_4", App: "postcard", State: media.Failed, Created: h.clock().Add(-time.Hour)},
	}}
	o.Health = health{
		{Name: "main", Kind: "openai", State: console.HealthOK, At: h.clock().Add(-time.Minute)},
		{Name: "second", Kind: "anthropic", State: console.HealthDown, Error: "It refused the credentials.", At: h.clock()},
		{Name: "third", Kind: "gemini", State: console.HealthUnknown},
	}
}

func TestTheFirstPageShowsTheFirstThreeStepsUntilSomethingWasCalled(t *testing.T) {
	t.Parallel()
	h := opened(t, started)
	page := body(t, h.get("/console/", browser))
	wantText(t, page, "Three steps to the first call", `<li class="done"><i aria-hidden="true"></i><div><strong>Make a key</strong>`,
		`<li><i aria-hidden="true"></i><div><strong>Call it</strong>`, `hx-get="/console/?part=steps"`)
	h.save(h.use(0))
	part := body(t, h.get("/console/?part=steps", browser, header{"HX-Request", "true"}))
	wantText(t, part, "The first call has arrived", `<li class="done"><i aria-hidden="true"></i><div><strong>Call it</strong>`)
	if strings.Contains(part, "hx-get") || strings.Contains(part, "<!doctype") {
		t.Errorf("the steps go on asking: %s", part)
	}
	if page = body(t, h.get("/console/", browser)); strings.Contains(page, "Three steps") {
		t.Error("the steps are still there")
	}
}

func TestTheFirstPageShowsTodayAndTheLatest(t *testing.T) {
	t.Parallel()
	h := opened(t, started)
	h.save(h.use(0), h.use(time.Hour), h.use(24*time.Hour))
	wantText(t, body(t, h.get("/console/", browser)), "Requests today", "<dd>2<small", "1 yesterday", "Last requests", "acme/fast",
		"second", "It refused the credentials.", "not called yet", "Last generations", "postcard", `<span class="badge cool">processing</span>`)
	if page := body(t, h.get("/console/", browser)); strings.Contains(page, "a-part") {
		t.Error("a part of an app's run is shown by itself")
	}
}

func TestTheFirstPageStandsWithoutAnyOtherRoom(t *testing.T) {
	t.Parallel()
	h := opened(t)
	res := h.get("/console/", browser)
	wantStatus(t, res, 200)
	wantText(t, body(t, res), "Welcome", `aria-current="page"`)
}

func TestSnippetsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	for name, models := range map[string]*catalog.Catalog{"acme/fast": offers(t, "stele/sandbox", "acme/fast"), "stele/sandbox": offers(t, "stele/sandbox")} {
		h := open(t, "https://ai.example.com/stele", func(_ *house, o *console.Options) { o.Start = &console.Start{Models: models, Media: models} })
		h.signIn()
		page := body(t, h.get("/console/", browser))
		if n := strings.Count(page, `<div class="code snippet`); n != 16 {
			t.Errorf("%d snippets", n)
		}
		if n := strings.Count(page, "{{"); n > 0 {
			t.Error("a snippet has a place that is not filled in")
		}
		wantText(t, page, "curl https://ai.example.com/stele/api/v1/chat/completions", "/stele/api/v1beta/models/"+name+":generateContent",
			"baseURL: &#34;https://ai.example.com/stele/api&#34;", "&#34;stele/canvas&#34;")
	}
}
