// Package providers is the room of providers: the accounts that models are asked at.
package providers

import (
	"embed"

	"stele/internal/console/page"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows and changes providers.
type Room struct {
	*page.Frame

	Supply page.Supply
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/providers", page.Viewer, c.showProviders),
		page.Post("/console/providers", page.Admin, c.createProvider).Asks(page.Always),
		page.Get("/console/providers/new", page.Admin, c.newProvider).Asks(page.Always),
		page.Get("/console/providers/{id}", page.Viewer, c.showProvider),
		page.Post("/console/providers/{id}", page.Admin, c.updateProvider).Asks(page.Always),
		page.Post("/console/providers/{id}/test", page.Admin, c.testProvider),
		page.Post("/console/providers/{id}/switch", page.Admin, c.switchProvider).Asks(page.Always),
		page.Post("/console/providers/{id}/delete", page.Admin, c.deleteProvider).Asks(page.Always),
	}
}
