package console

import (
	"context"
	"net/http"
	"slices"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/meter"
)

// RequestSource finds requests.
type RequestSource interface {
	SearchRecords(ctx context.Context, q meter.Search, limit int) (meter.Found, error)
	Record(ctx context.Context, workspace, id string) (meter.Record, error)
	RecordNames(ctx context.Context, workspace string, by meter.Split, limit int) ([]string, error)
	Bodies(ctx context.Context, workspace, record string) (meter.Bodies, error)
}

const pageRows = 50

type requestsPage struct {
	Query    requestQuery
	Problem  string
	Rows     []requestRow
	Newest   string // link to the first page; "" if this is it
	Older    string // link to the next page; "" if this is the last
	Further  bool   // the page is short because so many were looked through
	Looked   string // until when
	CSV      string
	Poll     string // where the same list is, newer; "" where it is not live
	Filtered bool

	Times, Classes, Dialects, Streams, Keys, Models, Providers []option
	Codes                                                      []string
}

// requestRow is a request as the table shows it.
type requestRow struct {
	ID, Request   string
	At            *moment
	Clock         string
	Status        int
	Tone          string // of the badge
	Code          string
	Model         string
	Served        string // provider/target
	Key, KeyID    string
	Input, Output string
	Tokens        bool
	Cost          string
	Took, First   string
	Stream        bool
	Tries         int
	Dropped       int
	Kind          string // of what is no chat
}

func (c *Console) showRequests(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q, problem := readRequestQuery(r.URL.Query(), c.now())
	p := requestsPage{Query: q, Problem: problem, Filtered: q.filtered()}
	names, err := c.keyNames(r.Context(), v)
	if err != nil {
		return err
	}
	found, err := c.requests.SearchRecords(r.Context(), q.search(v.Session.Workspace, c.now()), pageRows)
	if err != nil {
		return err
	}
	for i := range found.Records {
		p.Rows = append(p.Rows, c.requestRow(&found.Records[i], names))
	}
	if !found.Next.IsZero() {
		p.Older = "/console/requests?" + q.with("after", placeText(found.Next))
		if p.Further = len(found.Records) < pageRows; p.Further {
			p.Looked = found.Next.At.UTC().Format("2 Jan 2006, 15:04:05 UTC")
		}
	}
	if !q.After.IsZero() {
		p.Newest = "/console/requests?" + q.with("after", "")
	}
	if q.Live {
		p.Poll = "/console/requests?" + q.with("after", "")
	}
	p.CSV = "/console/requests/csv?" + q.with("live", "")
	page := view{Title: "Requests", Active: "requests", Visitor: &v}
	if partly(r) {
		page.Data = p
		return c.fragment(w, r, http.StatusOK, "requests", "found", page)
	}
	if err := c.requestChoices(r.Context(), v, names, &p); err != nil {
		return err
	}
	page.Data = p
	return c.render(w, r, http.StatusOK, "requests", page)
}

func (c *Console) requestRow(r *meter.Record, names map[string]string) requestRow {
	row := requestRow{
		ID: r.ID, Request: r.Request, At: c.at(r.At), Clock: r.At.UTC().Format("2 Jan, 15:04:05"), Status: r.Status, Tone: statusTone(r.Status),
		Code: r.Code, Model: r.Model, Served: served(r), Key: groupName(meter.ByKey, r.Key, names), KeyID: r.Key,
		Input: short(r.Input + r.CacheRead + r.CacheWrite), Output: short(r.Output + r.Reasoning), Took: spent(r.Took),
		Stream: r.Stream, Tries: r.Tries, Dropped: len(readLosses(r.Dropped)), Kind: kindOf(r),
	}
	row.Tokens = r.Input+r.CacheRead+r.CacheWrite+r.Output+r.Reasoning > 0
	if r.Priced {
		row.Cost = dollars(r.Nano)
	}
	if r.FirstByte > 0 {
		row.First = spent(r.FirstByte)
	}
	return row
}

// served is who answered, as provider/target.
func served(r *meter.Record) string {
	if r.Provider == "" || r.Target == "" {
		return r.Provider
	}
	return r.Provider + "/" + r.Target
}

// kindOf is what a record is of that is no chat; "" for chat.
func kindOf(r *meter.Record) string {
	switch r.Route {
	case "generations":
		return "generation"
	case "apps":
		return "app"
	}
	return ""
}

func statusTone(status int) string {
	switch {
	case status >= 500:
		return "bad"
	case status >= 400:
		return "warn"
	}
	return "good"
}

// requestChoices fills in what the form offers: what the requests have.
func (c *Console) requestChoices(ctx context.Context, v access.Visitor, names map[string]string, p *requestsPage) error {
	p.Times, p.Classes, p.Dialects, p.Streams = requestTimes, requestClasses, requestDialects, requestStreams
	p.Keys = keyChoices(names, p.Query.Key)
	p.Codes = failureCodes()
	models, err := c.requests.RecordNames(ctx, v.Session.Workspace, meter.ByModel, mostChoice)
	if err != nil {
		return err
	}
	providers, err := c.requests.RecordNames(ctx, v.Session.Workspace, meter.ByProvider, mostChoice)
	p.Models, p.Providers = nameChoices(models, p.Query.Model), nameChoices(providers, p.Query.Provider)
	return err
}

// failureCodes are all that a record may have.
func failureCodes() []string {
	list := []string{
		"client_gone", "generation_failed", "content_policy", "invalid_input", "provider_unavailable", "provider_rejected_credentials",
		"timeout", "canceled",
	}
	for _, code := range fault.Codes() {
		list = append(list, string(code))
	}
	slices.Sort(list)
	return list
}
