// Package names is the room of what clients ask for: names that lead to models, for the
// workspace and for all, and models that were asked for and are not there.
package names

import (
	"context"
	"embed"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/meter"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows names and changes them.
type Room struct {
	*page.Frame
	Options

	Access *access.Service
}

// Options is what the room stands on.
type Options struct {
	Supply  page.Supply
	Models  *catalog.Catalog
	Missing Missing
}

// Missing knows which models clients asked for and did not get.
type Missing interface {
	MissingModels(ctx context.Context, workspace string) ([]meter.Missing, error)
	ForgetMissing(ctx context.Context, workspace, name string) error
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/names", page.Viewer, c.showNames),
		page.Post("/console/names", page.Owner, c.setName),
		page.Post("/console/names/delete", page.Owner, c.deleteName),
		page.Post("/console/names/forget", page.Owner, c.forgetMissing),
	}
}
