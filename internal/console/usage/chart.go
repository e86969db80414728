package usage

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"stele/internal/console/page"
	"stele/internal/meter"
	"stele/internal/price"
)

const (
	chartWidth  = 1000 // units of the drawing, which is stretched to the page
	chartHeight = 200
	chartGroups = 6 // shown by themselves; what is left is one more
	widestBar   = 46
)

// chart is stacked bars, one for each day.
type chart struct {
	Title, About  string
	Width, Height int
	Series        []series
	Bars          []bar
	Marks         []string // of the axis at the side: the top, the middle, zero
	Days          []string // along the foot: the first, some between, the last
}

// series is a group with a colour of its own.
type series struct {
	Class string // s1, s2 … in the stylesheet
	Name  string
	Total string
}

// bar is a day.
type bar struct {
	X, Width, Full string // of the place that shows the title
	Title          string
	Parts          []part
	Day            string
	Total          string
	Cells          []string // of the table, in the order of the series
}

type part struct{ Class, X, Y, Width, Height string }

// usageChart draws a slice by days, its largest groups apart.
func (c *Room) usageChart(
	ctx context.Context, of meter.Slice, q usageQuery, whole []meter.Day, groups []meter.Group, names map[string]string,
) (*chart, error) {
	var apart []string
	for _, g := range groups[:min(len(groups), chartGroups)] {
		apart = append(apart, g.Name)
	}
	days, err := c.Usage.UsageDays(ctx, of, q.By, apart)
	if err != nil {
		return nil, err
	}
	d := drawing{
		query: q, from: of.From, days: int(of.Until.Sub(of.From) / page.Day),
		totals: make(map[time.Time]int64), groups: make(map[time.Time]map[string]int64),
	}
	for _, w := range whole {
		d.totals[w.At] = q.Show.Of(w.Figures)
	}
	for _, g := range days {
		if d.groups[g.At] == nil {
			d.groups[g.At] = make(map[string]int64)
		}
		d.groups[g.At][g.Name] = q.Show.Of(g.Figures)
	}
	return d.chart(apart, names), nil
}

// drawing is a chart on its way.
type drawing struct {
	query  usageQuery
	from   time.Time
	days   int
	totals map[time.Time]int64
	groups map[time.Time]map[string]int64
}

func (d *drawing) chart(apart []string, names map[string]string) *chart {
	show := d.query.amount
	ch := &chart{Width: chartWidth, Height: chartHeight}
	most, all, rest := int64(0), int64(0), int64(0)
	sums := make(map[string]int64)
	for at, total := range d.totals {
		most, all, rest = max(most, total), all+total, rest+d.restOf(at, apart)
		for name, n := range d.groups[at] {
			sums[name] += n
		}
	}
	for i, id := range apart {
		ch.Series = append(ch.Series, series{seriesClass(d.query.By, id, i), groupName(d.query.By, id, names), show(sums[id])})
	}
	if rest > 0 {
		ch.Series = append(ch.Series, series{"rest", "All others", show(rest)})
	}
	top := roundUp(most)
	ch.Marks = []string{d.query.mark(top), d.query.mark(top / 2), "0"}
	for i := range d.days {
		ch.Bars = append(ch.Bars, d.bar(i, top, apart, ch.Series))
	}
	ch.Days = d.feet()
	ch.Title = labelOf(string(d.query.Show), usageMeasures) + " by day and " + strings.ToLower(splitName(d.query.By))
	ch.About = show(all) + " from " + daysInWords(d.from, d.from.AddDate(0, 0, d.days)) + "; the most on one day is " + show(most) + "."
	return ch
}

// restOf is what a day has beside the groups that are shown by themselves.
func (d *drawing) restOf(at time.Time, apart []string) int64 {
	n := d.totals[at]
	for _, id := range apart {
		n -= d.groups[at][id]
	}
	return n
}

// bar draws the day that is i after the first.
func (d *drawing) bar(i int, top int64, apart []string, list []series) bar {
	at := d.from.AddDate(0, 0, i)
	place := float64(chartWidth) / float64(d.days)
	width := min(place*0.72, widestBar)
	x := place*float64(i) + (place-width)/2
	b := bar{X: unit(place * float64(i)), Width: unit(place), Full: unit(chartHeight), Day: at.Format("Mon 2 Jan 2006"), Total: d.query.plain(d.totals[at])}
	b.Title = b.Day + ": " + d.query.amount(d.totals[at])
	y := float64(chartHeight)
	for n, s := range list {
		value := d.restOf(at, apart)
		if n < len(apart) {
			value = d.groups[at][apart[n]]
		}
		b.Cells = append(b.Cells, d.query.plain(value))
		if value <= 0 {
			continue
		}
		height := float64(value) / float64(top) * chartHeight
		y -= height
		b.Parts = append(b.Parts, part{s.Class, unit(x), unit(y), unit(width), unit(height)})
		b.Title += "\n" + s.Name + ": " + d.query.amount(value)
	}
	return b
}

// feet are the dates along the foot, evenly apart.
func (d *drawing) feet() []string {
	const wanted = 5
	if d.days == 1 {
		return []string{d.from.Format("2 Jan")}
	}
	n := min(d.days, wanted)
	var list []string
	for i := range n {
		at := int(math.Round(float64(i) * float64(d.days-1) / float64(n-1)))
		list = append(list, d.from.AddDate(0, 0, at).Format("2 Jan"))
	}
	return list
}

// seriesClass is the colour of a group: statuses have their own meaning, all else
// the colours in their order.
func seriesClass(by meter.Split, id string, i int) string {
	if by == meter.ByStatus && id != "" {
		switch id[0] {
		case '2':
			return "ok"
		case '4':
			return "refused" + strconv.Itoa(i%2)
		case '5':
			return "failed" + strconv.Itoa(i%2)
		}
	}
	return "s" + strconv.Itoa(i+1)
}

// amount writes a number of what is shown, exactly.
func (q usageQuery) amount(n int64) string {
	switch q.Show {
	case meter.Cost:
		return price.Amount(n).Rounded()
	case meter.Tokens:
		return page.Many(n, "token", "tokens")
	}
	return page.Many(n, "request", "requests")
}

// plain writes a number where its unit is known.
func (q usageQuery) plain(n int64) string {
	if q.Show == meter.Cost {
		return price.Amount(n).Rounded()
	}
	return page.FormatGrouped(n)
}

// mark writes a number at the side.
func (q usageQuery) mark(n int64) string {
	if q.Show == meter.Cost {
		return price.Amount(n).Short()
	}
	return page.FormatShort(n)
}

// roundUp is the next number with few digits that is easy to halve.
func roundUp(n int64) int64 {
	if n <= 10 {
		return n + n%2
	}
	tenth := int64(1) // of the power of ten that n has reached
	for n >= 100*tenth {
		tenth *= 10
	}
	for _, step := range []int64{10, 12, 16, 20, 24, 30, 40, 50, 60, 80} {
		if n <= step*tenth {
			return step * tenth
		}
	}
	return 100 * tenth
}

func unit(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }
