package aside_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/fault"
	"stele/internal/inflight"
)

// pile is a list of what was set aside, and of what was done to it.
type pile struct {
	tasks []inflight.Aside
	did   []string
}

func (p *pile) List(_ context.Context, workspace string) (list []inflight.Aside, err error) {
	for _, t := range p.tasks {
		if t.Workspace == workspace {
			list = append(list, t)
		}
	}
	return list, nil
}

func (p *pile) take(what string, who access.Principal, id string) error {
	i := slices.IndexFunc(p.tasks, func(t inflight.Aside) bool { return t.ID == id && t.Workspace == who.Workspace })
	if i < 0 {
		return fault.New(fault.NotFound, "It is not on the list any more.")
	}
	p.tasks = slices.Delete(p.tasks, i, i+1)
	p.did = append(p.did, what+" "+id)
	return nil
}

func (p *pile) Resend(_ context.Context, who access.Principal, id string) error {
	return p.take("resend", who, id)
}

func (p *pile) Forget(_ context.Context, who access.Principal, id string) error {
	return p.take("forget", who, id)
}

func TestWhatWasSetAsideIsShownAndCanBeSentAgain(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	p := &pile{tasks: []inflight.Aside{
		{ID: "gen_1", Workspace: "default", Kind: inflight.Generation, About: "stele/canvas", Reason: inflight.Died, At: at},
		{ID: "gen_2", Workspace: "default", Kind: inflight.Run, About: "poster", Reason: inflight.Panicked, At: at},
		{ID: "msg_1", Workspace: "default", Kind: inflight.Webhook, About: "hooks.example.com", Subject: "gen_9", Reason: inflight.Died, At: at},
		{ID: "gen_3", Workspace: "other", Kind: inflight.Generation, About: "secret", Reason: inflight.Died, At: at},
	}}
	h := consoletest.OpenSignedIn(t, func(_ *consoletest.House, o *console.Options) { o.Asides = p })
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/", consoletest.Browser)), "3 tasks were set aside", "/console/aside")
	page := consoletest.Body(t, h.Get("/console/aside", consoletest.Browser))
	consoletest.WantText(t, page, "Generation: stele/canvas", "Run of an app: poster", "Webhook: hooks.example.com", "gen_9", inflight.Died, inflight.Panicked, "Send again", "Forget")
	consoletest.WantStatus(t, h.Post("/console/aside/gen_1/resend", nil, consoletest.Browser), 303)
	consoletest.WantStatus(t, h.Post("/console/aside/msg_1/forget", nil, consoletest.Browser), 303)
	consoletest.WantCode(t, h.Post("/console/aside/gen_3/resend", nil), 404, "not_found")
	consoletest.WantCode(t, h.Post("/console/aside/gen_1/forget", nil), 404, "not_found")
	if !slices.Equal(p.did, []string{"resend gen_1", "forget msg_1"}) {
		t.Errorf("done: %v", p.did)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/", consoletest.Browser)), "A task was set aside")
}
