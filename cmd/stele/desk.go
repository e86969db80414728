package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"stele/internal/catalog"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// desk is what commands need that look at generations and change them, whether a
// server is running on the same database or not. They make nothing themselves.
type desk struct {
	*house

	generations *generation.Service
	webhooks    *webhook.Service
}

// withDesk runs a command at the desk.
func withDesk(ctx context.Context, w world, f *flags, do func(*desk) error) error {
	cfg, err := f.load(w)
	if err != nil {
		return err
	}
	h, err := openHouse(ctx, cfg)
	if err != nil {
		return err
	}
	defer h.store.Close()
	log := slog.New(slog.DiscardHandler)
	node := uid.New("node")
	if _, err := openQueue(ctx, h.store, node, log); err != nil {
		return err
	}
	public, err := url.Parse(cfg.Public(cfg.Listen))
	if err != nil {
		return fmt.Errorf("public URL: %w", err)
	}
	files := file.New(file.Options{
		Store: h.store, Secrets: h.signing, Public: func() *url.URL { return public }, Now: time.Now, Log: log,
		Settings: func() file.Settings { return file.Settings{URLLife: cfg.Files.URLLife} },
	})
	return do(&desk{
		house: h,
		generations: generation.New(generation.Options{
			Node: node, Store: h.store, Files: files, Catalog: catalog.New(), Log: log, Now: time.Now,
			Makers: func(string) (generation.Maker, bool) { return nil, false },
		}),
		webhooks: webhook.New(webhook.Options{Store: h.store, Box: h.master.Box(webhookBox), Log: log, Now: time.Now}),
	})
}

// webhookBox is what the secrets of webhooks are sealed with.
const webhookBox = "webhook secrets"
