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

	Access Workspaces
}

// Options is what the room stands on.
type Options struct {
	Supply  page.Supply
	Models  Models
	Missing Missing
}

// Workspaces keep the names of workspaces.
type Workspaces interface {
	ScopeOf(workspace string) access.Scope
	Policy(ctx context.Context, who access.Principal, workspace string) (access.Policy, error)
	SetName(ctx context.Context, who access.Principal, workspace string, n access.Name) error
	DeleteName(ctx context.Context, who access.Principal, workspace, pattern string) error
}

// Models say what can be called.
type Models interface {
	Models(scope access.Scope) []catalog.Model
	Model(id string, scope access.Scope) (*catalog.Model, error)
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
