package main

import (
	"context"
	"net/http"

	"stele/internal/chat"
	"stele/internal/config"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/guard"
	"stele/internal/provider"
)

// reaches are the clients for what callers name, as the configuration allows it.
type reaches struct {
	inputs    *provider.Inputs // what chats point at
	callers   *http.Client     // what generations point at
	receivers *http.Client     // webhooks
	checker   *guard.Checker   // what chats point at and upstreams fetch themselves
}

// openReaches makes the clients for what callers name.
func openReaches(cfg *config.Config, w world) (*reaches, error) {
	roots, err := guard.Roots(cfg.Egress.CAFile)
	if err != nil {
		return nil, err
	}
	options := guard.Options{
		RootCAs: roots, Proxy: guard.ProxyFromEnvironment(w.getenv), AllowPrivate: cfg.Egress.AllowPrivate,
	}
	client, checker := guard.Caller(options), guard.NewChecker(options)
	options.Stay = true
	return &reaches{
		inputs: provider.NewInputs(client, provider.Allowance{
			On: cfg.Egress.FetchInputs, Image: int64(cfg.Limits.Image), Video: int64(cfg.Limits.Video),
			Audio: int64(cfg.Limits.Audio), Document: int64(cfg.Limits.Document),
		}),
		callers: client, receivers: guard.Caller(options), checker: checker,
	}, nil
}

// Fetch gets what a client points at, as the configuration allows it now.
func (l *live) Fetch(ctx context.Context, p *chat.Part, most int64) (*chat.Media, error) {
	return l.reaches.Load().inputs.Fetch(ctx, p, most)
}

// callers is the client for addresses that generations name.
func (l *live) callers() *http.Client { return l.reaches.Load().callers }

// receivers is the client for addresses of webhooks. It follows no redirect.
func (l *live) receivers() *http.Client { return l.reaches.Load().receivers }

// fileSettings is what the file room needs to know of the configuration.
func (l *live) fileSettings() file.Settings {
	cfg := l.config()
	return file.Settings{
		Image: int64(cfg.Limits.Image), Video: int64(cfg.Limits.Video), Audio: int64(cfg.Limits.Audio), Document: int64(cfg.Limits.Document),
		Files: cfg.Retention.Files, Outputs: cfg.Retention.Outputs, Fetch: cfg.Egress.FetchInputs,
		URLLife: cfg.Files.URLLife,
	}
}

// generationSettings is what the generation room needs to know of the configuration.
func (l *live) generationSettings() generation.Settings {
	cfg := l.config()
	return generation.Settings{
		Unfinished: cfg.Limits.UnfinishedGenerations, CreditsPerUSD: cfg.CreditsPerUSD, AllowPrivate: cfg.Egress.AllowPrivate,
	}
}
