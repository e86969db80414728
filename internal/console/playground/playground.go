package playground

import (
	"context"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/file"
)

// Playground is what the room for trying chat models stands on.
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
}

// ChatFiles keeps what people attach to a message.
type ChatFiles interface {
	Save(ctx context.Context, up file.Upload) (*file.File, error)
	File(ctx context.Context, workspace, id string) (*file.File, error)
	Address(f *file.File) string
}
