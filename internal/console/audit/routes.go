// Package audit is the audit log: who did what, with filters and as a download.
package audit

import (
	"context"
	"embed"

	"stele/internal/access"
	"stele/internal/console/page"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows the audit log.
type Room struct {
	*page.Frame

	Access *access.Service
	Lags   func(context.Context) ([]Lag, error) // may be nil
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/audit", page.Owner, c.showAudit),
		page.Get("/console/audit.csv", page.Owner, c.downloadAudit),
	}
}
