package console

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/meter"
)

type requestPage struct {
	requestRow

	Record      meter.Record
	Exact       string
	Environment string
	Failure     *failure
	Tries       []tryRow
	Spans       []piece
	Price       *priceTable // nil: nothing has one
	Losses      []changedField
	Generation  string // link to what was made
	Bodies      *bodies
	MayBodies   bool // bodies are the visitor's to see
	Captures    bool // they are being kept
}

// tryRow is one try at a target.
type tryRow struct {
	Number  int
	Target  string
	Code    string
	Meaning string
	Took    string
}

// piece is a piece of the bar that shows where the time went.
type piece struct{ Class, Name, Took, X, Width string }

// changedField is what a translation did to a field.
type changedField struct{ What, Verb, Tone, Note string }

type bodies struct {
	Request, Reply               template.HTML
	RequestSize, ReplySize       string
	RequestCut, ReplyCut         bool
	RequestMissing, ReplyMissing bool
}

func (c *Console) showRequest(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	found, err := c.requests.SearchRecords(r.Context(), meter.Search{Workspace: v.Session.Workspace, ID: id}, 2)
	if err != nil {
		return err
	}
	switch {
	case len(found.Records) == 0:
		return fault.New(fault.NotFound, "There is no such request. It may be older than requests are kept.")
	case len(found.Records) > 1: // a client has sent one id several times
		c.redirect(w, r, "/console/requests?id="+url.QueryEscape(id))
		return nil
	}
	record := found.Records[0]
	names, err := c.keyNames(r.Context(), v)
	if err != nil {
		return err
	}
	p := requestPage{
		requestRow: c.requestRow(&record, names), Record: record, Exact: record.At.UTC().Format("2 January 2006, 15:04:05.000 UTC"),
		Environment: groupName(meter.ByEnvironment, record.Environment, nil), Failure: failureOf(&record), Spans: timeSpent(&record),
		Price: priced(&record), Losses: readLosses(record.Dropped), MayBodies: v.Role.Covers(owner), Captures: c.captures,
	}
	for i, t := range record.Trail() {
		row := tryRow{Number: i + 1, Target: t.Provider + "/" + t.Target, Code: t.Code, Took: spent(t.Took)}
		if t.Took == 0 { // they are kept in milliseconds
			row.Took = spent(time.Microsecond)
		}
		if t.Code != "" {
			row.Meaning = meaning(t.Code)
		}
		p.Tries = append(p.Tries, row)
	}
	if p.Kind != "" {
		p.Generation = c.madeAt(record.Request, map[string]string{"app": record.Model}[p.Kind])
	}
	if p.MayBodies {
		if p.Bodies, err = c.bodiesOf(r, v, record.ID); err != nil {
			return err
		}
	}
	return c.render(w, r, http.StatusOK, "request", view{Title: "Request " + record.Request, Active: "requests", Visitor: &v, Data: p})
}

// madeAt is where a generation is shown, or the run of an app, if there is such a room.
func (c *Console) madeAt(id, app string) string {
	switch {
	case app != "" && !c.absent["apps"]:
		return "/console/apps/" + url.PathEscape(app) + "/runs/" + url.PathEscape(id)
	case app == "" && !c.absent["studio"]:
		return "/console/studio/" + url.PathEscape(id)
	}
	return ""
}

func (c *Console) bodiesOf(r *http.Request, v access.Visitor, record string) (*bodies, error) {
	kept, err := c.requests.Bodies(r.Context(), v.Session.Workspace, record)
	if errors.Is(err, access.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &bodies{
		Request: highlight(kept.Request.Text), Reply: highlight(kept.Reply.Text),
		RequestSize: size(kept.Request.Size), ReplySize: size(kept.Reply.Size),
		RequestCut: int64(len(kept.Request.Text)) < kept.Request.Size, ReplyCut: int64(len(kept.Reply.Text)) < kept.Reply.Size,
		RequestMissing: kept.Request.Text == "", ReplyMissing: kept.Reply.Text == "",
	}, nil
}

// timeSpent is where the time of a request went: tries that failed, the wait for the
// first byte, the rest of the answer.
func timeSpent(r *meter.Record) []piece {
	if r.Took <= 0 {
		return nil
	}
	var list []piece
	var at time.Duration
	add := func(class, name string, until time.Duration) {
		until = min(max(until, at), r.Took)
		if until == at {
			return
		}
		x, width := float64(at)/float64(r.Took)*100, float64(until-at)/float64(r.Took)*100
		list = append(list, piece{class, name, spent(until - at), unit(x), unit(width)})
		at = until
	}
	if r.FirstByte == 0 {
		name := "Until it failed"
		if r.Status < 400 {
			name = "Until it was done"
		}
		add(map[bool]string{true: "bad", false: "wait"}[r.Status >= 400], name, r.Took)
		return list
	}
	tries := r.Trail()
	if len(tries) > 1 {
		add("bad", "Tries that failed", r.FirstByte-tries[len(tries)-1].Took)
	}
	add("wait", "To the first byte", r.FirstByte)
	add("flow", "The rest of the answer", r.Took)
	return list
}

// readLosses reads X-Stele-Dropped as a record keeps it.
func readLosses(dropped string) []changedField {
	var list []changedField
	for entry := range strings.SplitSeq(dropped, ", ") {
		parts := strings.SplitN(entry, "; ", 3)
		if len(parts) < 2 {
			continue
		}
		l := changedField{What: unescaped(parts[0]), Verb: parts[1]}
		switch l.Verb {
		case "dropped":
			l.Tone = "bad"
		case "approximated", "added":
			l.Tone = "warn"
		case "truncated":
			l.What = "and more"
		}
		if len(parts) == 3 {
			l.Note = unescaped(parts[2])
		}
		list = append(list, l)
	}
	return list
}

func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return many(n, "byte", "bytes")
	case n < 1<<20:
		return trimmed(float64(n)/(1<<10)) + " KB"
	}
	return trimmed(float64(n)/(1<<20)) + " MB"
}
