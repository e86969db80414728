package usage

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/meter"
	"stele/internal/price"
)

type requestPage struct {
	page.RequestRow

	Record      meter.Record
	Exact       string
	Environment string
	Tags        []string // team=search
	Failure     *failure
	Tries       []tryRow
	Spans       []piece
	Price       *priceTable // nil: nothing has one
	Losses      []page.ChangedField
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

type bodies struct {
	Request, Reply               template.HTML
	RequestSize, ReplySize       string
	RequestCut, ReplyCut         bool
	RequestMissing, ReplyMissing bool
}

func (c *Room) showRequest(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	found, err := c.Requests.SearchRecords(r.Context(), meter.Search{Workspace: v.Session.Workspace, ID: id}, 2)
	if err != nil {
		return err
	}
	switch {
	case len(found.Records) == 0:
		return fault.New(fault.NotFound, "There is no such request. It may be older than requests are kept.")
	case len(found.Records) > 1: // a client has sent one id several times
		return c.Redirect(w, r, "/console/requests?id="+url.QueryEscape(id))
	}
	record := found.Records[0]
	names, err := page.KeyNames(r.Context(), c.Access, v)
	if err != nil {
		return err
	}
	p := requestPage{
		RequestRow: c.RequestRow(&record, names), Record: record, Exact: record.At.UTC().Format("2 January 2006, 15:04:05.000 UTC"),
		Environment: groupName(meter.ByEnvironment, record.Environment, nil), Failure: failureOf(&record), Spans: splitTime(&record),
		Price: priceLines(&record), Losses: page.ReadLosses(record.Dropped), MayBodies: v.Role.Covers(page.Owner), Captures: c.Captures,
	}
	if record.Tags != "" {
		p.Tags = strings.Split(record.Tags, ",")
	}
	for i, t := range record.Trail() {
		row := tryRow{Number: i + 1, Target: t.Provider + "/" + t.Target, Code: t.Code, Took: page.FormatDuration(t.Took)}
		if t.Took == 0 { // they are kept in milliseconds
			row.Took = page.FormatDuration(time.Microsecond)
		}
		if t.Code != "" {
			row.Meaning = meaning(t.Code)
		}
		p.Tries = append(p.Tries, row)
	}
	if p.Kind != "" {
		p.Generation = c.MadeAt(record.Request, map[string]string{"app": record.Model}[p.Kind])
	}
	if p.MayBodies {
		if p.Bodies, err = c.bodiesOf(r, v, record.ID); err != nil {
			return err
		}
	}
	return c.Render(w, r, http.StatusOK, "request", page.View{Title: "Request " + record.Request, Active: "requests", Visitor: &v, Data: p})
}

func (c *Room) bodiesOf(r *http.Request, v access.Visitor, record string) (*bodies, error) {
	kept, err := c.Requests.Bodies(r.Context(), v.Session.Workspace, record)
	if errors.Is(err, access.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &bodies{
		Request: page.Highlight(kept.Request.Text), Reply: page.Highlight(kept.Reply.Text),
		RequestSize: page.Bytes(kept.Request.Size), ReplySize: page.Bytes(kept.Reply.Size),
		RequestCut: int64(len(kept.Request.Text)) < kept.Request.Size, ReplyCut: int64(len(kept.Reply.Text)) < kept.Reply.Size,
		RequestMissing: kept.Request.Text == "", ReplyMissing: kept.Reply.Text == "",
	}, nil
}

// splitTime says where the time of a request went: tries that failed, the wait for the
// first byte, the rest of the answer.
func splitTime(r *meter.Record) []piece {
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
		list = append(list, piece{class, name, page.FormatDuration(until - at), unit(x), unit(width)})
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

// priceTable is what each class of tokens cost.
type priceTable struct {
	Lines     []priceLine
	Total     string
	Tokens    string
	Estimated bool
	Priced    bool
	ByModel   bool // the lines have rates
	Source    string
}

type priceLine struct {
	Name   string
	Hint   string
	Tokens string
	Rate   string // USD per million; "" where it is not known
	Cost   string
}

// priceLines is the price of a request line by line, at the rates of its time.
func priceLines(r *meter.Record) *priceTable {
	p := &priceTable{Priced: r.Priced, Estimated: r.Estimated, Total: price.Amount(r.Nano).Rounded(), Source: priceSources[r.PriceSource]}
	sheet, err := price.ReadSheet(r.Rates)
	p.ByModel = err == nil && r.Priced
	u := r.Usage()
	usage := catalog.UsageOf(u.Own())
	var all int64
	for _, class := range shownClasses {
		tokens := usage.Tokens[class.class]
		if tokens <= 0 {
			continue
		}
		all += tokens
		line := priceLine{Name: class.name, Hint: class.hint, Tokens: page.FormatGrouped(tokens)}
		if p.ByModel {
			var one price.Usage
			one.Tokens[class.class] = tokens
			line.Cost = (price.Rate(sheet, one, u.Tier) - sheet.PerRequest).Rounded()
			line.Rate = sheet.Rates.Of(class.class).Exact()
		}
		p.Lines = append(p.Lines, line)
	}
	if a := u.Advised; a != nil {
		tokens := a.Usage.Total()
		all += tokens
		line := priceLine{Name: "Advice", Hint: "of " + a.Model, Tokens: page.FormatGrouped(tokens)}
		if p.ByModel {
			line.Cost = price.Amount(r.Nano - int64(price.Rate(sheet, usage, u.Tier))).Rounded()
		}
		p.Lines = append(p.Lines, line)
	}
	p.Tokens = page.FormatGrouped(all)
	if len(p.Lines) == 0 && !r.Priced {
		return nil
	}
	return p
}

// shownClasses are the classes of tokens in the order of the table.
var shownClasses = []struct {
	class      price.Class
	name, hint string
}{
	{price.Input, "Input", ""},
	{price.CachedInput, "Cached input", "read from a cache"},
	{price.CacheWrite, "Cache write", "kept for five minutes"},
	{price.CacheWrite1h, "Cache write, 1 h", "kept for an hour"},
	{price.AudioInput, "Sound in", ""},
	{price.AudioCached, "Sound in, cached", "read from a cache"},
	{price.ImageInput, "Pictures in", ""},
	{price.ImageCached, "Pictures in, cached", "read from a cache"},
	{price.Output, "Output", ""},
	{price.Reasoning, "Reasoning", "costs what output costs, unless it has a price of its own"},
	{price.AudioOutput, "Sound out", ""},
	{price.ImageOutput, "Pictures out", ""},
}

// priceSources say where a price is from, as a row keeps it.
var priceSources = map[string]string{
	catalog.FromBook: "from the price book", catalog.FromFile: "from the configuration file", catalog.FromConsole: "set in the console",
	catalog.FromUpstream: "as the provider says", catalog.FromModel: "of the model",
}
