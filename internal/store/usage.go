package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stele/internal/meter"
)

const requestColumns = `id, at, request, workspace, key, environment, route, dialect, model, provider, target,
	stream, status, code, tries, dropped, input, cache_read, cache_write, cache_write_1h, output, reasoning,
	estimated, nano, priced, first_byte, took`

// manyRows is how many rows a statement for many writes.
const manyRows = 50

// InsertRecords saves what requests used and adds it to its day. A record that
// is there already is not counted again, so a batch may be repeated.
func (s *Store) InsertRecords(ctx context.Context, records []meter.Record) error {
	byID := make(map[string]*meter.Record, len(records))
	var unique []*meter.Record
	for i := range records {
		if r := &records[i]; byID[r.ID] == nil {
			byID[r.ID] = r
			unique = append(unique, r)
		}
	}
	return s.tx(ctx, func(tx *sql.Tx) error {
		days := make(map[day]*total)
		for _, rows := range []int{manyRows, 1} {
			if len(unique) < rows {
				continue
			}
			statement, err := tx.PrepareContext(ctx, s.insertRequests(rows))
			if err != nil {
				return fmt.Errorf("insert requests: %w", err)
			}
			for len(unique) >= rows {
				if err := insertRecords(ctx, statement, unique[:rows], byID, days); err != nil {
					return err
				}
				unique = unique[rows:]
			}
		}
		return addDays(ctx, tx, days)
	})
}

// insertRequests is the statement for so many rows. SQLite keeps a list of the
// names of its variables and walks it for each of them, so it gets nameless ones.
func (s *Store) insertRequests(rows int) string {
	columns := strings.Count(requestColumns, ",") + 1
	return `INSERT INTO requests (` + requestColumns + `) VALUES ` + places(rows, columns, s.engine == postgres) +
		` ON CONFLICT (id) DO NOTHING RETURNING id`
}

// insertRecords saves records and adds those that are new to their days.
func insertRecords(ctx context.Context, statement *sql.Stmt, records []*meter.Record, byID map[string]*meter.Record, days map[day]*total) error {
	var args []any
	for _, r := range records {
		args = append(args, r.ID, millis(r.At), r.Request, r.Workspace, r.Key, r.Environment, r.Route, r.Dialect, r.Model, r.Provider, r.Target,
			flag(r.Stream), r.Status, r.Code, r.Tries, r.Dropped, r.Input, r.CacheRead, r.CacheWrite, r.CacheWrite1h, r.Output, r.Reasoning,
			flag(r.Estimated), r.Nano, flag(r.Priced), r.FirstByte.Microseconds(), r.Took.Microseconds())
	}
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return fmt.Errorf("insert requests: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return fmt.Errorf("insert requests: %w", err)
		}
		if r := byID[id]; r != nil {
			of(days, r).add(r)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("insert requests: %w", err)
	}
	return nil
}

// places is ($1,$2),($3,$4) … or (?,?),(?,?) … for so many rows and columns.
func places(rows, columns int, named bool) string {
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

type total struct{ requests, input, cacheRead, cacheWrite, output, reasoning, nano, took int64 }

func of(days map[day]*total, r *meter.Record) *total {
	d := day{
		millis(r.At.UTC().Truncate(24 * time.Hour)), r.Workspace, r.Key, r.Environment, r.Model, r.Provider, r.Target, r.Status,
	}
	if days[d] == nil {
		days[d] = new(total)
	}
	return days[d]
}

func (t *total) add(r *meter.Record) {
	t.requests++
	t.input += r.Input
	t.cacheRead += r.CacheRead
	t.cacheWrite += r.CacheWrite
	t.output += r.Output
	t.reasoning += r.Reasoning
	t.nano += r.Nano
	t.took += r.Took.Microseconds()
}

func addDays(ctx context.Context, tx *sql.Tx, days map[day]*total) error {
	for d, t := range days {
		_, err := tx.ExecContext(ctx, `INSERT INTO usage_days
			(day, workspace, key, environment, model, provider, target, status, requests, input, cache_read, cache_write, output, reasoning, nano, took)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
			ON CONFLICT (workspace, day, key, environment, model, provider, target, status) DO UPDATE SET
			requests = usage_days.requests + excluded.requests, input = usage_days.input + excluded.input,
			cache_read = usage_days.cache_read + excluded.cache_read, cache_write = usage_days.cache_write + excluded.cache_write,
			output = usage_days.output + excluded.output, reasoning = usage_days.reasoning + excluded.reasoning,
			nano = usage_days.nano + excluded.nano, took = usage_days.took + excluded.took`,
			d.at, d.workspace, d.key, d.environment, d.model, d.prov, d.target, d.status,
			t.requests, t.input, t.cacheRead, t.cacheWrite, t.output, t.reasoning, t.nano, t.took)
		if err != nil {
			return fmt.Errorf("add to the day: %w", err)
		}
	}
	return nil
}

// Records lists the latest requests of a workspace, or of all where it is "".
func (s *Store) Records(ctx context.Context, workspace string, limit int) ([]meter.Record, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+requestColumns+` FROM requests
		WHERE workspace = $1 OR $1 = '' ORDER BY at DESC, id DESC LIMIT $2`, workspace, limit)
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	defer rows.Close()
	var list []meter.Record
	for rows.Next() {
		var r meter.Record
		var at, stream, estimated, priced, first, took int64
		err := rows.Scan(&r.ID, &at, &r.Request, &r.Workspace, &r.Key, &r.Environment, &r.Route, &r.Dialect, &r.Model, &r.Provider, &r.Target,
			&stream, &r.Status, &r.Code, &r.Tries, &r.Dropped, &r.Input, &r.CacheRead, &r.CacheWrite, &r.CacheWrite1h, &r.Output, &r.Reasoning,
			&estimated, &r.Nano, &priced, &first, &took)
		if err != nil {
			return nil, fmt.Errorf("read requests: %w", err)
		}
		r.At, r.Stream, r.Estimated, r.Priced = fromMillis(at), stream != 0, estimated != 0, priced != 0
		r.FirstByte, r.Took = time.Duration(first)*time.Microsecond, time.Duration(took)*time.Microsecond
		list = append(list, r)
	}
	return list, rows.Err()
}

// DeleteRecordsBefore forgets requests older than a time, a bite at a time, and
// returns how many. The days they are counted in stay. The oldest have the lowest
// ids, so each bite looks at no more than it takes.
func (s *Store) DeleteRecordsBefore(ctx context.Context, before time.Time) (int64, error) {
	var all int64
	for {
		result, err := s.write.ExecContext(ctx, `DELETE FROM requests WHERE id IN
			(SELECT id FROM (SELECT id, at FROM requests ORDER BY id LIMIT 1000) oldest WHERE at < $1)`, millis(before))
		if err != nil {
			return all, fmt.Errorf("delete old requests: %w", err)
		}
		n, err := result.RowsAffected()
		if err != nil || n == 0 {
			return all, err
		}
		all += n
	}
}
