// Package aside is what was set aside: tasks that ended a process, for an owner to send
// again or to forget.
package aside

import (
	"embed"

	"stele/internal/console/page"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows what was set aside.
type Room struct {
	*page.Frame

	Tasks Asides
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/aside", page.Owner, c.showAsides),
		page.Post("/console/aside/{id}/resend", page.Owner, c.resendAside),
		page.Post("/console/aside/{id}/forget", page.Owner, c.forgetAside),
	}
}
