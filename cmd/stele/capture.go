package main

import (
	"context"
	"time"

	"stele/internal/config"
	"stele/internal/console"
	"stele/internal/meter"
	"stele/internal/store"
)

// openCapture is what keeps the bodies of chat, or nil where they are not wanted.
func openCapture(cfg *config.Config, db *store.Store, live *live) *meter.Capture {
	if !cfg.Capture.Bodies {
		return nil
	}
	return meter.NewCapture(func(ctx context.Context, list []meter.Bodies) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return db.InsertBodies(ctx, list, int64(live.config().Capture.Budget))
	})
}

// startRoom is what the console's first page stands on.
func startRoom(db *store.Store, live *live) *console.Start {
	return &console.Start{Models: live.catalog, Media: live.catalog, Tasks: db}
}
