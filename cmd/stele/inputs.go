package main

import (
	"context"

	"stele/internal/chat"
	"stele/internal/config"
	"stele/internal/guard"
	"stele/internal/provider"
)

// openInputs makes what fetches the pictures and documents that clients point at.
func openInputs(cfg *config.Config, w world) (*provider.Inputs, error) {
	roots, err := guard.Roots(cfg.Egress.CAFile)
	if err != nil {
		return nil, err
	}
	client := guard.Caller(guard.Options{
		RootCAs: roots, Proxy: guard.ProxyFromEnvironment(w.getenv), AllowPrivate: cfg.Egress.AllowPrivate,
	})
	return provider.NewInputs(client, provider.Allowance{
		On: cfg.Egress.FetchInputs, Image: int64(cfg.Limits.Image), Video: int64(cfg.Limits.Video),
		Audio: int64(cfg.Limits.Audio), Document: int64(cfg.Limits.Document),
	}), nil
}

// Fetch gets what a client points at, as the configuration allows it now.
func (l *live) Fetch(ctx context.Context, p *chat.Part) (*chat.Media, error) {
	return l.inputs.Load().Fetch(ctx, p)
}
