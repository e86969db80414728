package assembly

import (
	"context"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/limit"
	"stele/internal/relay"
)

// Limits are what people set them with.
func (h *Installation) Limits() *limit.Manager {
	return &limit.Manager{Shelf: h.Store, Now: time.Now}
}

// openLimits makes what holds and settles. What the process before this one took is
// settled first; then nothing of its leases is in use.
func (n *node) openLimits(ctx context.Context) error {
	n.limits = limit.New(limit.Options{Store: n.Store, Node: n.journal.Owner(), Log: n.log, Now: time.Now})
	if err := n.journal.Flush(ctx); err != nil {
		return err
	}
	if err := n.Store.Recover(ctx, n.journal.Owner(), time.Now()); err != nil {
		return err
	}
	return n.limits.Load(ctx)
}

// quote is what a target's answers cost at most.
func (n *node) quote(m *catalog.Model, t catalog.Target) relay.Quote {
	if t.Provider == "stele" {
		return relay.Quote{Free: true}
	}
	if _, known := m.Price.Cost(chat.Usage{}); !known {
		return relay.Quote{}
	}
	return relay.Quote{Worst: func(input, output int64) int64 {
		worst, _ := m.Price.Cost(chat.Usage{CacheWrite: input, CacheWrite1h: input, Output: output})
		return worst
	}}
}

// reader looks into requests for the relay, which knows no dialect.
type reader struct{}

func (reader) Asked(req *chat.Request) relay.Asked { return relay.Asked(dialect.ReadAsked(req)) }

func (reader) Shorten(req *chat.Request, most int64, note string) *chat.Request {
	return dialect.Shorten(req, most, note)
}
