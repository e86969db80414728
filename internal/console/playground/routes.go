// Package playground is the room for trying chat models: a conversation, streamed, and the same
// request as programs would send it.
package playground

import (
	"context"
	"embed"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/file"
	"stele/internal/relay"
)

// Files are the templates and static files of the room.
//
//go:embed templates static
var Files embed.FS

// Room is where chat models are tried.
type Room struct {
	*page.Frame
	Options
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/playground", page.Member, c.showPlayground),
		page.Post("/console/playground/run", page.Member, c.runPlayground).Takes(jsonLimit).WithHold().StaysOpen(),
		page.Post("/console/playground/code", page.Member, c.spellPlayground).Takes(codeLimit),
		page.Post("/console/playground/files", page.Member, c.attachFile).Takes(page.FileLimit).StaysOpen(),
	}
}

const (
	jsonLimit = 8 << 20
	codeLimit = 512 << 10 // of a request that is shown three times over: people read no longer one
)

// Options is what the room for trying chat models stands on.
type Options struct {
	Chat      *relay.Relay
	Models    *catalog.Catalog
	Files     *file.Service                                   // nil: nothing can be attached
	KeepAlive func() time.Duration                            // how long an answer may be silent; nil: 15 seconds
	Audit     func(ctx context.Context, e access.Entry) error // writes down what no transaction of a room does
}
