// Package nodes is the room of servers: which of them share the database, and what each
// has to do.
package nodes

import (
	"embed"
	"net/http"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fleet"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows the servers.
type Room struct {
	*page.Frame

	Fleet fleet.Source
	Here  string // the server that shows the page
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{page.Get("/console/nodes", page.Admin, c.showNodes)}
}

type nodesPage struct {
	Nodes   []nodeRow
	Waiting page.Count
	Oldest  *page.Moment
}

type nodeRow struct {
	fleet.Node
	Here, Alive   bool
	Started, Seen *page.Moment
	Lag           string // "": nothing waits

	Requests, Streams, Tasks, Journal page.Count
}

func (c *Room) showNodes(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	all, err := c.Fleet.Fleet(r.Context())
	if err != nil {
		return err
	}
	p := nodesPage{Waiting: page.Count(all.Waiting), Oldest: c.At(all.Oldest)}
	for _, n := range all.Nodes {
		row := nodeRow{
			Node: n, Here: n.ID == c.Here, Alive: n.Alive(c.Now()), Started: c.At(n.Started), Seen: c.At(n.Seen),
			Requests: page.Count(n.Requests), Streams: page.Count(n.Streams), Tasks: page.Count(n.Tasks), Journal: page.Count(n.Journal),
		}
		if n.Journal > 0 {
			row.Lag = n.Lag.Round(time.Millisecond).String()
		}
		p.Nodes = append(p.Nodes, row)
	}
	return c.Render(w, r, http.StatusOK, "nodes", page.View{Title: "Servers", Active: "nodes", Visitor: &v, Data: p})
}
