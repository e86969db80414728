package assembly

import (
	"context"
	"log/slog"
	"os"
	"time"

	"stele/internal/fleet"
	"stele/internal/provider"
	"stele/internal/route"
)

// openExchange has this server tell others what it learns, where there may be others.
func (n *node) openExchange() {
	if n.Store.Engine() == "sqlite" { // one process per folder
		return
	}
	n.Access.ShareFailures(n.Store, n.Keyring)
	n.router.Share(n.media.node)
	n.exchange = &fleet.Exchange{Store: n.Store, Router: n.router, Now: time.Now}
}

// vitals is what this server says of itself with every beat.
func (n *node) vitals() fleet.Node {
	host, _ := os.Hostname() // one without a name has an address
	me := fleet.Node{ID: n.media.node, Started: n.started, Version: n.Version, Host: host, Address: n.front.Addr().String()}
	me.Requests, me.Streams = n.front.Load()
	if lag := n.journal.Lag(); lag.Records > 0 {
		me.Journal, me.Lag = int64(lag.Records), time.Since(lag.Since)
	}
	if n.exchange != nil {
		me.Providers = n.router.Health()
		for name, h := range me.Providers {
			h.Message = provider.WordsOf(h.Message) // without what looks like a secret
			me.Providers[name] = h
		}
	}
	return me
}

// healthElsewhere is how providers serve the other servers; where that cannot be told, a page
// shows what this one knows.
func (n *node) healthElsewhere(ctx context.Context) []map[string]route.Health {
	if n.exchange == nil {
		return nil
	}
	all, err := n.Store.HealthElsewhere(ctx, n.media.node, time.Now().Add(-fleet.SilentAfter))
	if err != nil {
		n.log.LogAttrs(ctx, slog.LevelDebug, "how providers serve other servers is not known", slog.Any("error", err))
	}
	return all
}
