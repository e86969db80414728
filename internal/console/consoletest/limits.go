package consoletest

import (
	"context"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/meter"
)

// WithLimits adds the room of limits.
func WithLimits(h *House, o *console.Options) {
	o.Limits = h.limits()
	o.VerifyMoney = func(ctx context.Context) (limit.Verified, error) { return h.Store.VerifyMoney(ctx, time.Time{}) }
	o.Bills = h.Store
	o.Settler = nothingOwed{}
}

// nothingOwed is a house in which no generation waits for its price.
type nothingOwed struct{}

// ListUnsettled finds none.
func (nothingOwed) ListUnsettled(context.Context, string, int) ([]generation.Task, error) {
	return nil, nil
}

// SettleByHand has nothing to settle.
func (nothingOwed) SettleByHand(context.Context, access.Principal, string, int64) (*generation.Task, error) {
	return nil, fault.New(fault.GenerationNotFound, "There is no such generation.")
}

func (h *House) limits() *limit.Manager { return &limit.Manager{Shelf: h.Store, Now: h.Clock} }

// Limit makes a limit in the workspace of the house, of which a subject took so
// much today.
func (h *House) Limit(l limit.Limit, subject string, taken int64) limit.Limit {
	h.T.Helper()
	l, err := h.limits().Create(h.T.Context(), access.CommandLine("default"), l)
	if err != nil {
		h.T.Fatal(err)
	}
	h.Take(l, subject, taken)
	return l
}

// Take has a subject take so much of a limit today, half of it yesterday, and a server
// hold a tenth of it for more.
func (h *House) Take(l limit.Limit, subject string, taken int64) {
	h.T.Helper()
	today := h.Clock().UTC().Truncate(24 * time.Hour)
	for i, n := range []int64{taken, taken / 2} {
		c := limit.Counter{Limit: l.ID, Subject: subject, Start: today.AddDate(0, 0, -i), End: today.AddDate(0, 0, 1-i)}
		_, b, err := h.Store.Lease(h.T.Context(), "node", c, &l, n/10, n/10)
		if err != nil {
			h.T.Fatal(err)
		}
		h.Save(h.Use(0, func(r *meter.Record) { r.Charges = limit.ChargesText([]limit.Charge{{Counter: b.ID, N: n}}) }))
	}
	// The store notes thresholds by the machine's clock.
	if _, err := h.Store.Writer().ExecContext(h.T.Context(), `UPDATE limit_marks SET at = $1`, h.Clock().Add(-time.Minute).UnixMilli()); err != nil {
		h.T.Fatal(err)
	}
}
