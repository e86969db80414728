package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"stele/internal/access"
	"stele/internal/api"
	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/memory"
	"stele/internal/relay"
	"stele/internal/route"
	"stele/internal/server"
)

// live is the part of the house that a changed configuration reaches while it runs.
type live struct {
	flags       *flags
	world       world
	started     *config.Config // what cannot change while it runs is as in here
	reloading   sync.Mutex     // one reload at a time
	current     atomic.Pointer[config.Config]
	level       slog.LevelVar
	connections int // where the configuration does not say
	catalog     *catalog.Catalog
	shelf       *shelf
	apps        *app.Library
	certificate *server.Certificate
	outside     *http.Client
	builtin     relay.Upstream
	upstreams   atomic.Pointer[map[string]relay.Upstream]
	reaches     atomic.Pointer[reaches]
	makers      *makers
	router      *route.Router
	people      *access.Service // nil before the house is open
	stock       atomic.Pointer[stock]
	memory      *memory.Budget
	accounts    map[string]string // what each was opened with; guarded by reloading
	read        *contents         // the file's own at the start, which are read already; guarded by reloading
}

func newLive(cfg *config.Config, f *flags, w world) *live {
	l := &live{connections: roomForConnections(), flags: f, world: w, started: cfg, catalog: catalog.New(), apps: app.NewLibrary(), router: route.New()}
	l.shelf = newShelf(l.catalog)
	l.makers = &makers{outside: func() *http.Client { return l.outside }, public: l.callers, seen: l.seen}
	l.stock.Store(&stock{file: cfg})
	l.memory = newBudget(cfg)
	l.makers.memory = l.memory
	l.take(cfg)
	return l
}

// take makes cfg the configuration that is asked from now on.
func (l *live) take(cfg *config.Config) {
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.LogLevel)) // config has checked it
	l.level.Set(level)
	if l.people != nil {
		l.people.SetSignInRules(signInRules(cfg, l.started))
	}
	l.current.Store(cfg)
	resizeBudget(l.memory, cfg)
}

func (l *live) config() *config.Config { return l.current.Load() }

// upstream finds the client of an account.
func (l *live) upstream(provider string) (relay.Upstream, bool) {
	u, ok := (*l.upstreams.Load())[provider]
	return u, ok
}

// reload takes a changed configuration without dropping a request. When
// anything is wrong with it nothing changes. The note says what needs a restart.
func (l *live) reload(context.Context) (note string, err error) {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	next, err := l.flags.load(l.world)
	if err != nil {
		return "", err
	}
	offered, err := readContents(next)
	if err != nil {
		return "", err
	}
	if l.certificate != nil {
		if err := l.certificate.Reload(); err != nil {
			return "", err
		}
	}
	if err := l.settle(next, &offered, l.stock.Load().offers); err != nil {
		return "", err
	}
	if fixed := config.Immutable(l.started, next); len(fixed) > 0 {
		note = fmt.Sprintf("a restart is needed for: %s", strings.Join(fixed, ", "))
	}
	return note, nil
}

// offer makes what a configuration offers callable: first the accounts, then
// the models that name them.
func (l *live) offer(cfg *config.Config, c contents) error {
	next, err := openReaches(cfg, l.world)
	if err != nil {
		return err
	}
	upstreams, err := openUpstreams(cfg, l.outside, next.checker, l.builtin)
	if err != nil {
		return err
	}
	l.reaches.Store(next)
	if err := l.makers.offer(cfg); err != nil {
		return err
	}
	l.upstreams.Store(&upstreams)
	var changed []string
	if l.accounts, changed = renewed(l.accounts, cfg); len(changed) > 0 {
		for _, name := range changed {
			l.router.Forget(name)
		}
	}
	if err := l.shelf.offer(c.catalog, sources(cfg, upstreams)); err != nil {
		return err
	}
	return l.apps.Replace(c.apps)
}

// doorSettings is what the public door needs to know of the configuration.
func (l *live) doorSettings() api.Settings {
	cfg := l.config()
	// Multipart fields travel beside the file itself.
	const beside = 1 << 20
	return api.Settings{
		AcceptGoogHeader: cfg.Auth.AcceptGoogHeader,
		AllowDevelopment: cfg.Auth.AllowDevelopment,
		JSONBody:         int64(cfg.Limits.JSONBody),
		OpenChats:        int64(cfg.Limits.OpenChats),
		OpenWaits:        int64(cfg.Limits.OpenWaits),
		KeepAlive:        cfg.Stream.KeepAlive,
		UploadBody:       int64(max(cfg.Limits.Image, cfg.Limits.Video, cfg.Limits.Audio, cfg.Limits.Document)) + beside,
	}
}
