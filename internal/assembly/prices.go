package assembly

import (
	"context"
	"fmt"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/meter"
	"stele/internal/price"
	"stele/internal/uid"
)

// Catalog is what can be called and what it costs, for commands.
func (h *Installation) Catalog(ctx context.Context, p Process) (*catalog.Catalog, error) {
	s, err := h.Supply(ctx, p)
	if err != nil {
		return nil, err
	}
	return s.Catalog(), nil
}

// rerateRows is how many requests are rated again at a time.
const rerateRows = 500

// Rerate rates the requests of a time again, tells each that differs, and writes the
// difference where that is wanted. It returns how many it looked at and wrote.
func (h *Installation) Rerate(ctx context.Context, by *catalog.Catalog, from, until time.Time, write bool, tell func(*meter.Rerated)) (looked, written int, err error) {
	for after := ""; ; {
		records, err := h.Store.RecordsBetween(ctx, from, until, after, rerateRows)
		if err != nil || len(records) == 0 {
			return looked, written, err
		}
		after = records[len(records)-1].ID
		looked += len(records)
		var list []meter.Rerated
		var sum price.Amount
		for i := range records {
			if again, differs := records[i].Rerate(by); differs {
				list = append(list, again)
				sum += price.Amount(again.Delta().Nano)
				tell(&again)
			}
		}
		if !write || len(list) == 0 {
			continue
		}
		who := access.CommandLine(access.DefaultWorkspace)
		n, err := h.Store.Rerate(ctx, list, access.Entry{
			ID: uid.New("aud"), At: time.Now(), Actor: who.User, Workspace: who.Workspace, Action: "prices.rerate",
			Target: list[0].Record.ID, Detail: fmt.Sprintf("%d requests, %s USD", len(list), sum),
		})
		written += n
		if err != nil {
			return looked, written, err
		}
	}
}
