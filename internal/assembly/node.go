// Package assembly builds a server out of all its parts, and for commands as much
// of it as they need. It sees everything and decides nothing: what a part does
// stands in the part.
package assembly

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"stele/internal/api"
	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/console"
	"stele/internal/dialect"
	"stele/internal/download"
	"stele/internal/fleet"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/meter"
	"stele/internal/provider/sandbox"
	"stele/internal/relay"
	"stele/internal/route"
	"stele/internal/server"
	"stele/internal/share"
	"stele/internal/store"
	"stele/internal/supply"
	"stele/internal/telemetry"
)

// node is one server process.
type node struct {
	Process
	*Installation

	log       *slog.Logger
	metrics   *telemetry.Metrics
	runtime   *liveRuntime
	operator  *http.Client // for what the operator configured
	catalog   *catalog.Catalog
	router    *route.Router
	exchange  *fleet.Exchange // nil: there are no other servers
	supply    *supply.Supply
	apps      *app.Library
	journal   *store.Journal
	limits    *limit.Service
	share     *share.Keeper
	capture   *meter.Capture // nil where bodies are not wanted
	forwarder *telemetry.Forwarder
	otlp      *telemetry.OTLP // nil: nothing is sent
	media     *mediaStack
	relay     *relay.Relay
	runner    *app.Runner
	editor    *app.Editor
	front     *server.Server

	started          time.Time
	public, pagesURL *url.URL // known once it listens
}

func newNode(p Process, h *Installation) *node {
	n := &node{
		Process: p, Installation: h, runtime: newRuntime(p, h.Config), metrics: telemetry.NewMetrics(p.Version),
		catalog: catalog.New(), router: route.New(), apps: app.NewLibrary(), started: time.Now(),
	}
	n.log = telemetry.NewLog(p.Log, cmp.Or(h.Config.LogFormat, p.LogFormat), &n.runtime.level)
	n.runtime.access = h.Access
	n.runtime.take(h.Config)
	return n
}

// open builds everything, top to bottom. Nothing runs yet.
func (n *node) open(ctx context.Context, offered supply.Contents) (err error) {
	if err := n.openSupply(ctx, offered, sandbox.New(sandbox.Options{Now: time.Now, Secret: n.Keyring.Derive("sandbox")})); err != nil {
		return err
	}
	if tls := n.Config.TLS; tls.On() {
		if n.runtime.certificate, err = server.LoadCertificate(tls.CertFile, tls.KeyFile); err != nil {
			return err
		}
	}
	if n.journal, err = store.OpenJournal(n.Store, filepath.Join(n.Config.Data, "journal")); err != nil {
		return err
	}
	n.openMetrics()
	if err := n.openOTLP(); err != nil {
		return err
	}
	n.journal.OnRefused = func(r store.Refused) {
		n.metrics.CountUsageRefused()
		n.log.LogAttrs(ctx, slog.LevelError, "a usage record was set aside: the database refuses it",
			slog.String("record", r.ID), slog.String("reason", r.Reason), slog.String("file", "journal/refused.jsonl"))
	}
	if err := n.openLimits(ctx); err != nil {
		return err
	}
	n.openShare()
	if err := n.openMedia(ctx); err != nil {
		return err
	}
	n.relay = relay.New(relay.Options{
		Catalog: n.catalog, Upstreams: n.supply.Upstream, Router: n.router, Keeper: n.journal, Full: n.journal.Full,
		Vault: relay.NewSharedVault(n.Store, n.Keyring.Box(relay.VaultBox), n.log),
		Fetch: n.supply, Files: n.media.files, Attached: func() int64 { return int64(n.runtime.config().Limits.Attachments) },
		Describe: describe, Losses: api.Losses, Limits: n.limits, Pictures: dialect.Pictures, Shorten: dialect.Shorten, Log: n.log, Now: time.Now,
	})
	n.openApps()
	n.openCapture()
	n.forwarder = n.openForwarder()
	pages, err := n.openPages()
	if err != nil {
		return err
	}
	n.front = server.New(n.serverOptions(pages))
	return nil
}

