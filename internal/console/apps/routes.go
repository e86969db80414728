// Package apps is the room of apps: the catalogue, forms that run them, runs step by step, and
// the editor.
package apps

import (
	"embed"

	"stele/internal/access"
	"stele/internal/console/page"
)

// Files are the templates and static files of the room.
//
//go:embed templates static
var Files embed.FS

// Room shows, runs and edits apps.
type Room struct {
	*page.Frame
	Options

	Access *access.Service
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/apps", page.Viewer, c.showApps),
		page.Get("/console/apps/new", page.Member, c.newApp),
		page.Post("/console/apps/new", page.Member, c.createApp).Takes(partsLimit),
		page.Post("/console/apps/check", page.Member, c.checkApp).Takes(partsLimit),
		page.Get("/console/apps/files", page.Member, c.pickFiles),
		page.Post("/console/apps/files", page.Member, c.takeFile).Takes(page.FileLimit).StaysOpen(),
		page.Get("/console/apps/{app}", page.Viewer, c.showApp),
		page.Get("/console/apps/{app}/picture", page.Viewer, c.showAppPicture),
		page.Post("/console/apps/{app}/price", page.Member, c.priceApp).Takes(partsLimit),
		page.Post("/console/apps/{app}/runs", page.Member, c.runApp).Takes(partsLimit),
		page.Get("/console/apps/{app}/runs/{run}", page.Viewer, c.showRun),
		page.Get("/console/apps/{app}/runs/{run}/live", page.Viewer, c.liveRun),
		page.Post("/console/apps/{app}/runs/{run}/cancel", page.Member, c.cancelRun),
		page.Get("/console/apps/{app}/edit", page.Viewer, c.showEditor),
		page.Post("/console/apps/{app}/edit", page.Member, c.saveApp).Takes(partsLimit),
		page.Post("/console/apps/{app}/publish", page.Member, c.publishApp),
		page.Post("/console/apps/{app}/unpublish", page.Member, c.unpublishApp),
		page.Post("/console/apps/{app}/delete", page.Member, c.deleteApp),
		page.Get("/console/apps/{app}/versions/{number}", page.Viewer, c.showVersion),
		page.Post("/console/apps/{app}/versions/{number}/restore", page.Member, c.restoreApp),
	}
}
