package consoletest

import (
	"context"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/console"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/meter"
	"stele/internal/supply"
	"stele/internal/uid"
)

// WithUsage adds the rooms that look at requests.
func WithUsage(h *House, o *console.Options) {
	o.Usage, o.Requests = h.Store, h.Store
}

// Use is a request that was served some time before now, of the house's own key.
func (h *House) Use(ago time.Duration, change ...func(*meter.Record)) meter.Record {
	h.T.Helper()
	who, _, err := h.Access.Admit(h.Key, "")
	if err != nil {
		h.T.Fatal(err)
	}
	r := meter.Record{
		ID: uid.New("use"), At: h.Clock().Add(-ago), Request: uid.New("req"), Workspace: "default", Key: who.Key, Environment: "development",
		Route: "POST /api/v1/chat/completions", Dialect: "openai", Model: "acme/fast", Provider: "main", Target: "gpt-5-mini", Status: 200, Tries: 1,
		Input: 1200, CacheRead: 300, Output: 80, Reasoning: 20, Nano: 2_340_000, Priced: true, Rates: "1 0.1 - 10",
		FirstByte: 250 * time.Millisecond, Took: time.Second,
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

// Save keeps records.
func (h *House) Save(records ...meter.Record) {
	h.T.Helper()
	if err := h.Store.InsertRecords(h.T.Context(), records); err != nil {
		h.T.Fatal(err)
	}
}

// WithStart adds a first page with all that it can have.
func WithStart(h *House, o *console.Options) {
	WithUsage(h, o)
	models := Offers(h.T, "stele/sandbox", "acme/fast")
	o.Start = &console.Start{Models: models, Media: models, Tasks: tasks{
		{ID: "gen_2", Model: "stele/canvas", Mode: "text_to_image", State: media.Processing, Created: h.Clock().Add(-time.Minute)},
		{ID: "gen_3", Parent: "gen_4", Model: "a-part"},
		{ID: "gen_4", App: "postcard", State: media.Failed, Created: h.Clock().Add(-time.Hour)},
	}}
	o.Health = health{
		{Name: "main", Kind: "openai", State: supply.HealthOK, At: h.Clock().Add(-time.Minute)},
		{Name: "second", Kind: "anthropic", State: supply.HealthDown, Error: "It refused the credentials.", At: h.Clock()},
		{Name: "third", Kind: "gemini", State: supply.HealthUnknown},
	}
}

// Offers is a catalog with these chat models and a media model.
func Offers(t *testing.T, ids ...string) *catalog.Catalog {
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
type health []supply.ProviderHealth

func (h health) Health(context.Context) []supply.ProviderHealth { return h }

// tasks are what a test says was made.
type tasks []generation.Task

func (t tasks) Tasks(context.Context, string, int) ([]generation.Task, error) { return t, nil }
