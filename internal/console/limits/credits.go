package limits

import (
	"net/http"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/limit"
	"stele/internal/price"
)

type creditsPage struct {
	Told                  string
	Workspace             string
	May                   bool // the visitor may grant
	Bound                 bool // it was granted something once
	Bar                   page.LimitBar
	Grants                []grantRow
	Amount, Expires, Note string // as filled in
	Problems              map[string]string
}

type grantRow struct {
	ID, Amount, Lapsed, Note, By string
	Made, Expires                *page.Moment
	Ended                        bool
}

func (c *Room) showCredits(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{"granted": "Granted. It counts on every server within a second."}[r.URL.Query().Get("done")]
	return c.creditsPage(w, r, v, http.StatusOK, creditsPage{Told: told})
}

func (c *Room) grantCredits(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := creditsPage{Amount: strings.TrimSpace(r.PostForm.Get("amount")), Expires: r.PostForm.Get("expires"), Note: strings.TrimSpace(r.PostForm.Get("note"))}
	wrong := func(field, sentence string) error {
		p.Problems = map[string]string{field: sentence}
		return c.creditsPage(w, r, v, http.StatusUnprocessableEntity, p)
	}
	nano, err := readAmount(limit.Dollars, p.Amount)
	if field, sentence, ok := page.FieldProblem(err); ok {
		return wrong(field, sentence)
	}
	g := limit.Grant{Workspace: v.Session.Workspace, Nano: nano, Note: p.Note}
	if p.Expires != "" {
		day, err := time.Parse(time.DateOnly, p.Expires)
		if err != nil {
			return wrong("expires", page.WrongDate)
		}
		g.Expires = day.AddDate(0, 0, 1) // at the end of the day
	}
	if _, err = c.Limits.Grant(r.Context(), v.Principal(), g); err != nil {
		if field, sentence, ok := page.FieldProblem(err); ok {
			return wrong(field, sentence)
		}
		return err
	}
	return c.Redirect(w, r, "/console/credits?done=granted")
}

func (c *Room) creditsPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p creditsPage) error {
	p.Workspace, p.May = v.Session.Workspace, v.User.Admin
	grants, err := c.Limits.Grants(r.Context(), v.Principal(), p.Workspace)
	if err != nil {
		return err
	}
	for i := range grants {
		g := &grants[i]
		row := grantRow{ID: g.ID, Amount: price.Amount(g.Nano).Dollars(), Note: g.Note, By: g.By, Made: c.At(g.Created), Ended: g.Closed}
		if !g.Expires.IsZero() {
			row.Expires = c.At(g.Expires)
		}
		if g.Lapsed > 0 {
			row.Lapsed = price.Amount(g.Lapsed).Dollars()
		}
		p.Grants = append(p.Grants, row)
	}
	if p.Bound = len(grants) > 0; p.Bound {
		l, list, err := c.Limits.StandingsAt(r.Context(), v.Principal(), limit.CreditLimit(p.Workspace, c.Now()).ID, c.Now(), 1)
		if err != nil {
			return err
		}
		st := limit.Standing{Limit: &l, Left: l.Amount} // nothing was spent yet
		if len(list) > 0 {
			st = list[0]
		}
		p.Bar = c.LimitBar(st, nil)
	}
	return c.Render(w, r, status, "credits", page.View{Title: "Credits", Active: "limits", Visitor: &v, Data: p})
}
