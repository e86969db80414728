package store

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/meter"
)

// rollRows is how many rows a statement for many writes at most.
const rollRows = 20

// group is what usage_groups is added up by.
type group struct {
	workspace, dim    string
	at                int64
	environment, name string
}

func addTo[K comparable](sums map[K]*meter.Figures, key K, f meter.Figures) {
	if sums[key] == nil {
		sums[key] = new(meter.Figures)
	}
	sums[key].Add(f)
}

// attribute adds the figures of a record to the groups of whom it is for.
func (s *Store) attribute(groups map[group]*meter.Figures, r *meter.Record, f meter.Figures) {
	for dim, name := range eachAttribution(r) {
		name = s.names.nameApart(namedDay{r.Workspace, dim, dayOf(r)}, name)
		addTo(groups, group{r.Workspace, string(dim), dayOf(r), r.Environment, name}, f)
	}
}

// addGroups adds days up by one thing at a time, beside the groups there are already, in
// an order that all processes have.
func (s *Store) addGroups(ctx context.Context, tx *sql.Tx, days map[day]*meter.Figures, groups map[group]*meter.Figures) error {
	for d, f := range days {
		for dim, name := range map[meter.Split]string{
			meter.ByKey: d.key, meter.ByModel: d.model, meter.ByProvider: d.prov, meter.ByStatus: strconv.Itoa(d.status),
		} {
			addTo(groups, group{d.workspace, string(dim), d.at, d.environment, name}, *f)
		}
	}
	const columns = `failed, ` + figureColumns
	order := slices.SortedFunc(maps.Keys(groups), group.compare)
	for batch := range slices.Chunk(order, rollRows) {
		var args []any
		for _, g := range batch {
			f := groups[g]
			args = append(append(args, g.workspace, g.dim, g.at, g.environment, g.name, f.Failed), figureArgs(f)...)
		}
		err := exec(ctx, tx, "add to the groups", `INSERT INTO usage_groups (workspace, dim, day, environment, name, `+columns+`) VALUES `+
			placeholders(len(batch), len(args)/len(batch), s.engine == postgres)+`
			ON CONFLICT (workspace, dim, day, environment, name) DO UPDATE SET `+addUp("usage_groups", columns), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (g group) compare(other group) int {
	return cmp.Or(strings.Compare(g.workspace, other.workspace), strings.Compare(g.dim, other.dim), strings.Compare(g.environment, other.environment),
		strings.Compare(g.name, other.name), cmp.Compare(g.at, other.at))
}

// hour is where requests of a kind are.
type hour struct {
	workspace, dim, name string
	at                   int64
}

func hourOf(t time.Time) int64 { return millis(t.UTC().Truncate(time.Hour)) }

// addHours notes in which hours the requests are, in an order that all processes have.
func (s *Store) addHours(ctx context.Context, tx *sql.Tx, records []*meter.Record) error {
	hours := make(map[hour]bool)
	var last meter.Record
	for _, r := range records {
		at := hourOf(r.At)
		if at == hourOf(last.At) && r.Model == last.Model && r.Key == last.Key && r.Provider == last.Provider && r.Dialect == last.Dialect &&
			r.Stream == last.Stream && r.Workspace == last.Workspace && r.Tags == last.Tags {
			continue // as most are
		}
		last = *r
		hours[hour{r.Workspace, "key", r.Key, at}] = true
		model, _ := s.names.of(r)
		hours[hour{r.Workspace, "model", model, at}] = true
		hours[hour{r.Workspace, "provider", r.Provider, at}] = true
		hours[hour{r.Workspace, "dialect", r.Dialect, at}] = true
		hours[hour{r.Workspace, "stream", oneOrZero(r.Stream), at}] = true
		for dim, name := range eachTag(r) {
			hours[hour{r.Workspace, string(dim), s.names.nameApart(namedDay{r.Workspace, dim, dayOf(r)}, name), at}] = true
		}
	}
	order := slices.SortedFunc(maps.Keys(hours), hour.compare)
	for batch := range slices.Chunk(order, rollRows) {
		var args []any
		for _, h := range batch {
			args = append(args, h.workspace, h.dim, h.name, h.at)
		}
		err := exec(ctx, tx, "note the hours", `INSERT INTO request_hours (workspace, dim, name, hour) VALUES `+
			placeholders(len(batch), 4, s.engine == postgres)+` ON CONFLICT (workspace, dim, name, hour) DO NOTHING`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (h hour) compare(other hour) int {
	return cmp.Or(strings.Compare(h.workspace, other.workspace), strings.Compare(h.dim, other.dim), strings.Compare(h.name, other.name), cmp.Compare(h.at, other.at))
}

func oneOrZero(stream bool) string {
	if stream {
		return "1"
	}
	return "0"
}
