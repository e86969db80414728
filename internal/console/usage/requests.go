package usage

import (
	"context"
	"net/http"
	"slices"

	"stele/internal/access"
	"stele/internal/console/page"
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
	Rows     []page.RequestRow
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

func (c *Room) showRequests(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q, problem := readRequestQuery(r.URL.Query(), c.Now())
	p := requestsPage{Query: q, Problem: problem, Filtered: q.filtered()}
	names, err := page.KeyNames(r.Context(), c.Access, v)
	if err != nil {
		return err
	}
	found, err := c.Requests.SearchRecords(r.Context(), q.search(v.Session.Workspace, c.Now()), pageRows)
	if err != nil {
		return err
	}
	for i := range found.Records {
		p.Rows = append(p.Rows, c.RequestRow(&found.Records[i], names))
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
	whole := page.View{Title: "Requests", Active: "requests", Visitor: &v}
	if page.WantsPart(r) {
		whole.Data = p
		return c.Fragment(w, r, http.StatusOK, "requests", "found", whole)
	}
	if err := c.requestChoices(r.Context(), v, names, &p); err != nil {
		return err
	}
	whole.Data = p
	return c.Render(w, r, http.StatusOK, "requests", whole)
}

// requestChoices fills in what the form offers: what the requests have.
func (c *Room) requestChoices(ctx context.Context, v access.Visitor, names map[string]string, p *requestsPage) error {
	p.Times, p.Classes, p.Dialects, p.Streams = requestTimes, requestClasses, requestDialects, requestStreams
	p.Keys = keyChoices(names, p.Query.Key)
	p.Codes = failureCodes()
	models, err := c.Requests.RecordNames(ctx, v.Session.Workspace, meter.ByModel, mostChoice)
	if err != nil {
		return err
	}
	providers, err := c.Requests.RecordNames(ctx, v.Session.Workspace, meter.ByProvider, mostChoice)
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
