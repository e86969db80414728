package usage

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

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

	Times, Classes, Dialects, Streams, Counts, Keys, Models, Providers []page.Option
	Codes                                                              []string
}

func (c *Room) showRequests(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q, problem := readRequestQuery(r.URL.Query(), c.Now())
	p := requestsPage{Query: q, Problem: problem, Filtered: q.isFiltered()}
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
		p.Older = "/console/requests?" + q.with("after", page.CursorText(found.Next))
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
	p.Times, p.Classes, p.Dialects, p.Streams, p.Counts = requestTimes, requestClasses, requestDialects, requestStreams, requestCounts
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

// requestQuery is what of the requests is shown, as the address has it.
type requestQuery struct {
	Time                                                   string // hour, day, 7d, 30d, own or ""
	From, To                                               string // days, of own
	Class, Code, Key, Model, Provider, Dialect, Stream, ID string
	Counted, User, Tag                                     string
	Live                                                   bool
	After                                                  access.Cursor

	from, until time.Time
}

var (
	requestTimes    = page.Choices("", "Any time", "hour", "Last hour", "day", "Last 24 hours", "7d", "Last 7 days", "30d", "Last 30 days", ownDates, "Own dates")
	requestClasses  = page.Choices("", "Any status", "2", "Served (2xx)", "4", "Refused (4xx)", "5", "Failed (5xx)")
	requestDialects = page.Choices("", "Any dialect", "openai", "OpenAI", "anthropic", "Anthropic", "gemini", "Gemini")
	requestStreams  = page.Choices("", "Streamed or not", "yes", "Streamed", "no", "Not streamed")
	requestCounts   = page.Choices("", "Any count", "told", "Told by the provider", "estimated", "Estimated")
	requestSpans    = map[string]time.Duration{"hour": time.Hour, "day": page.Day, "7d": 7 * page.Day, "30d": 30 * page.Day}
)

func readRequestQuery(values url.Values, now time.Time) (q requestQuery, problem string) {
	q = requestQuery{
		Time: page.OneOf(values.Get("time"), requestTimes, ""), Class: page.OneOf(values.Get("class"), requestClasses, ""),
		Code: strings.TrimSpace(values.Get("code")), Key: values.Get("key"), Model: values.Get("model"), Provider: values.Get("provider"),
		Dialect: page.OneOf(values.Get("dialect"), requestDialects, ""), Stream: page.OneOf(values.Get("stream"), requestStreams, ""),
		Counted: page.OneOf(values.Get("counted"), requestCounts, ""),
		User:    strings.TrimSpace(values.Get("user")), Tag: strings.TrimSpace(values.Get("tag")),
		ID: strings.TrimSpace(values.Get("id")), Live: values.Get("live") == "on",
	}
	after, _ := page.ReadCursor(values.Get("after")) // what is no place is the newest
	q.After = after
	if name, _, ok := strings.Cut(q.Tag, "="); q.Tag != "" && (!ok || !access.IsTagName(name)) {
		q.Tag, problem = "", "A tag is written as team=search."
	}
	if q.Time == ownDates {
		var ok bool
		dates := ""
		if q.from, q.until, dates, ok = readDates(values.Get("from"), values.Get("to"), now.UTC().Truncate(page.Day).Add(page.Day)); !ok {
			q.Time = ""
			return q, dates
		}
		problem = cmp.Or(problem, dates)
		q.From, q.To = q.from.Format(time.DateOnly), q.until.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	return q, problem
}

func (q requestQuery) search(workspace string, now time.Time) meter.Search {
	class, _ := strconv.Atoi(q.Class)
	s := meter.Search{
		Workspace: workspace, From: q.from, Until: q.until, Class: class, Code: q.Code, Key: q.Key, Model: q.Model, Provider: q.Provider,
		Dialect: q.Dialect, Stream: q.Stream, Counted: q.Counted, User: q.User, Tag: q.Tag, ID: q.ID, After: q.After,
	}
	if span, ok := requestSpans[q.Time]; ok {
		s.From = now.Add(-span)
	}
	return s
}

// isFiltered reports whether anything is left out.
func (q requestQuery) isFiltered() bool {
	return q.Time+q.Class+q.Code+q.Key+q.Model+q.Provider+q.Dialect+q.Stream+q.Counted+q.User+q.Tag+q.ID != ""
}

// with is the query's address with one thing changed, or taken out by "".
func (q requestQuery) with(name, value string) string {
	values := url.Values{}
	set := func(name, value string) {
		if value == "" {
			values.Del(name)
		} else {
			values.Set(name, value)
		}
	}
	for name, value := range map[string]string{
		"time": q.Time, "from": q.From, "to": q.To, "class": q.Class, "code": q.Code, "key": q.Key, "model": q.Model, "provider": q.Provider,
		"dialect": q.Dialect, "stream": q.Stream, "counted": q.Counted, "user": q.User, "tag": q.Tag, "id": q.ID, "after": page.CursorText(q.After),
	} {
		set(name, value)
	}
	if q.Live {
		set("live", "on")
	}
	if name == "after" && value != "" {
		set("live", "") // only the newest are live
	}
	set(name, value)
	return values.Encode()
}
