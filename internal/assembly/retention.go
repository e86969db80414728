package assembly

import (
	"context"
	"log/slog"
	"time"

	"stele/internal/pause"
)

// longestOrder is longer than any order to the sandbox can take.
const longestOrder = 48 * time.Hour

// forget deletes what is older than it is to be kept, once an hour, so that no
// table grows without end, and notes who led the weeks that are over. Files go by
// themselves: see file.Service.Run.
func (n *node) forget(ctx context.Context) {
	db := n.Store
	for {
		kept := n.runtime.config().Retention
		now := time.Now()
		ended := now.Add(-max(kept.Outputs, kept.Requests)) // a generation is shown as long as its outputs are there
		for what, old := range map[string]func() (int64, error){
			"requests":       func() (int64, error) { return db.DeleteRecordsBefore(ctx, now.Add(-kept.Requests)) },
			"missing models": func() (int64, error) { return db.DeleteMissingBefore(ctx, now.Add(-kept.Requests)) },
			"limits": func() (int64, error) {
				return db.DeleteCountersBefore(ctx, now.Add(-kept.Requests), now.Add(-max(kept.Usage, kept.Requests)))
			},
			"usage":                 func() (int64, error) { return db.DeleteUsageBefore(ctx, now.Add(-max(kept.Usage, kept.Requests))) },
			"bodies":                func() (int64, error) { return db.DeleteBodiesBefore(ctx, now.Add(-n.runtime.config().Capture.Keep)) },
			"generations":           func() (int64, error) { return db.DeleteTasksBefore(ctx, ended) },
			"steps of apps":         func() (int64, error) { return db.DeleteStepsBefore(ctx, ended) },
			"webhooks":              func() (int64, error) { return db.DeleteDeliveriesBefore(ctx, ended) },
			"orders of the sandbox": func() (int64, error) { return db.DeleteAcceptedBefore(ctx, ended.Add(-longestOrder)) },
			"revoked keys":          func() (int64, error) { return db.DeleteKeysBefore(ctx, now.Add(-max(kept.Usage, kept.Requests))) },
			"audit entries": func() (int64, error) {
				if kept.Audit == 0 {
					return 0, nil
				}
				return db.DeleteEntriesBefore(ctx, now.Add(-kept.Audit))
			},
			"thoughts of turns": func() (int64, error) { return n.relay.Vault.Sweep(ctx) },
			"idempotency keys":  func() (int64, error) { return n.media.replay.Sweep(ctx) },
		} {
			if _, err := old(); err != nil && ctx.Err() == nil {
				n.log.LogAttrs(ctx, slog.LevelWarn, "old "+what+" not deleted", slog.Any("error", err))
			}
		}
		if _, err := db.NoteLeaders(ctx, now); err != nil && ctx.Err() == nil {
			n.log.LogAttrs(ctx, slog.LevelWarn, "leaders of usage not noted", slog.Any("error", err))
		}
		if pause.For(ctx, time.Hour) != nil {
			return
		}
	}
}
