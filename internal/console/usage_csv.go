package console

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/media"
	"stele/internal/meter"
)

// mostCSVGroups bounds the groups of the file; its days are bounded by the range.
const mostCSVGroups = 1000

// usageCSV gives what the page shows as a table: a line for each day and group.
func (c *Console) usageCSV(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q, _ := readUsageQuery(r.URL.Query(), c.now())
	of := q.slice(v.Session.Workspace)
	names, err := c.keyNames(r.Context(), v)
	if err != nil {
		return err
	}
	groups, err := c.usage.UsageGroups(r.Context(), of, q.By, q.Show, mostCSVGroups)
	if err != nil {
		return err
	}
	ids := make([]string, len(groups))
	for i, g := range groups {
		ids[i] = g.Name
	}
	days, err := c.usage.UsageDays(r.Context(), of, q.By, ids)
	if err != nil {
		return err
	}
	out := startCSV(w, "usage-"+q.First()+"-"+q.Last()+"-by-"+string(q.By))
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
			d.At.Format(time.DateOnly), cell(d.Name), cell(name), number(d.Requests), number(d.Failed), number(d.Input), number(d.CacheRead),
			number(d.CacheWrite), number(d.Output), number(d.Reasoning), media.Amount(d.Nano).String(),
			seconds(d.Took / time.Duration(max(d.Requests, 1))),
		})
	}
	out.Flush() // an error is a client who has gone
	return nil
}

// startCSV begins an answer that a browser saves as a file.
func startCSV(w http.ResponseWriter, name string) *csv.Writer {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	return csv.NewWriter(w)
}

// cell is a text that spreadsheets do not take for a formula: names of models and
// ids of requests are whatever a client sent.
func cell(text string) string {
	if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
