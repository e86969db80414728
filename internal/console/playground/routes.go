// Package playground is the room for trying chat models: a conversation, streamed, and the same
// request as programs would send it.
package playground

import (
	"context"
	"embed"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/console/page"
	"stele/internal/file"
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
	codeLimit = 512 << 10 // of a request that is shown three times over: people read no longer one
)

// Options is what the room for trying chat models stands on.
type Options struct {
	Chat      Talker
	Models    ChatModels
	Files     ChatFiles                                       // nil: nothing can be attached
	KeepAlive func() time.Duration                            // how long an answer may be silent; nil: 15 seconds
	Audit     func(ctx context.Context, e access.Entry) error // writes down what no transaction of a room does
}

// Talker serves chat turns, as it does for the public API.
type Talker interface {
	Do(ctx context.Context, who access.Principal, req *chat.Request) (*chat.Reply, error)
	Refuse(ctx context.Context, who access.Principal, dialect string, err error)
}

// ChatModels are the chat models that can be called.
type ChatModels interface {
	Models(scope access.Scope) []catalog.Model
	Model(id string, scope access.Scope) (*catalog.Model, error)
	Cost(m *catalog.Model, t catalog.Target, u chat.Usage, began time.Time) catalog.Cost
}

// ChatFiles keeps what people attach to a message.
type ChatFiles interface {
	Save(ctx context.Context, up file.Upload) (*file.File, error)
	File(ctx context.Context, workspace, id string) (*file.File, error)
	Address(f *file.File) string
}
