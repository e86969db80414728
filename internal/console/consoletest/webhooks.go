package consoletest

import (
	"context"
	"database/sql"
	"log/slog"
	"net/http"
	"net/netip"

	"stele/internal/console"
	"stele/internal/generation"
	"stele/internal/guard"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/webhook"
)

// Post is a house whose messages a test delivers by hand, to this machine too.
type Post struct {
	*webhook.Service

	Jobs []webhook.Deliver // those that wait
}

// WithWebhooks adds the room of webhooks, and gives what delivers them.
func WithWebhooks(post *Post) func(*House, *console.Options) {
	return func(h *House, o *console.Options) {
		here := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		box := seal.New().Box("test")
		h.Store.SetQueue(store.Queue{
			Enqueue: func(_ context.Context, _ *sql.Tx, jobs []generation.Job) error {
				for _, j := range jobs {
					if d, ok := j.(webhook.Deliver); ok {
						post.Jobs = append(post.Jobs, d)
					}
				}
				return nil
			},
			Wake: func([]generation.Job) {},
		})
		client := guard.Caller(guard.Options{AllowPrivate: here, Stay: true})
		post.Service = webhook.New(webhook.Options{
			Store: h.Store, Box: box, Client: func() *http.Client { return client }, Now: h.Clock, Log: slog.New(slog.DiscardHandler),
		})
		o.Endpoints = &webhook.Manager{Shelf: h.Store, Box: box, AllowPrivate: func() []netip.Prefix { return here }, Mail: true, Now: h.Clock}
	}
}

// Deliver tells of thresholds and makes one attempt for each message that waits.
func (p *Post) Deliver(h *House) {
	h.T.Helper()
	if err := p.Tell(h.T.Context()); err != nil {
		h.T.Fatal(err)
	}
	jobs := p.Jobs
	p.Jobs = nil
	for _, j := range jobs {
		if _, err := p.Service.Deliver(h.T.Context(), j); err != nil {
			h.T.Fatal(err)
		}
	}
}
