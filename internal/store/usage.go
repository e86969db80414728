package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/meter"
)

const requestColumns = sharedColumns + `, ` + seldomColumns + `, ` + chargesColumn + `, ` + ownColumns

// manyRows is how many rows a statement for many writes. More cost as much each.
const manyRows = 10

// errRepeated says that some of the records are there already.
var errRepeated = errors.New("records are there already")

// InsertRecords saves what requests used and adds it to its day. A record that
// is there already is not counted again, so a batch may be repeated.
func (s *Store) InsertRecords(ctx context.Context, records []meter.Record) error {
	for i := range records {
		tidy(&records[i])
	}
	return s.insertRecordsOf(ctx, "", records)
}

// insertRecordsOf is InsertRecords for a node: what the records took of limits comes
// from its leases. They are tidy.
func (s *Store) insertRecordsOf(ctx context.Context, node string, records []meter.Record) error {
	seen := make(map[string]bool, len(records))
	var list []*meter.Record
	for i := range records {
		if r := &records[i]; !seen[r.ID] {
			seen[r.ID] = true
			list = append(list, r)
		}
	}
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.insertRecords(ctx, tx, node, list) })
	if errors.Is(err, errRepeated) { // seldom: looking first would cost as much as writing
		all := list
		err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
			if list, err = newRecords(ctx, tx, all); err != nil {
				return err
			}
			return s.insertRecords(ctx, tx, node, list)
		})
	}
	if err == nil {
		s.tellSaved(list)
	}
	return err
}

// insertRecords saves tidy records that are all new, or none and errRepeated.
func (s *Store) insertRecords(ctx context.Context, tx *sql.Tx, node string, records []*meter.Record) error {
	factors, err := readFactors(ctx, tx)
	if err != nil {
		return err
	}
	for _, r := range records {
		r.Markup = factors.markup(r.Workspace, r.Nano)
	}
	if err := s.names.learn(ctx, tx, records); err != nil {
		return err
	}
	days, groups := make(map[day]*meter.Figures), make(map[group]*meter.Figures)
	for _, r := range records {
		f := r.Figures()
		addTo(days, s.groupDay(r), f)
		s.attribute(groups, r, f)
	}
	if err := s.insertRows(ctx, tx, records); err != nil {
		return err
	}
	if err := addDays(ctx, tx, days); err != nil {
		return err
	}
	if err := s.addGroups(ctx, tx, days, groups); err != nil {
		return err
	}
	if err := s.addHours(ctx, tx, records); err != nil {
		return err
	}
	if err := addMissing(ctx, tx, records); err != nil {
		return err
	}
	return s.settleCharges(ctx, tx, node, records)
}

// insertRows saves records, as many with each statement as it can.
func (s *Store) insertRows(ctx context.Context, tx *sql.Tx, records []*meter.Record) error {
	rest := records
	if s.engine == sqlite {
		var err error
		if rest, err = insertAlike(ctx, tx, records); err != nil {
			return err
		}
	}
	var args []any
	for len(rest) > 0 {
		rows := 1
		if len(rest) >= manyRows {
			rows = manyRows
		}
		args = args[:0]
		for _, r := range rest[:rows] {
			args = ownArgs(append(seldomArgs(sharedArgs(args, r), r), r.Charges), r)
		}
		if err := insertExactly(ctx, tx, rows, s.insertRequests(rows), args); err != nil {
			return err
		}
		rest = rest[rows:]
	}
	return nil
}

// insertExactly runs a statement, which the connection remembers, for so many new rows.
func insertExactly(ctx context.Context, tx *sql.Tx, rows int, statement string, args []any) error {
	n, err := affect(ctx, tx, "insert requests", statement, args...)
	if err != nil || n != int64(rows) {
		return errors.Join(err, errRepeated)
	}
	return nil
}

// insertRequests is the statement for so many rows. SQLite keeps a list of the
// names of its variables and walks it for each of them, so it gets nameless ones.
func (s *Store) insertRequests(rows int) string {
	insert := insertOrFail
	if s.engine == postgres {
		insert = `INSERT`
	}
	return insert + ` INTO requests (` + requestColumns + `) VALUES ` + placeholders(rows, count(requestColumns), s.engine == postgres) +
		` ON CONFLICT (id) DO NOTHING`
}

// newRecords are those of records that are not there yet.
func newRecords(ctx context.Context, tx *sql.Tx, records []*meter.Record) ([]*meter.Record, error) {
	var fresh []*meter.Record
	for _, r := range records {
		n, err := selectValue[int](ctx, tx, "look for requests", `SELECT COUNT(*) FROM requests WHERE id = $1`, r.ID)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			fresh = append(fresh, r)
		}
	}
	return fresh, nil
}

// placeholders is ($1,$2),($3,$4) … or (?,?),(?,?) … for so many rows and columns.
func placeholders(rows, columns int, named bool) string {
	var b strings.Builder
	for n := range rows * columns {
		switch {
		case n == 0:
			b.WriteString("(")
		case n%columns == 0:
			b.WriteString("),(")
		default:
			b.WriteString(",")
		}
		if named {
			b.WriteString("$" + strconv.Itoa(n+1))
		} else {
			b.WriteByte('?')
		}
	}
	b.WriteByte(')')
	return b.String()
}

