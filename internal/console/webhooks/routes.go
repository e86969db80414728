// Package webhooks is the room of where messages of a workspace go: endpoints with their
// secrets, what was sent to them and what they answered, and sending it again.
package webhooks

import (
	"context"
	"embed"
	"time"

	"stele/internal/access"
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

	Endpoints Source
}

// Source is what the room asks of the endpoints' owner, who checks what visitors may.
type Source interface { //nolint:interfacebloat // all that one room does
	List(ctx context.Context, who access.Principal, workspace string) ([]webhook.Endpoint, error)
	Find(ctx context.Context, who access.Principal, id string) (webhook.Endpoint, error)
	Create(ctx context.Context, who access.Principal, e webhook.Endpoint) (webhook.Endpoint, string, error)
	Change(ctx context.Context, who access.Principal, next webhook.Endpoint) (webhook.Endpoint, error)
	Rotate(ctx context.Context, who access.Principal, id string, grace time.Duration) (webhook.Endpoint, string, error)
	Delete(ctx context.Context, who access.Principal, id string) error
	Deliveries(ctx context.Context, who access.Principal, f webhook.Filter) ([]webhook.Delivery, error)
	Replay(ctx context.Context, who access.Principal, f webhook.Filter) (int, error)
	SendsMail() bool
	MailOff(ctx context.Context, who access.Principal) (bool, error)
	SetMailOff(ctx context.Context, who access.Principal, off bool) error
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
