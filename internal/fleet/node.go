// Package fleet is about the servers that share one database: which of them live, and
// what each must know of the others. It must not know SQL or HTTP.
package fleet

import (
	"context"
	"time"

	"stele/internal/route"
)

// SilentAfter is how long a server may be silent and still counts as living. Each says
// every second that it lives.
const SilentAfter = 15 * time.Second

// Node is a server process.
type Node struct {
	ID      string
	Started time.Time
	Seen    time.Time // when it last said that it lives
	Version string
	Host    string // the machine's own name
	Address string // where it listens
	Load

	Providers map[string]route.Health // how they serve it, by name; only said, and read by HealthElsewhere
}

// Load is what a server has to do at the moment.
type Load struct {
	Requests int64         // open, streams included
	Streams  int64         // answers that are being given in pieces
	Tasks    int64         // generations that it sees to
	Journal  int64         // usage records that are not in the database yet
	Lag      time.Duration // since when the oldest of them waits
}

// Alive reports whether the server was heard of lately.
func (n Node) Alive(now time.Time) bool { return now.Sub(n.Seen) < SilentAfter }

// Fleet is all servers, the one that has run for longest first, and what waits for any of them.
type Fleet struct {
	Nodes   []Node
	Waiting int64     // generations that no server has taken yet
	Oldest  time.Time // of them, when it was ordered; zero: there is none
}

// Source knows the servers. Those that were silent for a day are forgotten.
type Source interface {
	Fleet(ctx context.Context) (Fleet, error)
}
