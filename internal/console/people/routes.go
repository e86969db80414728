// Package people is the room of people: who belongs to the workspace, and what they may do.
package people

import (
	"embed"

	"stele/internal/access"
	"stele/internal/console/page"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows and changes who belongs to the workspace.
type Room struct {
	*page.Frame

	Access *access.Service
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/people", page.Owner, c.showPeople),
		page.Post("/console/people", page.Owner, c.addPerson).Asks(page.Always),
		page.Post("/console/people/{id}/role", page.Owner, c.setRole).Asks(page.Always),
		page.Post("/console/people/{id}/reset", page.Owner, c.resetPerson).Asks(page.Always),
		page.Post("/console/people/{id}/end", page.Owner, changePerson(c, "ended", c.Access.EndSessionsOf)),
		page.Post("/console/people/{id}/remove", page.Owner, changePerson(c, "removed", c.Access.Remove)).Asks(page.Always),
		page.Post("/console/people/{id}/delete", page.Owner, changePerson(c, "deleted", c.Access.Delete)).Asks(page.Always),
		page.Post("/console/people/{id}/factors", page.Owner, changePerson(c, "factors", c.Access.ResetFactors)).Asks(page.Always),
	}
}
