package start

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
)

const mostNotices = 10

// notices are thresholds of limits that were passed lately.
type notices struct {
	Rows  []noticeRow
	Until int64 // the newest of them, in milliseconds
}

type noticeRow struct {
	ID, Name, Subject string
	Mark              int
	Used, Amount      string
	At                *page.Moment
}

// startNotices are what the visitor has not dismissed yet.
func (c *Room) startNotices(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.Limits == nil {
		return nil
	}
	list, err := c.Limits.Notices(ctx, v.Principal(), v.Session.Workspace, mostNotices)
	if err != nil || len(list) == 0 {
		return err
	}
	names, err := page.KeyNames(ctx, c.Access, v)
	if err != nil {
		return err
	}
	p.Notices = &notices{Until: list[0].At.UnixMilli()}
	for _, n := range list {
		l := &n.Limit
		p.Notices.Rows = append(p.Notices.Rows, noticeRow{
			ID: l.ID, Name: l.Name, Subject: page.SubjectText(l, n.Subject, names), Mark: n.Mark,
			Used: l.Figure(n.Used), Amount: l.Figure(n.Amount), At: c.At(n.At),
		})
	}
	return nil
}

func (c *Room) dismissNotices(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	until, err := strconv.ParseInt(r.PostForm.Get("until"), 10, 64)
	if err != nil {
		until = c.Now().UnixMilli()
	}
	return c.Done(w, r, c.Limits.Dismiss(r.Context(), v.Principal(), v.Session.Workspace, time.UnixMilli(until)), "/console/")
}
