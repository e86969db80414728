// Package people is the room of people: who belongs to the workspace, and what they may do.
package people

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

// Room shows and changes who belongs to the workspace.
type Room struct {
	*page.Frame

	Access Access
}

// Access is what the room asks of the people's owner.
type Access interface { //nolint:interfacebloat // what one page does, one thing each
	People(ctx context.Context, who access.Principal) ([]access.Person, error)
	Loose(ctx context.Context, who access.Principal) ([]access.Person, error)
	AddPerson(ctx context.Context, who access.Principal, n access.NewPerson) (access.Person, string, error)
	SetRole(ctx context.Context, who access.Principal, id string, r access.Role) (access.Person, error)
	Remove(ctx context.Context, who access.Principal, id string) (access.Person, error)
	Delete(ctx context.Context, who access.Principal, id string) (access.Person, error)
	ResetFactors(ctx context.Context, who access.Principal, id string) (access.Person, error)
	EndSessionsOf(ctx context.Context, who access.Principal, id string) (int, error)
	ResetLink(ctx context.Context, who access.Principal, id string) (access.Person, string, error)
	SignInRules() access.SignInRules
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/people", page.Owner, c.showPeople),
		page.Post("/console/people", page.Owner, c.addPerson).Asks(page.Always),
		page.Post("/console/people/{id}/role", page.Owner, c.setRole).Asks(page.Always),
		page.Post("/console/people/{id}/reset", page.Owner, c.resetPerson).Asks(page.Always),
		page.Post("/console/people/{id}/end", page.Owner, c.endPerson),
		page.Post("/console/people/{id}/remove", page.Owner, c.removePerson).Asks(page.Always),
		page.Post("/console/people/{id}/delete", page.Owner, c.deletePerson).Asks(page.Always),
		page.Post("/console/people/{id}/factors", page.Owner, c.resetFactors).Asks(page.Always),
	}
}
