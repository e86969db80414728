package console

import (
	"net/http"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/media"
	"stele/internal/meter"
)

const (
	mostCSVRows = 100_000
	csvBatch    = 1000
)

// requestsCSV gives the requests that the filters leave, the newest first, up to a
// bound. It is written while it is read: the first lines are there at once.
func (c *Console) requestsCSV(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q, _ := readRequestQuery(r.URL.Query(), c.now())
	search := q.search(v.Session.Workspace, c.now())
	names, err := c.keyNames(r.Context(), v)
	if err != nil {
		return err
	}
	page, err := c.requests.SearchRecords(r.Context(), search, csvBatch)
	if err != nil {
		return err
	}
	out := startCSV(w, "requests-"+c.now().UTC().Format(time.DateOnly))
	_ = out.Write([]string{
		"time", "request", "record", "status", "code", "route", "dialect", "stream", "model", "provider", "target", "key", "key_name", "environment",
		"tries", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "estimated", "cost_usd",
		"first_byte_seconds", "seconds", "dropped",
	})
	for rows := 0; ; {
		for i := range page.Records {
			if rows++; rows > mostCSVRows {
				break
			}
			_ = out.Write(csvRow(&page.Records[i], names))
		}
		out.Flush()
		if out.Error() != nil || rows >= mostCSVRows || page.Next.IsZero() {
			return nil //nolint:nilerr // a client that is gone needs no answer
		}
		_ = http.NewResponseController(w).Flush()
		search.After = page.Next
		if page, err = c.requests.SearchRecords(r.Context(), search, csvBatch); err != nil {
			// The answer has begun: a file that ends early must not look whole.
			panic(http.ErrAbortHandler)
		}
	}
}

func csvRow(r *meter.Record, names map[string]string) []string {
	cost := ""
	if r.Priced {
		cost = media.Amount(r.Nano).String()
	}
	return []string{
		r.At.UTC().Format("2006-01-02T15:04:05.000Z"), cell(r.Request), r.ID, strconv.Itoa(r.Status), r.Code, r.Route, r.Dialect,
		strconv.FormatBool(r.Stream), cell(r.Model), r.Provider, cell(r.Target), r.Key, cell(groupName(meter.ByKey, r.Key, names)), r.Environment,
		strconv.Itoa(r.Tries), number(r.Input), number(r.CacheRead), number(r.CacheWrite), number(r.Output), number(r.Reasoning),
		strconv.FormatBool(r.Estimated), cost, seconds(r.FirstByte), seconds(r.Took), cell(r.Dropped),
	}
}
