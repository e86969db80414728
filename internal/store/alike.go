package store

import (
	"slices"
	"strings"
	"time"

	"stele/internal/meter"
)

// Most requests of one time are alike in most columns: the same key, model, provider,
// price. In the database that is in this process each value of a statement costs as much
// as writing it does, so rows that are alike share those that are the same.
const (
	ownColumns = `id, at, request, input, cache_read, cache_write, cache_write_1h, output, reasoning, nano, markup,
		first_byte, took, end_user, charges`
	sharedColumns = `workspace, key, environment, route, dialect, model, asked, provider, target, stream, status, code, tries, path, dropped,
		estimated, priced, extra, rates, price_source, price_version, person, tags`
)

// shared is a record without what is its own.
func shared(r *meter.Record) meter.Record {
	s := *r
	s.ID, s.At, s.Request, s.Input, s.CacheRead, s.CacheWrite, s.CacheWrite1h, s.Output, s.Reasoning = "", time.Time{}, "", 0, 0, 0, 0, 0, 0
	s.Nano, s.Markup, s.FirstByte, s.Took, s.User, s.Charges, s.Released = 0, 0, 0, 0, "", "", ""
	return s
}

// alike takes batches of so many that are alike out of records.
func alike(records []*meter.Record, rows int) (batches [][]*meter.Record, rest []*meter.Record) {
	groups := make(map[meter.Record][]*meter.Record)
	for _, r := range records {
		key := shared(r)
		groups[key] = append(groups[key], r)
		if len(groups[key]) == rows {
			batches = append(batches, groups[key])
			delete(groups, key)
		}
	}
	taken := make(map[*meter.Record]bool, len(batches)*rows)
	for _, batch := range batches {
		for _, r := range batch {
			taken[r] = true
		}
	}
	return batches, slices.DeleteFunc(slices.Clone(records), func(r *meter.Record) bool { return taken[r] })
}

// insertOrFail is an INSERT of SQLite that leaves the rows before one that fails. The
// transaction is rolled back then anyway, and it need not copy each page it writes to.
const insertOrFail = `INSERT OR FAIL`

// insertAlike is the statement of SQLite for so many rows that are alike.
func insertAlike(rows int) string {
	own, same := strings.Count(ownColumns, ",")+1, strings.Count(sharedColumns, ",")+1
	return insertOrFail + ` INTO requests (` + ownColumns + `, ` + sharedColumns + `) SELECT * FROM (VALUES ` + places(rows, own, false) + `), (VALUES ` +
		places(1, same, false) + `) WHERE true ON CONFLICT (id) DO NOTHING`
}

func ownArgs(args []any, r *meter.Record) []any {
	return append(args, r.ID, millis(r.At), r.Request, r.Input, r.CacheRead, r.CacheWrite, r.CacheWrite1h, r.Output, r.Reasoning, r.Nano, r.Markup,
		r.FirstByte.Microseconds(), r.Took.Microseconds(), r.User, r.Charges)
}

func sharedArgs(args []any, r *meter.Record) []any {
	return append(args, r.Workspace, r.Key, r.Environment, r.Route, r.Dialect, r.Model, r.Asked, r.Provider, r.Target, flag(r.Stream), int64(r.Status), r.Code,
		int64(r.Tries), r.Path, r.Dropped, flag(r.Estimated), flag(r.Priced), r.Extra, r.Rates, r.PriceSource, r.PriceVersion, r.Person, r.Tags)
}
