// Package start is the first page: today's figures, the latest requests and generations, how the
// providers are, and calls to paste.
package start

import (
	"context"
	"embed"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/inflight"
	"stele/internal/limit"
	"stele/internal/meter"
)

// Files are the templates and static files of the room.
//
//go:embed templates static
var Files embed.FS

// Room is the first page. What is nil is not shown.
type Room struct {
	*page.Frame

	Access   *access.Service
	Start    *Options
	Usage    UsageSource
	Requests RequestSource
	Health   page.HealthSource
	Asides   Asides
	Limits   *limit.Manager
}

// UsageSource adds up what was used, by whole days.
type UsageSource interface {
	UsageTotal(ctx context.Context, of meter.Slice) (meter.Figures, error)
}

// RequestSource finds requests.
type RequestSource interface {
	SearchRecords(ctx context.Context, q meter.Search, limit int) (meter.Found, error)
}

// Asides are the tasks that were set aside.
type Asides interface {
	List(ctx context.Context, workspace string) ([]inflight.Aside, error)
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/", page.Viewer, c.showStart),
		page.Get("/console/connect", page.Viewer, c.showConnect),
		page.Post("/console/notices", page.Viewer, c.dismissNotices),
	}
}
