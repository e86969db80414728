package store

import (
	"context"
	"database/sql"
	"fmt"
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

// failing is a total with those of it that failed.
type failing struct {
	total

	failed int64
}

// addGroups adds days up by one thing at a time, in an order that all processes have.
func (s *Store) addGroups(ctx context.Context, tx *sql.Tx, days map[day]*total) error {
	groups := make(map[group]*failing)
	for d, t := range days {
		for dim, name := range map[meter.Split]string{
			meter.ByKey: d.key, meter.ByModel: d.model, meter.ByProvider: d.prov, meter.ByStatus: strconv.Itoa(d.status),
		} {
			g := group{d.workspace, string(dim), d.at, d.environment, name}
			if groups[g] == nil {
				groups[g] = new(failing)
			}
			groups[g].join(t, d.status)
		}
	}
	order := slices.SortedFunc(maps.Keys(groups), group.compare)
	for batch := range slices.Chunk(order, rollRows) {
		var args []any
		for _, g := range batch {
			t := groups[g]
			args = append(args, g.workspace, g.dim, g.at, g.environment, g.name,
				t.requests, t.failed, t.input, t.cacheRead, t.cacheWrite, t.output, t.reasoning, t.nano, t.took)
		}
		const columns = 14
		_, err := tx.ExecContext(ctx, `INSERT INTO usage_groups (workspace, dim, day, environment, name,
			requests, failed, input, cache_read, cache_write, output, reasoning, nano, took) VALUES `+places(len(batch), columns, s.engine == postgres)+`
			ON CONFLICT (workspace, dim, day, environment, name) DO UPDATE SET
			requests = usage_groups.requests + excluded.requests, failed = usage_groups.failed + excluded.failed,
			input = usage_groups.input + excluded.input, cache_read = usage_groups.cache_read + excluded.cache_read,
			cache_write = usage_groups.cache_write + excluded.cache_write, output = usage_groups.output + excluded.output,
			reasoning = usage_groups.reasoning + excluded.reasoning, nano = usage_groups.nano + excluded.nano,
			took = usage_groups.took + excluded.took`, args...)
		if err != nil {
			return fmt.Errorf("add to the groups: %w", err)
		}
	}
	return nil
}

func (f *failing) join(t *total, status int) {
	f.requests += t.requests
	f.input += t.input
	f.cacheRead += t.cacheRead
	f.cacheWrite += t.cacheWrite
	f.output += t.output
	f.reasoning += t.reasoning
	f.nano += t.nano
	f.took += t.took
	if status >= 400 {
		f.failed += t.requests
	}
}

func (g group) compare(other group) int {
	for _, pair := range [][2]string{{g.workspace, other.workspace}, {g.dim, other.dim}, {g.environment, other.environment}, {g.name, other.name}} {
		if c := strings.Compare(pair[0], pair[1]); c != 0 {
			return c
		}
	}
	return int(g.at - other.at)
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
			r.Stream == last.Stream && r.Workspace == last.Workspace {
			continue // as most are
		}
		last = *r
		hours[hour{r.Workspace, "key", r.Key, at}] = true
		model, _ := s.names.of(r)
		hours[hour{r.Workspace, "model", model, at}] = true
		hours[hour{r.Workspace, "provider", r.Provider, at}] = true
		hours[hour{r.Workspace, "dialect", r.Dialect, at}] = true
		hours[hour{r.Workspace, "stream", streamName(r.Stream), at}] = true
	}
	order := slices.SortedFunc(maps.Keys(hours), hour.compare)
	for batch := range slices.Chunk(order, rollRows) {
		var args []any
		for _, h := range batch {
			args = append(args, h.workspace, h.dim, h.name, h.at)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO request_hours (workspace, dim, name, hour) VALUES `+
			places(len(batch), 4, s.engine == postgres)+` ON CONFLICT (workspace, dim, name, hour) DO NOTHING`, args...)
		if err != nil {
			return fmt.Errorf("note the hours: %w", err)
		}
	}
	return nil
}

func (h hour) compare(other hour) int {
	for _, pair := range [][2]string{{h.workspace, other.workspace}, {h.dim, other.dim}, {h.name, other.name}} {
		if c := strings.Compare(pair[0], pair[1]); c != 0 {
			return c
		}
	}
	return int(h.at - other.at)
}

func streamName(stream bool) string {
	if stream {
		return "1"
	}
	return "0"
}
