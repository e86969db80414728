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
	return me
}
