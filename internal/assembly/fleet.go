package assembly

import (
	"os"
	"time"

	"stele/internal/fleet"
)

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
