// Package webhooks is the room of where messages of a workspace go: endpoints with their
// secrets, what was sent to them and what they answered, and sending it again.
package webhooks

import (
	"embed"

	"stele/internal/console/page"
	"stele/internal/webhook"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows and changes endpoints and what was sent.
type Room struct {
	*page.Frame

	Endpoints *webhook.Manager
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/webhooks", page.Member, c.showEndpoints),
		page.Post("/console/webhooks", page.Owner, c.createEndpoint).Asks(page.Always),
		page.Post("/console/webhooks/mail", page.Owner, c.setMail),
		page.Post("/console/webhooks/replay", page.Owner, c.replay),
		page.Get("/console/webhooks/{id}", page.Member, c.showEndpoint),
		page.Post("/console/webhooks/{id}", page.Owner, c.changeEndpoint).Asks(page.Always),
		page.Post("/console/webhooks/{id}/rotate", page.Owner, c.rotateEndpoint).Asks(page.Always),
		page.Post("/console/webhooks/{id}/delete", page.Owner, c.deleteEndpoint).Asks(page.Always),
	}
}
