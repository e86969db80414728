// Package studio is the room where pictures, clips and sound are made: a form from the
// declaration of a model, a gallery, and a page for each generation.
package studio

import (
	"embed"

	"stele/internal/access"
	"stele/internal/console/page"
)

// Files are the templates and static files of the room.
//
//go:embed templates static
var Files embed.FS

// Room is where media are made.
type Room struct {
	*page.Frame
	Options

	Access *access.Service
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/studio", page.Viewer, c.showStudio),
		page.Post("/console/studio", page.Member, c.makeGeneration),
		page.Get("/console/studio/form", page.Member, c.showStudioForm),
		page.Post("/console/studio/price", page.Member, c.priceGeneration),
		page.Get("/console/studio/gallery", page.Viewer, c.showGallery),
		page.Get("/console/studio/events", page.Viewer, c.followGenerations).StaysOpen(),
		page.Get("/console/studio/files", page.Member, c.pickInput),
		page.Post("/console/studio/files", page.Member, c.uploadInput).Takes(page.FileLimit).StaysOpen(),
		page.Get("/console/studio/files/{file}/small", page.Viewer, c.smallPicture),
		page.Get("/console/studio/{id}", page.Viewer, c.showGeneration),
		page.Post("/console/studio/{id}/cancel", page.Member, c.cancelGeneration),
		page.Post("/console/studio/{id}/delete", page.Member, c.deleteGeneration),
	}
}
