package test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"stele/test/house"
)

// usageRow is a row of the table of requests, as an operator's own tools would read it.
type usageRow struct {
	id, request, workspace, key, environment, route, dialect, model, provider, target, code, dropped string

	stream, estimated, priced, status, tries                          int64
	at, input, cacheRead, cacheWrite, cacheWrite1h, output, reasoning int64
	nano, firstByte, took                                             int64
}

// books is a database with the usage in it, read from outside.
type books func(t testing.TB, query string, args []any, each func(scan func(...any) error) error)

// rows reads the rows of a request id.
func (b books) rows(t testing.TB, request string) []usageRow {
	t.Helper()
	var list []usageRow
	b(t, `SELECT id, request, workspace, key, environment, route, dialect, model, provider, target, code, dropped,
		stream, estimated, priced, status, tries, at, input, cache_read, cache_write, cache_write_1h, output, reasoning, nano, first_byte, took
		FROM requests WHERE request = $1`, []any{request}, func(scan func(...any) error) error {
		var r usageRow
		err := scan(&r.id, &r.request, &r.workspace, &r.key, &r.environment, &r.route, &r.dialect, &r.model, &r.provider, &r.target, &r.code, &r.dropped,
			&r.stream, &r.estimated, &r.priced, &r.status, &r.tries, &r.at, &r.input, &r.cacheRead, &r.cacheWrite, &r.cacheWrite1h,
			&r.output, &r.reasoning, &r.nano, &r.firstByte, &r.took)
		list = append(list, r)
		return err
	})
	return list
}

// await returns the one row of a request when it has been written, off the
// request's path. A second one is a mistake.
func (b books) await(t testing.TB, request string) usageRow {
	t.Helper()
	var rows []usageRow
	house.Eventually(t, "the row of "+request+" is written", func() bool {
		rows = b.rows(t, request)
		return len(rows) > 0
	})
	if len(rows) != 1 {
		t.Errorf("%s has %d rows: %+v", request, len(rows), rows)
	}
	return rows[0]
}

// sqliteBooks opens a house's SQLite for reading.
func sqliteBooks(t testing.TB, h *house.House) books {
	t.Helper()
	db, err := sql.Open("sqlite", fmt.Sprintf("file:%s?mode=ro&_pragma=busy_timeout(10000)", filepath.Join(h.Data, "stele.db")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return func(t testing.TB, query string, args []any, each func(scan func(...any) error) error) {
		t.Helper()
		rows, err := db.Query(query, args...)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows.Scan); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// postgresBooks opens a PostgreSQL.
func postgresBooks(t testing.TB, url string) books {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return func(t testing.TB, query string, args []any, each func(scan func(...any) error) error) {
		t.Helper()
		rows, err := conn.Query(t.Context(), query, args...)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows.Scan); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
