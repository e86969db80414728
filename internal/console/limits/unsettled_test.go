package limits_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
)

// debts are generations that a test says are unsettled.
type debts struct {
	tasks   []generation.Task
	settled map[string]int64
}

func (d *debts) ListUnsettled(_ context.Context, workspace string, _ int) (list []generation.Task, _ error) {
	for _, t := range d.tasks {
		if _, done := d.settled[t.ID]; !done && t.Workspace == workspace {
			list = append(list, t)
		}
	}
	return list, nil
}

func (d *debts) SettleByHand(_ context.Context, _ access.Principal, id string, nano int64) (*generation.Task, error) {
	if _, done := d.settled[id]; done {
		return nil, fault.New(fault.InvalidParameter, "What this generation has cost is settled.")
	}
	d.settled[id] = nano
	return &generation.Task{ID: id}, nil
}

func TestAnOwnerSettlesByHandWhatAProviderDoesNotSay(t *testing.T) {
	t.Parallel()
	d := &debts{settled: make(map[string]int64)}
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits, func(_ *consoletest.House, o *console.Options) { o.Settler = d })
	d.tasks = []generation.Task{
		{ID: "gen_1", Workspace: "default", Model: "acme/film", Provider: "main", State: media.Canceled, Message: "It was canceled.", Nano: 40_000_000, Ended: h.Clock().Add(-time.Hour)},
		{ID: "gen_2", Workspace: "elsewhere", Model: "secret"},
	}
	h.Cookie, _ = h.AsKnown("owner@example.com", "default", access.Owner)
	page := consoletest.Body(t, h.Get("/console/unsettled", consoletest.Browser))
	consoletest.WantText(t, page, "acme/film", "gen_1", "$0.04", "It was canceled.", "Settle by hand")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/limits", consoletest.Browser)), "/console/unsettled", "/console/credits")
	res := h.Post("/console/unsettled/gen_1", url.Values{"cost": {"little"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "Write what the provider has charged in dollars", `value="little"`)
	consoletest.WantStatus(t, h.Post("/console/unsettled/gen_1", url.Values{"cost": {"$0.03"}}, consoletest.Browser), 303)
	if d.settled["gen_1"] != 30_000_000 {
		t.Errorf("settled %v", d.settled)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/unsettled?done=settled", consoletest.Browser)), "All generations are settled", "Settled.")
	res = h.Post("/console/unsettled/gen_1", url.Values{"cost": {"1"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "is settled")
}

func TestAnAdministratorGrantsCredits(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/credits", consoletest.Browser)), "No credits", "Grant")
	for field, form := range map[string]url.Values{
		"An amount of dollars is written as 12.50.":     {"amount": {"much"}},
		"A grant is more than nothing":                  {"amount": {"0"}},
		"A grant expires in the future, or never.":      {"amount": {"5"}, "expires": {"2020-01-01"}},
		"A date is written as 2026-01-31.":              {"amount": {"5"}, "expires": {"soon"}},
		"A note is a line of up to 200 characters.</p>": {"amount": {"5"}, "note": {"a\nb"}},
	} {
		res := h.Post("/console/credits", form, consoletest.Browser)
		consoletest.WantStatus(t, res, 422)
		consoletest.WantText(t, consoletest.Body(t, res), field)
	}
	consoletest.WantStatus(t, h.Post("/console/credits", url.Values{"amount": {"12.50"}, "note": {"a gift"}, "expires": {"2999-01-31"}}, consoletest.Browser), 303)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/credits?done=granted", consoletest.Browser)), "$12.50", "a gift", "Granted.", "2999")
	h.Cookie = h.Viewer()
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/credits", consoletest.Browser)), "$12.50")
	consoletest.WantStatus(t, h.Post("/console/credits", url.Values{"amount": {"1"}}, consoletest.Browser), 403)
}
