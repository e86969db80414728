// Package models is the room of models: what clients can call, and where that is sent.
package models

import (
	"embed"

	"stele/internal/console/page"
)

// Files are the templates and static files of the room.
//
//go:embed templates static
var Files embed.FS

// Room shows and changes models.
type Room struct {
	*page.Frame

	Supply page.Supply
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/models", page.Viewer, c.showModels),
		page.Post("/console/models", page.Admin, c.createModel),
		page.Get("/console/models/show", page.Viewer, c.showModel),
		page.Get("/console/models/new", page.Admin, c.newModel),
		page.Get("/console/models/edit", page.Admin, c.editModel),
		page.Post("/console/models/edit", page.Admin, c.updateModel),
		page.Post("/console/models/delete", page.Admin, c.deleteModel),
	}
}
