package assembly

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"stele/internal/catalog"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// webhookBox is what the secrets of webhooks are sealed with.
const webhookBox = "webhook secrets"

// Endpoints are what people say with where messages go.
func (h *Installation) Endpoints() *webhook.Manager {
	return &webhook.Manager{
		Shelf: h.Store, Box: h.Keyring.Box(webhookBox), AllowPrivate: func() []netip.Prefix { return h.Config.Egress.AllowPrivate },
		Mail: h.Config.Mail.On(), Now: time.Now,
	}
}

// TaskServices is what commands need that look at generations and change them, whether a
// server is running on the same database or not. They make nothing themselves.
type TaskServices struct {
	*Installation

	Generations *generation.Service
	Webhooks    *webhook.Service
}

// Tasks opens what commands need that look at generations.
func (h *Installation) Tasks(ctx context.Context) (TaskServices, error) {
	log := slog.New(slog.DiscardHandler)
	node := uid.New("node")
	if _, err := openQueue(ctx, h.Store, node, log); err != nil {
		return TaskServices{}, err
	}
	public, err := url.Parse(h.Config.Public(h.Config.Listen))
	if err != nil {
		return TaskServices{}, fmt.Errorf("public URL: %w", err)
	}
	files := file.New(file.Options{
		Store: h.Store, Secrets: h.signing, Public: func() *url.URL { return public }, Now: time.Now, Log: log,
		Settings: func() file.Settings { return file.Settings{URLLife: h.Config.Files.URLLife} },
	})
	return TaskServices{
		Installation: h,
		Generations: generation.New(generation.Options{
			Node: node, Store: h.Store, Files: files, Catalog: catalog.New(), Log: log, Now: time.Now,
			Makers:   func(string) (generation.Maker, bool) { return nil, false },
			Settings: func() generation.Settings { return generation.Settings{CreditsPerUSD: h.Config.CreditsPerUSD} },
		}),
		Webhooks: webhook.New(webhook.Options{Store: h.Store, Box: h.Keyring.Box(webhookBox), Log: log, Now: time.Now}),
	}, nil
}
