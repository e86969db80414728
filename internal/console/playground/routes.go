// Package playground is the room for trying chat models: a conversation, streamed, and the same
// request as programs would send it.
package playground

import (
	"embed"

	"stele/internal/console/page"
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
		page.Post("/console/playground/run", page.Member, c.runPlayground).Takes(jsonLimit).Held(),
		page.Post("/console/playground/code", page.Member, c.spellPlayground).Takes(codeLimit),
		page.Post("/console/playground/files", page.Member, c.attachFile).Takes(page.FileLimit),
	}
}

const (
	jsonLimit = 8 << 20
	codeLimit = 512 << 10 // of a request that is shown three times over: a longer one is not read by anybody
)
