package limits

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/limit"
)

// moneyPage says whether requests, counters and the ledger agree.
type moneyPage struct {
	Found                  *limit.Verified // nil: it was not asked for
	Counters, Partly, Rows string
	Differences            []differenceRow
	More                   string
}

type differenceRow struct {
	Limit, Subject, What string
	From                 *page.Moment
	Counted, Summed, By  string
}

var sums = map[string]string{
	"settled": "taken, and what requests add up to", "leased": "held by servers, and their leases", "doubt": "in doubt, and what leases say of it",
	"ledger": "in doubt, and what the ledger says of it",
}

func (c *Room) showMoney(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	var p moneyPage
	if r.URL.Query().Has("now") {
		found, err := c.Verify(r.Context())
		if err != nil {
			return err
		}
		p = moneyPage{Found: &found, Counters: page.Many(found.Counters, "counter", "counters"), Rows: page.Many(found.Rows, "request", "requests")}
		if found.Partly > 0 {
			p.Partly = page.Many(found.Partly, "counter is", "counters are")
		}
		if found.More > 0 {
			p.More = page.Many(found.More, "more difference", "more differences")
		}
		for _, d := range found.Differences {
			p.Differences = append(p.Differences, differenceRow{
				Limit: d.Limit, Subject: d.Subject, What: sums[d.What], From: c.At(d.Start),
				Counted: page.FormatGrouped(d.Counted), Summed: page.FormatGrouped(d.Summed), By: page.FormatGrouped(d.Counted - d.Summed),
			})
		}
	}
	return c.Render(w, r, http.StatusOK, "money", page.View{Title: "Do the sums agree?", Active: "limits", Visitor: &v, Data: p})
}
