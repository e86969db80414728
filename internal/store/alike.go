package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"stele/internal/meter"
)

// Most requests of one time are alike in most columns: the same key, model, provider,
// price. In the database that is in this process each value of a statement costs as much
// as writing it does, so rows that are alike share those that are the same. Seldom
// columns are a row's own as well, but most have nothing in them; what rows took of limits
// differs as soon as there are some, and the others need not follow it.
const (
	ownColumns    = `id, at, request, input, output, nano, first_byte, took`
	seldomColumns = `cache_read, cache_write, cache_write_1h, reasoning, markup, end_user`
	chargesColumn = `charges`
	sharedColumns = `workspace, key, environment, route, dialect, model, asked, provider, target, stream, status, code, tries, path, dropped,
		estimated, priced, extra, rates, price_source, price_version, person, tags`
)

// manyAlike and someAlike are how many rows a statement for rows that are alike writes.
// More cost as much each.
const (
	manyAlike = 20
	someAlike = 5
)

// insertAlike saves those of records that enough others are alike, and returns the rest.
func insertAlike(ctx context.Context, tx *sql.Tx, records []*meter.Record) (rest []*meter.Record, err error) {
	texts := make(map[form]string)
	var args []any
	for _, group := range alike(records) {
		for _, rows := range [...]int{manyAlike, someAlike} {
			for ; len(group) >= rows; group = group[rows:] {
				f := form{rows, sameSeldom(group[:rows]), sameCharges(group[:rows])}
				if texts[f] == "" {
					texts[f] = f.statement()
				}
				args = f.args(args[:0], group[:rows])
				if err := insertExactly(ctx, tx, rows, texts[f], args); err != nil {
					return nil, err
				}
			}
		}
		rest = append(rest, group...)
	}
	return rest, nil
}

// alike groups records by what they share.
func alike(records []*meter.Record) [][]*meter.Record {
	var groups [][]*meter.Record
	known := make(map[meter.Record]int)
	var last meter.Record
	at := -1
	for _, r := range records {
		if key := withoutOwn(r); at < 0 || key != last { // mostly it is the same as before
			var there bool
			if at, there = known[key]; !there {
				at = len(groups)
				known[key], groups = at, append(groups, nil)
			}
			last = key
		}
		groups[at] = append(groups[at], r)
	}
	return groups
}

func withoutOwn(r *meter.Record) meter.Record {
	s := *r
	s.ID, s.At, s.Request, s.Input, s.CacheRead, s.CacheWrite, s.CacheWrite1h, s.Output, s.Reasoning = "", time.Time{}, "", 0, 0, 0, 0, 0, 0
	s.Nano, s.Markup, s.FirstByte, s.Took, s.User, s.Charges, s.Released = 0, 0, 0, 0, "", "", ""
	return s
}

// sameSeldom reports whether rows have the same in their seldom columns.
func sameSeldom(rows []*meter.Record) bool {
	a := rows[0]
	for _, b := range rows[1:] {
		if a.CacheRead != b.CacheRead || a.CacheWrite != b.CacheWrite || a.CacheWrite1h != b.CacheWrite1h || a.Reasoning != b.Reasoning ||
			a.Markup != b.Markup || a.User != b.User {
			return false
		}
	}
	return true
}

// sameCharges reports whether rows took the same of the same limits, mostly nothing of none.
func sameCharges(rows []*meter.Record) bool {
	for _, r := range rows[1:] {
		if r.Charges != rows[0].Charges {
			return false
		}
	}
	return true
}

// form is what a statement of SQLite for rows that are alike looks like.
type form struct {
	rows    int
	seldom  bool // they share the seldom columns as well
	charges bool // and what they took of limits
}

// insertOrFail is an INSERT of SQLite that leaves the rows before one that fails. The
// transaction is rolled back then anyway, and it need not copy each page it writes to.
const insertOrFail = `INSERT OR FAIL`

// statement names the values that all share once, before those of each row.
func (f form) statement() string {
	same, own := sharedColumns, ownColumns
	if f.charges {
		same += `, ` + chargesColumn
	} else {
		own = chargesColumn + `, ` + own
	}
	if f.seldom {
		same += `, ` + seldomColumns
	} else {
		own = seldomColumns + `, ` + own
	}
	return insertOrFail + ` INTO requests (` + same + `, ` + own + `) SELECT ` + strings.Trim(placeholders(1, count(same), false), "()") +
		`, * FROM (VALUES ` + placeholders(f.rows, count(own), false) + `) WHERE true ON CONFLICT (id) DO NOTHING`
}

func (f form) args(args []any, rows []*meter.Record) []any {
	args = sharedArgs(args, rows[0])
	if f.charges {
		args = append(args, rows[0].Charges)
	}
	if f.seldom {
		args = seldomArgs(args, rows[0])
	}
	for _, r := range rows {
		if !f.seldom {
			args = seldomArgs(args, r)
		}
		if !f.charges {
			args = append(args, r.Charges)
		}
		args = ownArgs(args, r)
	}
	return args
}

func ownArgs(args []any, r *meter.Record) []any {
	return append(args, r.ID, millis(r.At), r.Request, r.Input, r.Output, r.Nano, r.FirstByte.Microseconds(), r.Took.Microseconds())
}

func seldomArgs(args []any, r *meter.Record) []any {
	return append(args, r.CacheRead, r.CacheWrite, r.CacheWrite1h, r.Reasoning, r.Markup, r.User)
}

func sharedArgs(args []any, r *meter.Record) []any {
	return append(args, r.Workspace, r.Key, r.Environment, r.Route, r.Dialect, r.Model, r.Asked, r.Provider, r.Target, flag(r.Stream), int64(r.Status), r.Code,
		int64(r.Tries), r.Path, r.Dropped, flag(r.Estimated), flag(r.Priced), r.Extra, r.Rates, r.PriceSource, r.PriceVersion, r.Person, r.Tags)
}

func count(columns string) int { return strings.Count(columns, ",") + 1 }
