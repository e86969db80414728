package main

import (
	"context"
	"log/slog"
	"time"

	"stele/internal/store"
)

// forget deletes what is older than it is to be kept, once an hour, so that no
// table grows without end. Files go by themselves: see file.Service.Run.
func forget(ctx context.Context, db *store.Store, shop *workshop, live *live, log *slog.Logger) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		kept := live.config().Retention
		now := time.Now()
		ended := now.Add(-max(kept.Outputs, kept.Requests)) // a generation is shown as long as its outputs are there
		for what, old := range map[string]func() (int64, error){
			"requests":      func() (int64, error) { return db.DeleteRecordsBefore(ctx, now.Add(-kept.Requests)) },
			"bodies":        func() (int64, error) { return db.DeleteBodiesBefore(ctx, now.Add(-live.config().Capture.Keep)) },
			"generations":   func() (int64, error) { return db.DeleteTasksBefore(ctx, ended) },
			"steps of apps": func() (int64, error) { return db.DeleteStepsBefore(ctx, ended) },
			"webhooks":      func() (int64, error) { return db.DeleteDeliveriesBefore(ctx, ended) },
			"audit entries": func() (int64, error) {
				if kept.Audit == 0 {
					return 0, nil
				}
				return db.DeleteEntriesBefore(ctx, now.Add(-kept.Audit))
			},
			"idempotency keys": func() (int64, error) { return shop.replay.Sweep(ctx) },
		} {
			if _, err := old(); err != nil && ctx.Err() == nil {
				log.LogAttrs(ctx, slog.LevelWarn, "old "+what+" not deleted", slog.Any("error", err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
