package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/meter"
)

// figures are the columns of meter.Figures. PostgreSQL adds integers up to
// numerics, which the driver would give as text.
func (q *slice) figures() string {
	var b strings.Builder
	for i, column := range []string{"requests", q.failed, "input", "cache_read", "cache_write", "output", "reasoning", "nano", "markup", "unpriced", "took"} {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("CAST(COALESCE(SUM(" + column + "), 0) AS BIGINT)")
	}
	return b.String()
}

// UsageTotal is what all of a slice used.
func (s *Store) UsageTotal(ctx context.Context, of meter.Slice) (meter.Figures, error) {
	q := s.findSlice(of, "")
	sum, err := selectOne(ctx, s.read, figureCells, `SELECT `+q.figures()+q.from(), s.planFor(q.args)...)
	return sum, wrap("add up usage", err)
}

// UsageGroups lists what the groups of a slice used, those with the most of a
// measure first.
func (s *Store) UsageGroups(ctx context.Context, of meter.Slice, by meter.Split, most meter.Measure, limit int) ([]meter.Group, error) {
	q := s.findSlice(of, by)
	names, all, err := s.topNames(ctx, q, of, by, most, limit)
	if err != nil || !all && len(names) == 0 {
		return nil, err
	}
	if !all {
		s.keepOnly(q, names)
	}
	list, err := selectAll(ctx, s.read, "group usage", groupCells, `SELECT `+q.name+`, `+q.figures()+q.from()+` GROUP BY 1`, s.planFor(q.args)...)
	slices.SortFunc(list, func(a, b meter.Group) int {
		return cmp.Or(cmp.Compare(most.Of(b.Figures), most.Of(a.Figures)), cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), limit)], err
}

// topNames are the names of the groups that used the most of a measure, or all. Figures are
// read once where there are few names: of end users in few days there may be very many, and
// all figures are added up for those only that are wanted. In many days they are looked for
// among those who led a week; then there are some more of them, since what their weeks say
// of each may lack something.
func (s *Store) topNames(ctx context.Context, q *slice, of meter.Slice, by meter.Split, most meter.Measure, limit int) (names []string, all bool, err error) {
	if q.table == "usage_groups" && limit <= mostLed && of.Until.Sub(of.From) >= leadersFrom {
		names, err = s.findLeaders(ctx, of, by, most, limit+limit/5)
		return names, names == nil, err
	}
	if !by.IsAttributed() {
		return nil, true, nil
	}
	order := cmp.Or(map[meter.Measure]string{meter.Tokens: `SUM(` + allTokens + `)`, meter.Cost: `SUM(nano)`}[most], `SUM(requests)`)
	names, err = s.texts(ctx, `SELECT `+q.name+q.from()+` GROUP BY 1 ORDER BY `+order+` DESC, SUM(requests) DESC, 1 LIMIT `+strconv.Itoa(limit), s.planFor(q.args)...)
	return names, len(names) < limit, err
}

// UsageDays lists what a slice used on each of its days that has any, oldest
// first. With a split it tells these groups of it apart and leaves the others out.
func (s *Store) UsageDays(ctx context.Context, of meter.Slice, by meter.Split, groups []string) ([]meter.Day, error) {
	q := s.findSlice(of, by)
	switch {
	case by == "":
		q.name = `''`
	case len(groups) == 0:
		return nil, nil
	default:
		s.keepOnly(q, groups)
	}
	return selectAll(ctx, s.read, "read days", func(d *meter.Day) []any { return append([]any{at(&d.At)}, groupCells(&d.Group)...) },
		`SELECT day, `+q.name+`, `+q.figures()+q.from()+` GROUP BY day, 2 ORDER BY day, 2`, s.planFor(q.args)...)
}

