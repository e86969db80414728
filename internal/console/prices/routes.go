// Package prices is the room of prices: what the book knows, what administrators set in
// front of it, and what has no price.
package prices

import (
	"embed"

	"stele/internal/console/page"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows prices and changes the operator's own.
type Room struct {
	*page.Frame

	Supply page.Supply
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/prices", page.Viewer, c.showPrices),
		page.Post("/console/prices", page.Admin, c.setPrice),
		page.Post("/console/prices/delete", page.Admin, c.deletePrice),
	}
}
