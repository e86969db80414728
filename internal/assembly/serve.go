package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/revision"
	"stele/internal/server"
	"stele/internal/store"
)

// Process is what a server sees of the process it runs in.
type Process struct {
	Load      func() (*config.Config, error) // reads the configuration, anew each time
	Getenv    func(string) string
	Log       io.Writer
	LogFormat string // where the configuration does not say: text or json
	Version   string
	Greet     func(Greeting) error // called when it serves
}

// Greeting is what is said at a start.
type Greeting struct {
	Public, Console string // addresses
	Detected        []config.Detected
	Welcome         *access.Welcome // nil but for the very first start
}

// Serve assembles a server, starts it and drains it when ctx ends.
func Serve(ctx context.Context, p Process) error {
	raiseHeapFloor()
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, syscall.SIGHUP) // from the first moment on: unheard it would end the process
	defer signal.Stop(hangUp)
	cfg, err := p.Load()
	if err != nil {
		return err
	}
	offered, err := ReadContents(cfg)
	if err != nil {
		return err
	}
	h, err := Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer h.Close()
	unlock, err := lockFolder(cfg)
	if err != nil {
		return err
	}
	defer unlock()
	n := newNode(p, h)
	if err := n.ensureAdmin(ctx); err != nil {
		return err
	}
	if err := n.open(ctx, offered); err != nil {
		return err
	}
	if err := n.listen(); err != nil {
		return err
	}
	// Whatever runs beside the server lives a little longer than it: requests that
	// finish while draining still count as a key's last use.
	side, stopSide := context.WithCancel(context.WithoutCancel(ctx))
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stopSide()
	err = n.start(side, hangUp, &beside)
	if err == nil {
		err = n.greet(ctx)
	}
	if err != nil {
		n.front.Close()
		return err
	}
	beside.Go(func() { trim(side) })
	rest := func() { n.media.rest(n.runtime.config().Drain) }
	defer context.AfterFunc(ctx, rest)()
	defer n.tellWhenDone(ctx, side)()
	n.tell(ctx, ready)
	err = n.front.Run(ctx)
	rest() // a server without open requests may be here before the other call of it
	n.media.endRecordings(side)
	n.media.finish(side)
	n.log.LogAttrs(ctx, slog.LevelInfo, "stopped", slog.String("served", time.Since(n.started).Round(time.Second).String()))
	return err
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

// ensureAdmin makes the configured administrator and refuses to be reachable from
// elsewhere while there is none: the first visitor could become it.
func (n *node) ensureAdmin(ctx context.Context) error {
	cfg := n.Config
	if cfg.Admin.Email != "" {
		made, err := n.Access.EnsureAdmin(ctx, cfg.Admin.Email, cfg.Admin.Password.Reveal())
		if err != nil {
			return err
		}
		if made {
			n.log.LogAttrs(ctx, slog.LevelInfo, "administrator made from the configuration", slog.String("email", cfg.Admin.Email))
		}
	}
	has, err := n.Access.HasAdmin(ctx)
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

// listen opens the listeners; only then the public addresses are known.
func (n *node) listen() (err error) {
	if err := n.front.Listen(); err != nil {
		return err
	}
	if n.public, err = url.Parse(n.Config.Public(n.front.Addr().String())); err != nil {
		n.front.Close()
		return fmt.Errorf("public URL: %w", err)
	}
	if n.pagesURL, err = url.Parse(n.Config.ConsolePublic(n.front.Addr().String(), n.front.ConsoleAddr())); err != nil {
		n.front.Close()
		return fmt.Errorf("public URL of the console: %w", err)
	}
	return nil
}

// start starts what runs beside the server until ctx ends.
func (n *node) start(ctx context.Context, hangUp <-chan os.Signal, beside *sync.WaitGroup) error {
	commands := server.Commands{Reload: n.runtime.reload, Refresh: n.Access.Load}
	n.Store.SetVitals(n.vitals)
	control, err := server.NewControl(filepath.Join(n.Config.Data, "control.sock"), n.runtime.bounds, commands)
	if err != nil {
		n.log.LogAttrs(ctx, slog.LevelWarn, "stele config reload will not reach this server; SIGHUP will", slog.Any("error", err))
	} else {
		beside.Go(func() { control.Run(ctx) })
	}
	beside.Go(func() { n.Access.Run(ctx, n.log) })
	beside.Go(func() { n.follower().Run(ctx) })
	beside.Go(func() { n.forwarder.Run(ctx, n.log) })
	beside.Go(func() { n.journal.Run(ctx, n.log) })
	beside.Go(func() { n.limits.Run(ctx) })
	beside.Go(func() { n.share.Run(ctx) })
	if n.otlp != nil {
		beside.Go(func() { n.otlp.Run(ctx) })
	}
	if n.capture != nil {
		beside.Go(func() { n.capture.Run(ctx, n.log) })
	}
	beside.Go(func() { n.forget(ctx) })
	beside.Go(func() { n.runtime.follow(ctx, hangUp, n.log) })
	beside.Go(func() { n.supply.Run(ctx) })
	return n.media.start(ctx, beside)
}

// follower has what is kept in memory follow the database.
func (n *node) follower() *revision.Follower {
	f := &revision.Follower{Read: n.Store.AllRevisions, News: n.Store.News(), Log: n.log, Subscribers: []revision.Subscriber{
		n.Access.Subscriber(), n.Keyring.Subscriber(n.media.node), n.supply.Subscriber(), n.editor.Subscriber(n.log),
		n.limits.Subscriber(), n.media.webhooks.Subscriber(),
	}}
	if n.exchange != nil {
		f.Subscribers = append(f.Subscribers, n.exchange.Subscriber())
	}
	return f
}

func (n *node) greet(ctx context.Context) error {
	welcome, err := n.Access.FirstStart(ctx)
	if err != nil {
		return err
	}
	if err := n.Greet(Greeting{n.public.String(), n.pagesURL.String(), n.Config.Detected, welcome}); err != nil {
		return err
	}
	facts := []slog.Attr{slog.String("version", n.Version), slog.String("address", n.front.Addr().String())}
	if apart := n.front.ConsoleAddr(); apart != "" {
		facts = append(facts, slog.String("console", apart))
	}
	if apart := n.front.MetricsAddr(); apart != "" {
		facts = append(facts, slog.String("metrics", apart))
	}
	n.log.LogAttrs(ctx, slog.LevelInfo, "serving", append(facts, slog.String("database", n.Store.Engine()))...)
	return nil
}
