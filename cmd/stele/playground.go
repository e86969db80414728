package main

import (
	"time"

	"stele/internal/api"
	"stele/internal/chat"
	"stele/internal/console"
	"stele/internal/file"
	"stele/internal/relay"
	"stele/internal/store"
)

// playground is the console's room for trying chat models: over the same relay as
// the public API.
func playground(l *live, db *store.Store, files *file.Service, talk *relay.Relay) *console.Playground {
	return &console.Playground{
		Chat: talk, Models: l.catalog, Files: files, Audit: db.InsertEntry,
		KeepAlive: func() time.Duration { return l.config().Stream.KeepAlive },
	}
}

// describe says for a record what was lost on the way, in the words of whoever
// asked. The playground uses OpenAI's.
func describe(dialect string, losses []chat.Loss) string {
	if dialect == console.Dialect {
		dialect = "openai"
	}
	return api.Dropped(dialect, losses)
}
