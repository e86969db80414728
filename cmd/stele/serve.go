package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	openapi "stele/api"
	"stele/internal/api"
	"stele/internal/config"
	"stele/internal/console"
	"stele/internal/download"
	"stele/internal/provider/sandbox"
	"stele/internal/relay"
	"stele/internal/server"
	"stele/internal/store"
	"stele/internal/telemetry"
)

// serve builds the house from a Config, starts it and drains it: the only
// wiring, top to bottom.
func serve(ctx context.Context, w world, f *flags) error {
	raiseHeapFloor()
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, syscall.SIGHUP) // from the first moment on: unheard it would end the process
	defer signal.Stop(hangUp)
	cfg, err := f.load(w)
	if err != nil {
		return err
	}
	offered, err := readContents(cfg)
	if err != nil {
		return err
	}
	live := newLive(cfg, f, w)
	log := telemetry.NewLog(w.stderr, logFormat(cfg, w), &live.level)
	live.makers.log = log

	h, err := openHouse(ctx, cfg)
	if err != nil {
		return err
	}
	defer h.store.Close()
	unlock, err := lockFolder(cfg)
	if err != nil {
		return err
	}
	defer unlock()
	live.people = h.access
	if err := ensureAdmin(ctx, h, cfg, log); err != nil {
		return err
	}

	if live.outside, err = outside(cfg, w); err != nil {
		return err
	}
	live.builtin = sandbox.New(sandbox.Options{Now: time.Now, Secret: h.master.Derived("sandbox")})
	supply, err := openSupply(ctx, h, live, offered, log)
	if err != nil {
		return err
	}
	if cfg.TLS.On() {
		if live.certificate, err = server.LoadCertificate(cfg.TLS.CertFile, cfg.TLS.KeyFile); err != nil {
			return err
		}
	}

	journal, err := store.OpenJournal(h.store, filepath.Join(cfg.Data, "journal"))
	if err != nil {
		return err
	}
	metrics := telemetry.NewMetrics(versionText())
	metrics.MemoryInFlight(live.memory.Taken)
	journal.OnRefused = func(r store.Refused) {
		metrics.UsageRefused()
		log.LogAttrs(ctx, slog.LevelError, "a usage record was set aside: the database refuses it",
			slog.String("record", r.ID), slog.String("reason", r.Reason), slog.String("file", "journal/refused.jsonl"))
	}
	var front *server.Server
	var public, pagesURL *url.URL
	shop, err := openWorkshop(ctx, h, live, func() *url.URL { return public }, log)
	if err != nil {
		return err
	}
	shop.told = metrics.SetAside
	talk := relay.New(relay.Options{
		Catalog: live.catalog, Upstreams: live.upstream, Router: live.router, Keeper: journal, Vault: relay.NewVault(),
		Fetch: live, Files: shop.files, Attached: func() int64 { return int64(live.config().Limits.Attachments) },
		Describe: describe, Log: log, Now: time.Now,
	})
	runner := shop.openApps(h.store, live, talk)
	editor := openEditor(h.store, live, runner.Pool)
	capture := openCapture(cfg, h.store, live)
	forwarder := openForwarder(h, live, shop.node)
	pages, err := console.New(console.Options{
		Access: h.access, PublicURL: func() *url.URL { return pagesURL }, APIURL: func() *url.URL { return public }, Document: openapi.Document(), Version: versionText(), Log: log,
		SignOn:     signOn(cfg, h, live.outside),
		Playground: playground(live, h.store, shop.files, talk),
		Apps:       appsRoom(h.store, live, shop, runner, editor),
		Studio:     studioRoom(h.store, live, shop),
		Supply:     supply, Health: supply, Memory: live.memory,
		Start: startRoom(h.store, live), Usage: h.store, Requests: h.store, Captures: capture != nil,
		AuditLags: auditLags(forwarder),
		Asides:    asides{h.store, shop},
	})
	if err != nil {
		return err
	}
	doorOptions := api.Options{
		Access: h.access, Catalog: live.catalog, Apps: runner, Relay: talk,
		Files: shop.files, Generations: shop.generations, Replay: shop.replay,
		Memory:   live.memory,
		Settings: live.doorSettings, Draining: func() bool { return front.Draining() },
	}
	if capture != nil {
		doorOptions.Bodies = capture
	}
	front = server.New(server.Options{
		Listen: cfg.Listen, Certificate: live.certificate, BasePath: basePath(cfg.PublicURL),
		API:            api.New(doorOptions),
		Files:          download.New(shop.files),
		Pages:          pages,
		ConsoleListen:  cfg.Console.Listen,
		ConsolePath:    basePath(cfg.Console.PublicURL),
		ConsoleAllow:   func() []netip.Prefix { return live.config().Console.Allow },
		HSTS:           hsts(cfg, cfg.PublicURL),
		ConsoleHSTS:    hsts(cfg, cfg.Console.PublicURL),
		Metrics:        metrics.Handler(func() string { return live.config().Metrics.Token.Reveal() }),
		MetricsListen:  cfg.Metrics.Listen,
		Bounds:         live.bounds,
		TrustedProxies: func() []netip.Prefix { return live.config().TrustedProxies },
		Ready:          h.store.Ping,
		Drain:          func() time.Duration { return live.config().Drain },
		Observe:        func(s server.Served) { metrics.Request(s.Route, s.Method, s.Status, s.Took) },
		Log:            log,
	})
	if err := front.Listen(); err != nil {
		return err
	}
	if public, err = url.Parse(cfg.Public(front.Addr().String())); err != nil {
		front.Close()
		return fmt.Errorf("public URL: %w", err)
	}
	if pagesURL, err = url.Parse(cfg.ConsolePublic(front.Addr().String(), front.ConsoleAddr())); err != nil {
		front.Close()
		return fmt.Errorf("public URL of the console: %w", err)
	}
	control, err := server.NewControl(filepath.Join(cfg.Data, "control.sock"), server.Commands{Reload: live.reload, Refresh: h.access.Refresh})
	if err != nil {
		log.LogAttrs(ctx, slog.LevelWarn, "stele config reload will not reach this server; SIGHUP will", slog.Any("error", err))
	}

	// Whatever runs beside the server lives a little longer than it: requests that
	// finish while draining still count as a key's last use.
	side, stopSide := context.WithCancel(context.WithoutCancel(ctx))
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stopSide()
	beside.Go(func() { h.access.Run(side, log) })
	beside.Go(func() { h.master.Run(side, shop.node, log) })
	beside.Go(func() { forwarder.Run(side, log) })
	beside.Go(func() { journal.Run(side, log) })
	if capture != nil {
		beside.Go(func() { capture.Run(side, log) })
	}
	beside.Go(func() { forget(side, h.store, shop, live, log) })
	beside.Go(func() { live.follow(side, hangUp, log) })
	beside.Go(func() { live.shelf.run(side, log) })
	beside.Go(func() { supply.Run(side, log) })
	beside.Go(func() { editor.Run(side, log) })
	if err := shop.start(side, h.store, &beside); err != nil {
		front.Close()
		return err
	}
	if control != nil {
		beside.Go(func() { control.Run(side) })
	}
	if err := greet(ctx, h, w, cfg, public.String(), pagesURL.String()); err != nil {
		front.Close()
		return err
	}
	log.LogAttrs(ctx, slog.LevelInfo, "serving", slog.String("version", versionText()), slog.String("address", front.Addr().String()),
		slog.String("console", front.ConsoleAddr()), slog.String("metrics", front.MetricsAddr()),
		slog.String("database", h.store.Engine()))
	return front.Run(ctx)
}

