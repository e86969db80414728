// Package limits is the room of what callers may take: bars, the page of each limit, and
// forms to make, change and delete them.
package limits

import (
	"context"
	"embed"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/limit"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows and changes limits.
type Room struct {
	*page.Frame

	Access *access.Service
	Limits *limit.Manager
	Verify func(context.Context) (limit.Verified, error) // nil: the page of sums is not there
	Bills  Bills

	Settler Settler
	Supply  page.Supply // nil: there are no providers to choose from
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/limits", page.Viewer, c.showLimits),
		page.Post("/console/limits", page.Owner, c.createLimit).Asks(page.Always),
		page.Get("/console/limits/{id}", page.Viewer, c.showLimit),
		page.Post("/console/limits/{id}", page.Owner, c.changeLimit).Asks(page.Always),
		page.Post("/console/limits/{id}/delete", page.Owner, c.deleteLimit).Asks(page.Always),
		page.Get("/console/credits", page.Viewer, c.showCredits),
		page.Post("/console/credits", page.Admin, c.grantCredits).Asks(page.Always),
		page.Get("/console/unsettled", page.Owner, c.showUnsettled),
		page.Post("/console/unsettled/{id}", page.Owner, c.settleByHand).Asks(page.Always),
		page.Get("/console/money", page.Admin, c.showMoney),
		page.Get("/console/money/reconcile", page.Admin, c.showReconcile),
		page.Post("/console/money/reconcile", page.Admin, c.reconcile).Takes(mostExport),
	}
}
