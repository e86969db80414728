package limits

import (
	"context"
	"net/http"
	"strings"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/price"
)

// mostUnsettled is how many generations the page lists.
const mostUnsettled = 200

// Settler knows the generations that have ended and may still be charged for.
type Settler interface {
	ListUnsettled(ctx context.Context, workspace string, most int) ([]generation.Task, error)
	SettleByHand(ctx context.Context, who access.Principal, id string, nano int64) (*generation.Task, error)
}

type unsettledPage struct {
	Told, Problem string
	Rows          []unsettledRow
	Whole         bool // these are all
}

type unsettledRow struct {
	ID, Model, Provider, State, Why, Held, Link string
	Ended                                       *page.Moment
	Cost, Problem                               string // as it was filled in, and what is wrong with it
}

func (c *Room) showUnsettled(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{"settled": "Settled. What was held of limits beyond it is given back."}[r.URL.Query().Get("done")]
	return c.unsettledPage(w, r, v, http.StatusOK, unsettledPage{Told: told}, unsettledRow{})
}

// settleByHand takes over what a person says that a generation has cost.
func (c *Room) settleByHand(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	filled := unsettledRow{ID: r.PathValue("id"), Cost: strings.TrimSpace(r.PostForm.Get("cost"))}
	nano, err := price.Parse(price.Ungroup(filled.Cost))
	if err != nil {
		filled.Problem = "Write what the provider has charged in dollars, such as 0.04. Where it was nothing, write 0."
		return c.unsettledPage(w, r, v, http.StatusUnprocessableEntity, unsettledPage{Problem: filled.Problem}, filled)
	}
	_, err = c.Settler.SettleByHand(r.Context(), v.Principal(), filled.ID, int64(nano))
	if e := fault.From(err); err != nil && e.Code == fault.InvalidParameter { // the provider has said it meanwhile
		return c.unsettledPage(w, r, v, http.StatusUnprocessableEntity, unsettledPage{Problem: e.Message}, filled)
	}
	return c.Done(w, r, err, "/console/unsettled?done=settled")
}

func (c *Room) unsettledPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p unsettledPage, filled unsettledRow) error {
	list, err := c.Settler.ListUnsettled(r.Context(), v.Session.Workspace, mostUnsettled)
	if err != nil {
		return err
	}
	p.Whole = len(list) < mostUnsettled
	for i := range list {
		t := &list[i]
		row := unsettledRow{
			ID: t.ID, Model: t.Model, Provider: t.Provider, State: string(t.State), Why: t.Message, Held: price.Amount(t.Nano).Dollars(),
			Ended: c.At(t.Ended), Link: c.MadeAt(t.ID, t.App),
		}
		if filled.ID == t.ID {
			row.Cost, row.Problem = filled.Cost, filled.Problem
		}
		p.Rows = append(p.Rows, row)
	}
	return c.Render(w, r, status, "unsettled", page.View{Title: "Unsettled generations", Active: "limits", Visitor: &v, Data: p})
}