// lockFolder keeps a second server off the folder: its database, journal and
// control socket belong to one process. Several servers need PostgreSQL.
func lockFolder(cfg *config.Config) (unlock func(), err error) {
	unlock, err = store.Lock(filepath.Join(cfg.Data, "serve.lock"), false)
	if errors.Is(err, store.ErrLocked) {
		return nil, fmt.Errorf("another stele is serving from %s: several servers need PostgreSQL (--database-url) and a folder each", cfg.Data)
	}
	return unlock, err
}

// ensureAdmin makes the configured administrator and refuses to be reachable
// from elsewhere while there is none: whoever came first could become it.
func ensureAdmin(ctx context.Context, h *house, cfg *config.Config, log *slog.Logger) error {
	if cfg.Admin.Email != "" {
		made, err := h.access.EnsureAdmin(ctx, cfg.Admin.Email, cfg.Admin.Password.Reveal())
		if err != nil {
			return err
		}
		if made {
			log.LogAttrs(ctx, slog.LevelInfo, "administrator made from the configuration", slog.String("email", cfg.Admin.Email))
		}
	}
	has, err := h.access.HasAdmin(ctx)
	if err != nil || has || loopback(cfg.Listen) && (cfg.Console.Listen == "" || loopback(cfg.Console.Listen)) {
		return err
	}
	return fmt.Errorf("there is no administrator yet, so stele listens on loopback only, not on %s: "+
		"make one with stele users create --admin --email ADDRESS, or set admin.email and admin.password_file", cfg.Listen)
}

func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func basePath(publicURL string) string {
	u, err := url.Parse(publicURL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}

func logFormat(cfg *config.Config, w world) string {
	if cfg.LogFormat != "" {
		return cfg.LogFormat
	}
	if f, ok := w.stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return "text"
		}
	}
	return "json"
}

// follow reloads the configuration at every SIGHUP.
func (l *live) follow(ctx context.Context, hangUp <-chan os.Signal, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangUp:
			start := time.Now()
			note, err := l.reload(ctx)
			if err != nil {
				log.LogAttrs(ctx, slog.LevelError, "configuration not reloaded: everything stays as it was", slog.Any("error", err))
				continue
			}
			log.LogAttrs(ctx, slog.LevelInfo, "configuration reloaded", slog.String("took", time.Since(start).String()), slog.String("note", note))
		}
	}
}
