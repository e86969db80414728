package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/fleet"
	"stele/internal/wire"
)

func (p *program) nodes() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{
		Use: "nodes", Short: "List the servers on this database, and what they have to do", Args: cobra.NoArgs,
		Long: "List the servers on this database: which of them live, since when, their version, open requests and streams, generations that each sees to, and usage\n" +
			"records that are not in the database yet. A server that stopped is gone from the list; one that died stays on it for a day, as silent.",
		Example: "  stele nodes\n  stele nodes --json | jq '.nodes[] | select(.alive | not)'",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		all, err := h.Store.Fleet(c.Context())
		if err != nil {
			return err
		}
		now := time.Now()
		list := each(all.Nodes, func(n fleet.Node) wireNode { return toWireNode(n, now) })
		if wantsJSON(c) {
			return printJSON(c, wireFleet{Nodes: list, Waiting: all.Waiting, OldestAt: maybe(all.Oldest)})
		}
		if err := printTable(c, list, "no server has run in the last day", "ID\tHOST\tADDRESS\tVERSION\tSTATE\tSINCE\tREQUESTS\tSTREAMS\tTASKS\tJOURNAL", nodeRow); err != nil || all.Waiting == 0 {
			return err
		}
		_, err = fmt.Fprintf(c.OutOrStdout(), "\n%d generations wait for a server, the oldest since %s\n", all.Waiting, wire.Time(all.Oldest))
		return err
	})
}

// wireFleet is the servers as scripts read them.
type wireFleet struct {
	Nodes    []wireNode `json:"nodes"`
	Waiting  int64      `json:"waiting"` // generations that no server has taken yet
	OldestAt *string    `json:"oldest_at"`
}

type wireNode struct {
	ID        string  `json:"id"`
	Host      string  `json:"host"`
	Address   string  `json:"address"`
	Version   string  `json:"version"`
	Alive     bool    `json:"alive"`
	StartedAt *string `json:"started_at"`
	SeenAt    string  `json:"seen_at"`
	Requests  int64   `json:"requests"`
	Streams   int64   `json:"streams"`
	Tasks     int64   `json:"tasks"`
	Journal   int64   `json:"journal"`
	LagMS     int64   `json:"journal_lag_ms"`
}

func toWireNode(n fleet.Node, now time.Time) wireNode {
	return wireNode{
		ID: n.ID, Host: n.Host, Address: n.Address, Version: n.Version, Alive: n.Alive(now), StartedAt: maybe(n.Started), SeenAt: wire.Time(n.Seen),
		Requests: n.Requests, Streams: n.Streams, Tasks: n.Tasks, Journal: n.Journal, LagMS: n.Lag.Milliseconds(),
	}
}

func nodeRow(n wireNode) []string {
	state := "alive"
	if !n.Alive {
		state = "silent since " + n.SeenAt
	}
	journal := strconv.FormatInt(n.Journal, 10)
	if n.Journal > 0 {
		journal += fmt.Sprintf(" (%s)", time.Duration(n.LagMS)*time.Millisecond)
	}
	return []string{
		n.ID, n.Host, n.Address, n.Version, state, orText(n.StartedAt, "-"), strconv.FormatInt(n.Requests, 10), strconv.FormatInt(n.Streams, 10),
		strconv.FormatInt(n.Tasks, 10), journal,
	}
}
