package nodes_test

import (
	"context"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/fleet"
)

type servers struct{ all fleet.Fleet }

func (s *servers) Fleet(context.Context) (fleet.Fleet, error) { return s.all, nil }

// leaving signs the visitor out while a page is being made.
type leaving struct{ h *consoletest.House }

func (l leaving) Fleet(ctx context.Context) (fleet.Fleet, error) {
	v, err := l.h.Access.BySession(ctx, l.h.Cookie)
	if err != nil {
		return fleet.Fleet{}, err
	}
	if err := l.h.Access.SignOut(ctx, v); err != nil {
		return fleet.Fleet{}, err
	}
	if err := l.h.Access.Subscriber().CatchUp(context.WithoutCancel(ctx)); err != nil {
		return fleet.Fleet{}, err
	}
	<-ctx.Done()
	return fleet.Fleet{}, ctx.Err()
}

func TestAPageEndsWithTheSession(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, func(h *consoletest.House, o *console.Options) { o.Fleet = leaving{h} })
	consoletest.WantCode(t, h.Get("/console/nodes"), 401, "session_required")
}

func TestAdministratorsSeeTheServers(t *testing.T) {
	t.Parallel()
	known := &servers{}
	h := consoletest.OpenSignedIn(t, func(_ *consoletest.House, o *console.Options) { o.Fleet, o.Node = known, "node_1" })
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/nodes", consoletest.Browser)), "No server is known")
	known.all = fleet.Fleet{Waiting: 2, Oldest: h.Clock(), Nodes: []fleet.Node{
		{ID: "node_1", Host: "alpha", Address: "10.0.0.1:8080", Version: "1.2.3", Started: h.Clock().Add(-time.Hour), Seen: h.Clock(), Load: fleet.Load{Requests: 41, Streams: 17, Tasks: 23, Journal: 6, Lag: 90 * time.Millisecond}},
		{ID: "node_2", Host: "beta", Address: "10.0.0.2:8080", Version: "1.2.2", Started: h.Clock().Add(-time.Hour), Seen: h.Clock().Add(-time.Minute)},
	}}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/nodes", consoletest.Browser)),
		"alpha", "this page", "alive", "1.2.3", "41", "17", "23", "for 90ms", "beta", "silent", "2 generations wait")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/", consoletest.Browser)), `href="/console/nodes"`)
	owner, _ := h.As("owner@example.com", "default", access.Owner)
	h.With(owner, func() {
		consoletest.WantCode(t, h.Get("/console/nodes"), 403, "permission_denied")
	})
}
