package usage

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/label"
	"stele/internal/meter"
	"stele/internal/price"
	"stele/internal/wire"
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
	out := page.StartCSV(w, "usage-"+q.First()+"-"+q.Last()+"-by-"+strings.ReplaceAll(string(q.By), ":", "-"))
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
			d.At.Format(time.DateOnly), label.Cell(d.Name), label.Cell(name), page.Number(d.Requests), page.Number(d.Failed), page.Number(d.Input), page.Number(d.CacheRead),
			page.Number(d.CacheWrite), page.Number(d.Output), page.Number(d.Reasoning), price.Amount(d.Nano).String(),
			page.Seconds(d.Took / time.Duration(max(d.Requests, 1))),
		})
	}
	out.Flush() // an error is a client who has gone
	return nil
}

const (
	mostCSVRows = 100_000
	csvBatch    = 1000
)

// requestsCSV gives the requests that the filters leave, the newest first, up to a
// bound. It is written while it is read: the first lines are there at once.
func (c *Room) requestsCSV(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q, _ := readRequestQuery(r.URL.Query(), c.Now())
	search := q.search(v.Session.Workspace, c.Now())
	names, err := page.KeyNames(r.Context(), c.Access, v)
	if err != nil {
		return err
	}
	found, err := c.Requests.SearchRecords(r.Context(), search, csvBatch)
	if err != nil {
		return err
	}
	out := page.StartCSV(w, "requests-"+c.Now().UTC().Format(time.DateOnly))
	_ = out.Write([]string{
		"time", "request", "record", "status", "code", "route", "dialect", "stream", "model", "provider", "target", "key", "key_name", "environment",
		"tries", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "estimated", "cost_usd",
		"first_byte_seconds", "seconds", "dropped", "person", "end_user", "tags", "asked", "charge_usd",
	})
	for rows := 0; ; {
		for i := range found.Records {
			if rows++; rows > mostCSVRows {
				break
			}
			_ = out.Write(csvRow(&found.Records[i], names))
		}
		out.Flush()
		if out.Error() != nil || rows >= mostCSVRows || found.Next.IsZero() {
			return nil //nolint:nilerr // a client that is gone needs no answer
		}
		_ = http.NewResponseController(w).Flush()
		search.After = found.Next
		if found, err = c.Requests.SearchRecords(r.Context(), search, csvBatch); err != nil {
			// The answer has begun: a file that ends early must not look whole.
			panic(http.ErrAbortHandler)
		}
	}
}

func csvRow(r *meter.Record, names map[string]string) []string {
	cost, charge := "", ""
	if r.Priced {
		cost, charge = price.Amount(r.Nano).String(), price.Amount(r.Nano+r.Markup).String()
	}
	return []string{
		wire.Time(r.At), label.Cell(r.Request), r.ID, strconv.Itoa(r.Status), r.Code, r.Route, r.Dialect,
		strconv.FormatBool(r.Stream), label.Cell(r.Model), r.Provider, label.Cell(r.Target), r.Key, label.Cell(page.KeyName(r.Key, names)), r.Environment,
		strconv.Itoa(r.Tries), page.Number(r.Input), page.Number(r.CacheRead), page.Number(r.CacheWrite), page.Number(r.Output), page.Number(r.Reasoning),
		strconv.FormatBool(r.Estimated), cost, page.Seconds(r.FirstByte), page.Seconds(r.Took), label.Cell(r.Dropped),
		r.Person, label.Cell(r.User), label.Cell(r.Tags), label.Cell(r.Asked), charge,
	}
}
