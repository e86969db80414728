// Package usage is what was used: figures by days, and every request.
package usage

import (
	"embed"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/limit"
	"stele/internal/share"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows what was used.
type Room struct {
	*page.Frame

	Access   *access.Service
	Usage    Source
	Requests RequestSource
	Limits   *limit.Manager // nil: they are not shown
	Captures bool           // bodies are being kept
	Share    *share.Keeper  // what the workspace holds on disk; nil: it is not shown
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/usage", page.Viewer, c.showUsage),
		page.Get("/console/usage/csv", page.Viewer, c.usageCSV),
		page.Get("/console/usage/statement", page.Owner, c.showStatement),
		page.Get("/console/usage/statement/csv", page.Owner, c.statementCSV),

		page.Get("/console/requests", page.Viewer, c.showRequests),
		page.Get("/console/requests/csv", page.Viewer, c.requestsCSV),
		page.Get("/console/requests/{id}", page.Viewer, c.showRequest),
	}
}