// day is what usage is added up by.
type day struct {
	at                                               int64
	workspace, key, environment, model, prov, target string
	status                                           int
}

func (s *Store) groupDay(r *meter.Record) day {
	model, target := s.names.of(r)
	return day{dayOf(r), r.Workspace, r.Key, r.Environment, model, r.Provider, target, r.Status}
}

// addDays adds to the days, in an order that all processes have: two that take the
// same rows the other way round would wait for each other.
func addDays(ctx context.Context, tx *sql.Tx, days map[day]*meter.Figures) error {
	order := slices.SortedFunc(maps.Keys(days), func(a, b day) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	for _, d := range order {
		f := days[d]
		err := exec(ctx, tx, "add to the day", `INSERT INTO usage_days (day, workspace, key, environment, model, provider, target, status, `+figureColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
			ON CONFLICT (workspace, day, key, environment, model, provider, target, status) DO UPDATE SET `+addUp("usage_days", figureColumns),
			append([]any{d.at, d.workspace, d.key, d.environment, d.model, d.prov, d.target, d.status}, figureArgs(f)...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// figureColumns are those of meter.Figures but for what failed, which only groups count
// by itself: a day has a status.
const figureColumns = `requests, input, cache_read, cache_write, output, reasoning, nano, markup, unpriced, took`

func figureArgs(f *meter.Figures) []any {
	return []any{f.Requests, f.Input, f.CacheRead, f.CacheWrite, f.Output, f.Reasoning, f.Nano, f.Markup, f.Unpriced, f.Took.Microseconds()}
}

// addUp adds the columns of a row that is there already to it.
func addUp(table, columns string) string {
	var list []string
	for column := range strings.SplitSeq(columns, ", ") {
		list = append(list, column+" = "+table+"."+column+" + excluded."+column)
	}
	return strings.Join(list, ", ")
}

// Records lists the latest requests of a workspace, or of all where it is "".
func (s *Store) Records(ctx context.Context, workspace string, limit int) ([]meter.Record, error) {
	return s.query(ctx, `SELECT `+requestColumns+` FROM requests
		WHERE `+inWorkspace(workspace)+` ORDER BY at DESC, id DESC LIMIT $2`, workspace, limit)
}

func recordCells(r *meter.Record) []any {
	return []any{
		&r.Workspace, &r.Key, &r.Environment, &r.Route, &r.Dialect, &r.Model, &r.Asked, &r.Provider, &r.Target, &r.Stream, &r.Status, &r.Code,
		&r.Tries, &r.Path, &r.Dropped, &r.Estimated, &r.Priced, &r.Extra, &r.Rates, &r.PriceSource, &r.PriceVersion, &r.Person, &r.Tags,
		&r.CacheRead, &r.CacheWrite, &r.CacheWrite1h, &r.Reasoning, &r.Markup, &r.User, &r.Charges,
		&r.ID, at(&r.At), &r.Request, &r.Input, &r.Output, &r.Nano, durationIn(&r.FirstByte, time.Microsecond), durationIn(&r.Took, time.Microsecond),
	}
}

// DeleteRecordsBefore forgets requests older than a time, a bite at a time, and
// returns how many. The days they are counted in stay. The oldest have the lowest
// ids, so each bite looks at no more than it takes.
func (s *Store) DeleteRecordsBefore(ctx context.Context, before time.Time) (int64, error) {
	err := exec(ctx, s.write, "delete old requests", `DELETE FROM request_hours WHERE hour < $1`, hourOf(before))
	if err != nil {
		return 0, err
	}
	return s.deleteBites(ctx, `DELETE FROM requests WHERE id IN
		(SELECT id FROM (SELECT id, at FROM requests ORDER BY id LIMIT 1000) oldest WHERE at < $1)`, millis(before))
}

// DeleteUsageBefore forgets what days before a time have used, a bite at a time, and
// returns of how many rows.
func (s *Store) DeleteUsageBefore(ctx context.Context, before time.Time) (int64, error) {
	day := millis(before.UTC().Truncate(24 * time.Hour))
	var all int64
	for _, statement := range []string{
		`DELETE FROM usage_days WHERE (workspace, day, key, environment, model, provider, target, status) IN
			(SELECT workspace, day, key, environment, model, provider, target, status FROM usage_days WHERE day < $1 LIMIT 1000)`,
		`DELETE FROM usage_groups WHERE (workspace, dim, day, environment, name) IN
			(SELECT workspace, dim, day, environment, name FROM usage_groups WHERE day < $1 LIMIT 1000)`,
		`DELETE FROM usage_leaders WHERE (workspace, dim, week, environment, name) IN
			(SELECT workspace, dim, week, environment, name FROM usage_leaders WHERE week < $1 LIMIT 1000)`,
	} {
		n, err := s.deleteBites(ctx, statement, day)
		all += n
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
