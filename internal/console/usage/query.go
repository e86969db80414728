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

// usageQuery is what of the usage is shown, as the address has it.
type usageQuery struct {
	Range       string // today, 7d, 30d, 90d or own
	From, Until time.Time
	By          meter.Split
	Show        meter.Measure
	Key         string
	Model       string
	Environment string
}

const (
	ownDates    = "own"
	longestDays = 366
)

var usageRanges = page.Choices("today", "Today", "7d", "7 days", "30d", "30 days", "90d", "90 days", ownDates, "Own dates")

var rangeDays = map[string]int{"today": 1, "7d": 7, "30d": 30, "90d": 90}

var usageSplits = page.Choices(
	string(meter.ByModel), "Model", string(meter.ByKey), "Key", string(meter.ByProvider), "Provider",
	string(meter.ByStatus), "Status", string(meter.ByEnvironment), "Environment", string(meter.ByUser), "End user",
)

var usageMeasures = page.Choices(string(meter.Requests), "Requests", string(meter.Tokens), "Tokens", string(meter.Cost), "Cost")

var environments = page.Choices("development", "Development", "production", "Production", meter.NoKey, "Console")

// readUsageQuery reads an address. What it does not understand is left at its
// default; own dates that make no sense are told of.
func readUsageQuery(values url.Values, now time.Time) (q usageQuery, problem string) {
	q = usageQuery{
		Range: page.OneOf(values.Get("range"), usageRanges, "30d"), By: meter.Split(page.OneOf(values.Get("by"), usageSplits, string(meter.ByModel))),
		Show: meter.Measure(page.OneOf(values.Get("show"), usageMeasures, string(meter.Requests))),
		Key:  values.Get("key"), Model: values.Get("model"), Environment: page.OneOf(values.Get("environment"), environments, ""),
	}
	if by := meter.Split(values.Get("by")); access.IsTagName(by.Tag()) {
		q.By = by
	}
	alone := ""
	if q.By.IsAttributed() && (q.Key != "" || q.Model != "") {
		q.Key, q.Model = "", ""
		alone = "End users and tags are added up for all keys and models together: those filters were left out."
	}
	tomorrow := now.UTC().Truncate(page.Day).Add(page.Day)
	days := rangeDays[q.Range]
	if q.Range == ownDates {
		var ok bool
		if q.From, q.Until, problem, ok = readDates(values.Get("from"), values.Get("to"), tomorrow); ok {
			return q, cmp.Or(problem, alone)
		}
		days = rangeDays["30d"]
	}
	q.From, q.Until = tomorrow.AddDate(0, 0, -days), tomorrow
	return q, cmp.Or(problem, alone)
}

// readDates reads the first and the last day of a range. Without either it is
// the last thirty days; it is never longer than a year.
func readDates(first, last string, tomorrow time.Time) (from, until time.Time, problem string, ok bool) {
	until = tomorrow
	if last != "" {
		t, err := time.Parse(time.DateOnly, last)
		if err != nil {
			return from, until, page.WrongDate, false
		}
		until = t.Add(page.Day)
	}
	from = until.AddDate(0, 0, -30)
	if first != "" {
		t, err := time.Parse(time.DateOnly, first)
		if err != nil {
			return from, until, page.WrongDate, false
		}
		from = t
	}
	if !from.Before(until) {
		return from, until, "The first day is after the last one.", false
	}
	if until.Sub(from) > longestDays*page.Day {
		from = until.AddDate(0, 0, -longestDays)
		problem = "A range has up to " + strconv.Itoa(longestDays) + " days: this one ends on the day you chose."
	}
	return from, until, problem, true
}

// slice is what the query wants of a workspace.
func (q usageQuery) slice(workspace string) meter.Slice {
	return meter.Slice{Workspace: workspace, From: q.From, Until: q.Until, Key: q.Key, Model: q.Model, Environment: q.Environment}
}

// values is the query as an address.
func (q usageQuery) values() url.Values {
	values := url.Values{"range": {q.Range}, "by": {string(q.By)}, "show": {string(q.Show)}}
	if q.Range == ownDates {
		values.Set("from", q.First())
		values.Set("to", q.Last())
	}
	for name, value := range map[string]string{"key": q.Key, "model": q.Model, "environment": q.Environment} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values
}

// First is the range's first day, for the form.
func (q usageQuery) First() string { return q.From.Format(time.DateOnly) }

// Last is the range's last day, for the form.
func (q usageQuery) Last() string { return q.Until.AddDate(0, 0, -1).Format(time.DateOnly) }

// fillChoices fills in what the form offers. Models are those of the requests that
// are kept and of the page itself.
func (c *Room) fillChoices(ctx context.Context, workspace string, names map[string]string, p *usagePage) error {
	for _, tag := range p.Tags {
		p.Splits = append(p.Splits, page.Option{Value: string(meter.ByTag(tag)), Label: splitName(meter.ByTag(tag))})
	}
	p.Ranges, p.Splits, p.Measures, p.Environments = usageRanges, slices.Concat(usageSplits, p.Splits), usageMeasures, environments
	p.Keys = keyChoices(names, p.Query.Key)
	var models []string
	if c.Requests != nil {
		var err error
		if models, err = c.Requests.RecordNames(ctx, workspace, meter.ByModel, mostChoice); err != nil {
			return err
		}
	}
	if p.Query.By == meter.ByModel {
		for _, g := range p.Groups {
			models = append(models, g.ID)
		}
	}
	p.Models = nameChoices(models, p.Query.Model)
	return nil
}

// splitName is what people call a split.
func splitName(by meter.Split) string {
	if tag := by.Tag(); tag != "" {
		return "Tag " + tag
	}
	if by == meter.ByPerson { // for statements alone
		return "Person"
	}
	return labelOf(string(by), usageSplits)
}

// labelOf is what people call a choice.
func labelOf(value string, choices []page.Option) string {
	for _, c := range choices {
		if c.Value == value {
			return c.Label
		}
	}
	return ""
}

// nameChoices are names to choose from, and the one that is chosen.
func nameChoices(names []string, chosen string) []page.Option {
	all := append(slices.Clone(names), chosen)
	slices.Sort(all)
	var list []page.Option
	for _, name := range slices.Compact(all) {
		if name != "" {
			list = append(list, page.Option{Value: name, Label: name})
		}
	}
	return list
}

// keyChoices are the keys by their names, and the console.
func keyChoices(names map[string]string, chosen string) []page.Option {
	list := make([]page.Option, 0, len(names)+2)
	for id, name := range names {
		list = append(list, page.Option{Value: id, Label: name})
	}
	if chosen != "" && chosen != meter.NoKey && names[chosen] == "" {
		list = append(list, page.Option{Value: chosen, Label: chosen}) // of a key that is gone
	}
	slices.SortFunc(list, func(a, b page.Option) int { return strings.Compare(a.Label, b.Label) })
	return append(list, page.Option{Value: meter.NoKey, Label: "Console (no key)"})
}

func statusText(status string) string {
	n, _ := strconv.Atoi(status)
	if n == fault.StatusClientGone {
		return "Client gone"
	}
	return http.StatusText(n)
}
