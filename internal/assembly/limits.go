package assembly

import (
	"context"
	"time"

	"stele/internal/limit"
)

// Limits are what people set them with.
func (h *Installation) Limits() *limit.Manager {
	return &limit.Manager{Shelf: h.Store, Now: time.Now}
}

// VerifyMoney adds up what limits count. Requests are kept as long as the configuration says.
func (h *Installation) VerifyMoney(ctx context.Context) (limit.Verified, error) {
	return h.Store.VerifyMoney(ctx, time.Now().Add(-h.Config.Retention.Requests))
}

// openLimits makes what holds and settles. What the process before this one took is
// settled first; then nothing of its leases is in use.
func (n *node) openLimits(ctx context.Context) error {
	n.limits = limit.New(limit.Options{
		Store: n.Store, Node: n.journal.Owner(), Log: n.log, Now: time.Now, Refused: func(m limit.Measure) { n.metrics.CountLimitRefused(string(m)) },
		Alone: n.Store.Engine() == "sqlite", // one process per folder
	})
	if err := n.journal.Flush(ctx); err != nil {
		return err
	}
	if err := n.Store.Recover(ctx, n.journal.Owner(), time.Now()); err != nil {
		return err
	}
	return n.limits.Load(ctx)
}
