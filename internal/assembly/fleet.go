package assembly

import (
	"os"
	"time"

	"stele/internal/fleet"
)

// openExchange has this server tell others what it learns, where there may be others.
func (n *node) openExchange() {
	if n.Store.Engine() == "sqlite" { // one process per folder
		return
	}
	n.router.Share(n.media.node)
	n.exchange = &fleet.Exchange{Store: n.Store, Router: n.router, Log: n.log, Now: time.Now}
}

// vitals is what this server says of itself with every beat.
func (n *node) vitals() fleet.Node {
	host, _ := os.Hostname() // one without a name has an address
	me := fleet.Node{ID: n.media.node, Started: n.started, Version: n.Version, Host: host, Address: n.front.Addr().String()}
	me.Requests, me.Streams = n.front.Load()
	var since time.Time
	if me.Journal, since = n.journal.Backlog(); me.Journal > 0 {
		me.Lag = time.Since(since)
	}
	return me
}