// openSupply makes what the configuration and the database offer callable.
func (n *node) openSupply(ctx context.Context, offered supply.Contents, builtin relay.Upstream) (err error) {
	if n.operator, err = OperatorClient(n.Config, n.Getenv); err != nil {
		return err
	}
	n.supply = supply.New(supply.Options{
		File: n.Config, Connector: connector{n.operator, n.Getenv, n.log, n.runtime.memory}, Library: mediaLibrary{}, Builtin: builtin,
		Records: n.Store, Box: n.Keyring.Box(supply.SecretsBox), Catalog: n.catalog, Apps: n.apps, Router: n.router,
		Elsewhere: n.healthElsewhere, Took: n.runtime.take, Log: n.log,
	})
	n.runtime.supply = n.supply
	return n.supply.Open(ctx, offered)
}

// describe says for a record what was lost on the way, in the words of the client's
// dialect. The playground uses OpenAI's.
func describe(dialect string, losses []chat.Loss) string {
	if dialect == console.Dialect {
		dialect = "openai"
	}
	return api.FormatDropped(dialect, losses)
}

// openApps makes the runner of apps, which is the maker of their tasks, and the
// place where people write apps.
func (n *node) openApps() {
	n.runner = app.NewRunner(app.Options{
		Library: n.apps, Catalog: n.catalog, Generations: n.media.generations, Tasks: n.Store, Store: n.Store, Files: n.media.files, Chat: n.relay,
		Rights: n.Access.ScopeOf, Log: n.log, Now: time.Now,
	})
	n.supply.AddMaker(generation.AppMaker, n.runner)
	n.editor = &app.Editor{Store: n.Store, Library: n.apps, Catalog: n.catalog, Pool: n.runner.Pool, Share: n.share, Now: time.Now}
}

// openCapture makes what keeps the bodies of chat, where they are wanted.
func (n *node) openCapture() {
	if !n.Config.Capture.Bodies {
		return
	}
	n.capture = meter.NewCapture(func(ctx context.Context, list []meter.Bodies) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return n.Store.InsertBodies(ctx, list, int64(n.runtime.config().Capture.Budget))
	})
}

// openForwarder makes what sends the audit log on.
func (n *node) openForwarder() *telemetry.Forwarder {
	return telemetry.NewForwarder(telemetry.AuditOptions{
		Log: n.Store, Node: n.media.node, Folder: n.Config.Data, Now: time.Now,
		Client: func() *http.Client { return n.operator },
		Settings: func() telemetry.AuditSettings {
			a := n.runtime.config().Audit
			return telemetry.AuditSettings{File: a.File, URL: a.URL, Token: a.Token.Reveal()}
		},
	})
}

func (n *node) serverOptions(pages http.Handler) server.Options {
	cfg, now := n.Config, n.runtime.config
	return server.Options{
		Listen: cfg.Listen, Certificate: n.runtime.certificate, BasePath: basePath(cfg.PublicURL),
		API:            api.New(n.apiOptions()),
		Astray:         api.Astray,
		Files:          download.New(n.media.files),
		Pages:          pages,
		ConsoleListen:  cfg.Console.Listen,
		ConsolePath:    basePath(cfg.Console.PublicURL),
		ConsoleAllow:   func() []netip.Prefix { return now().Console.Allow },
		HSTS:           hsts(cfg, cfg.PublicURL),
		ConsoleHSTS:    hsts(cfg, cfg.Console.PublicURL),
		Metrics:        n.metrics.Handler(func() string { return now().Metrics.Token.Reveal() }),
		MetricsListen:  cfg.Metrics.Listen,
		Bounds:         n.runtime.bounds,
		TrustedProxies: func() []netip.Prefix { return now().TrustedProxies },
		Ready:          n.Store.Ping,
		Drain:          func() time.Duration { return now().Drain },
		Trace:          n.tracer(),
		Observe:        func(s server.Served) { n.metrics.Request(s.Route, s.Method, s.Status, s.Took) },
		Log:            n.log,
	}
}

func (n *node) apiOptions() api.Options {
	o := api.Options{
		Access: n.Access, Catalog: n.catalog, Apps: n.runner, Relay: n.relay,
		Files: n.media.files, Generations: n.media.generations, Replay: n.media.replay,
		Memory:   n.runtime.memory,
		Share:    n.share,
		Public:   func() *url.URL { return n.public },
		Settings: n.runtime.apiSettings, Draining: func() bool { return n.front.Draining() },
	}
	if n.capture != nil {
		o.Bodies, o.TraceBodies = n.capture, n.Config.Telemetry.OTLP.Content
	}
	return o
}

func basePath(publicURL string) string {
	u, err := url.Parse(publicURL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}