// splitColumn is what a split tells apart, as text.
func splitColumn(by meter.Split) string {
	switch by {
	case meter.ByKey, meter.ByProvider, meter.ByEnvironment:
		return string(by) // is the column's name as well
	case meter.ByStatus:
		return "CAST(status AS TEXT)"
	}
	return "model"
}

// slice is where the figures of a slice are read.
type slice struct {
	where

	name   string // the column of the split
	failed string // the column of what failed
	table  string // with the index to read it by, where SQLite has to be told
}

func (q *slice) from() string { return ` FROM ` + q.table + ` WHERE ` + q.text() }

// keepOnly leaves out all groups of a slice but these.
func (s *Store) keepOnly(q *slice, names []string) {
	q.add(q.inList(q.name, names))
	if q.table == "usage_groups" && q.name == "name" {
		s.byName(q)
	}
}

// byName has groups read by their names.
func (s *Store) byName(q *slice) {
	if s.engine == sqlite {
		q.table = "usage_groups INDEXED BY usage_groups_by_name"
	}
}

// findGroups finds the dim of the groups that have a slice told apart by something, and the name in it
// that the slice is about, "" for all. There is none where two things are to be known of a request at once.
func findGroups(of meter.Slice, by meter.Split) (dim meter.Split, name string, ok bool) {
	if by.IsAttributed() {
		return by, "", true
	}
	dim, name = meter.ByStatus, "" // any of them has all
	filters := 0
	for _, filter := range []struct {
		by    meter.Split
		value string
	}{{meter.ByKey, of.Key}, {meter.ByModel, of.Model}, {meter.ByProvider, of.Provider}} {
		if filter.value != "" {
			filters++
			dim, name = filter.by, filter.value
		}
	}
	switch {
	case filters > 1:
		return "", "", false
	case by == "" || by == meter.ByEnvironment || by == dim:
		return dim, name, true
	}
	return by, "", filters == 0
}

// findSlice finds where a slice, told apart by something, is read: in the groups, which are
// few, if one of their dims answers it; else in the days, by the index of a filter. Whom
// requests are for is known to the groups alone.
func (s *Store) findSlice(of meter.Slice, by meter.Split) *slice {
	q := new(slice)
	q.add("workspace = ?", of.Workspace)
	q.add("day >= ?", millis(of.From))
	q.add("day < ?", millis(of.Until))
	q.is("environment", of.Environment)
	if dim, name, ok := findGroups(of, by); ok {
		if q.name = "name"; by == meter.ByEnvironment {
			q.name = "environment"
		}
		q.failed, q.table = "failed", "usage_groups"
		q.add("dim = ?", string(dim))
		if dim == meter.ByKey {
			q.is("name", name)
		} else {
			q.addEqual("name", name)
		}
		if name != "" {
			s.byName(q)
		}
		return q
	}
	q.name = splitColumn(by)
	q.is("key", of.Key)
	q.addEqual("model", of.Model)
	q.addEqual("provider", of.Provider)
	q.failed, q.table = failedOfDay, "usage_days"
	switch {
	case s.engine != sqlite: // it has statistics
	case of.Key != "" && of.Model != "":
		q.table += " INDEXED BY usage_days_by_key_and_model"
	case of.Key != "":
		q.table += " INDEXED BY usage_days_by_key"
	case of.Model != "":
		q.table += " INDEXED BY usage_days_by_model"
	}
	return q
}

// failedOfDay is the column of what failed, of usage_days.
const failedOfDay = `CASE WHEN status >= 400 THEN requests ELSE 0 END`

// figureCells are those of slice.figures.
func figureCells(f *meter.Figures) []any {
	return []any{
		&f.Requests, &f.Failed, &f.Input, &f.CacheRead, &f.CacheWrite, &f.Output, &f.Reasoning, &f.Nano, &f.Markup, &f.Unpriced,
		durationIn(&f.Took, time.Microsecond),
	}
}

func groupCells(g *meter.Group) []any { return append([]any{&g.Name}, figureCells(&g.Figures)...) }
