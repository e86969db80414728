package assembly

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/api"
	"stele/internal/config"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/memory"
	"stele/internal/server"
	"stele/internal/supply"
)

// liveRuntime is what a changed configuration reaches while the server runs.
type liveRuntime struct {
	load        func() (*config.Config, error)
	started     *config.Config // what cannot change while it runs is as in here
	level       slog.LevelVar
	connections int // where the configuration does not say
	access      *access.Service
	memory      *memory.Budget
	supply      *supply.Supply
	certificate *server.Certificate
	reloading   sync.Mutex // one reload at a time
}

func newRuntime(p Process, cfg *config.Config) *liveRuntime {
	return &liveRuntime{
		load: p.Load, started: cfg, connections: roomForConnections(), memory: memory.New(leastInFlight, leastInFlight),
	}
}

// take gives what is not asked for with every request what cfg says of it.
func (r *liveRuntime) take(cfg *config.Config) {
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.LogLevel)) // config has checked it
	r.level.Set(level)
	if r.access != nil {
		r.access.SetSignInRules(signInRules(cfg, r.started))
	}
	resizeBudget(r.memory, cfg)
}

func (r *liveRuntime) config() *config.Config { return r.supply.Config() }

// reload takes a changed configuration without dropping a request. When
// anything is wrong with it nothing changes. The note says what needs a restart.
func (r *liveRuntime) reload(context.Context) (note string, err error) {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	next, err := r.load()
	if err != nil {
		return "", err
	}
	offered, err := ReadContents(next)
	if err != nil {
		return "", err
	}
	if r.certificate != nil {
		if err := r.certificate.Reload(); err != nil {
			return "", err
		}
	}
	if err := r.supply.Replace(next, offered); err != nil {
		return "", err
	}
	if fixed := config.Immutable(r.started, next); len(fixed) > 0 {
		note = fmt.Sprintf("a restart is needed for: %s", strings.Join(fixed, ", "))
	}
	return note, nil
}

// follow reloads the configuration at every SIGHUP.
func (r *liveRuntime) follow(ctx context.Context, hangUp <-chan os.Signal, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangUp:
			start := time.Now()
			note, err := r.reload(ctx)
			if err != nil {
				log.LogAttrs(ctx, slog.LevelError, "configuration not reloaded: everything stays as it was", slog.Any("error", err))
				continue
			}
			log.LogAttrs(ctx, slog.LevelInfo, "configuration reloaded", slog.String("took", time.Since(start).String()), slog.String("note", note))
		}
	}
}

// apiSettings is what the public door needs to know of the configuration.
func (r *liveRuntime) apiSettings() api.Settings {
	cfg := r.config()
	// Multipart fields travel beside the file itself.
	const beside = 1 << 20
	return api.Settings{
		AcceptGoogHeader: cfg.Auth.AcceptGoogHeader,
		AllowDevelopment: cfg.Auth.AllowDevelopment,
		JSONBody:         int64(cfg.Limits.JSONBody),
		OpenChats:        int64(cfg.Limits.OpenChats),
		OpenWaits:        int64(cfg.Limits.OpenWaits),
		KeepAlive:        cfg.Stream.KeepAlive,
		Linger:           cfg.Stream.Linger,
		Kept:             int64(cfg.Stream.Kept),
		UploadBody:       int64(max(cfg.Limits.Image, cfg.Limits.Video, cfg.Limits.Audio, cfg.Limits.Document)) + beside,
	}
}

// fileSettings is what the file room needs to know of the configuration.
func (r *liveRuntime) fileSettings() file.Settings {
	cfg := r.config()
	return file.Settings{
		Image: int64(cfg.Limits.Image), Video: int64(cfg.Limits.Video), Audio: int64(cfg.Limits.Audio), Document: int64(cfg.Limits.Document),
		Files: cfg.Retention.Files, Outputs: cfg.Retention.Outputs, Fetch: cfg.Egress.FetchInputs,
		URLLife: cfg.Files.URLLife,
	}
}

// generationSettings is what the generation room needs to know of the configuration.
func (r *liveRuntime) generationSettings() generation.Settings {
	cfg := r.config()
	return generation.Settings{
		Unfinished: cfg.Limits.UnfinishedGenerations, CreditsPerUSD: cfg.CreditsPerUSD, AllowPrivate: cfg.Egress.AllowPrivate,
	}
}
