package usage

import (
	"net/http"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/media"
	"stele/internal/meter"
)

// mostCSVGroups bounds the groups of the file; its days are bounded by the range.
const mostCSVGroups = 1000

// usageCSV gives what the page shows as a table: a line for each day and group.
func (c *Room) usageCSV(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q, _ := readUsageQuery(r.URL.Query(), c.Now())
	of := q.slice(v.Session.Workspace)
	names, err := page.KeyNames(r.Context(), c.Access, v)
	if err != nil {
		return err
	}
	groups, err := c.Usage.UsageGroups(r.Context(), of, q.By, q.Show, mostCSVGroups)
	if err != nil {
		return err
	}
	ids := make([]string, len(groups))
	for i, g := range groups {
		ids[i] = g.Name
	}
	days, err := c.Usage.UsageDays(r.Context(), of, q.By, ids)
	if err != nil {
		return err
	}
	out := page.StartCSV(w, "usage-"+q.First()+"-"+q.Last()+"-by-"+string(q.By))
	_ = out.Write([]string{
		"day", string(q.By), "name", "requests", "failed", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens",
		"reasoning_tokens", "cost_usd", "mean_seconds",
	})
	for _, d := range days {
		name := ""
		if q.By == meter.ByKey {
			name = groupName(q.By, d.Name, names)
		}
		_ = out.Write([]string{
			d.At.Format(time.DateOnly), page.Cell(d.Name), page.Cell(name), page.Number(d.Requests), page.Number(d.Failed), page.Number(d.Input), page.Number(d.CacheRead),
			page.Number(d.CacheWrite), page.Number(d.Output), page.Number(d.Reasoning), media.Amount(d.Nano).String(),
			page.Seconds(d.Took / time.Duration(max(d.Requests, 1))),
		})
	}
	out.Flush() // an error is a client who has gone
	return nil
}
