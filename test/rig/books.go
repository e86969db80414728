package rig

import (
	"testing"
)

// usageRow is a row of the table of requests, as an operator's own tools would read it.
type usageRow struct {
	id, request, Workspace, Key, Environment, Route, Dialect, Model, Provider, Target, Code, Dropped string

	Stream, Estimated, Priced, Status, Tries                          int64
	At, Input, CacheRead, CacheWrite, cacheWrite1h, Output, Reasoning int64
	Nano, FirstByte, Took                                             int64
}

// Books is a database with the usage in it, read from outside.
type Books func(t testing.TB, query string, args []any, each func(scan func(...any) error) error)

// Rows reads the rows of a request id.
func (b Books) Rows(t testing.TB, request string) []usageRow {
	t.Helper()
	var list []usageRow
	b(t, `SELECT id, request, workspace, key, environment, route, dialect, model, provider, target, code, dropped,
		stream, estimated, priced, status, tries, at, input, cache_read, cache_write, cache_write_1h, output, reasoning, nano, first_byte, took
		FROM requests WHERE request = $1`, []any{request}, func(scan func(...any) error) error {
		var r usageRow
		err := scan(&r.id, &r.request, &r.Workspace, &r.Key, &r.Environment, &r.Route, &r.Dialect, &r.Model, &r.Provider, &r.Target, &r.Code, &r.Dropped,
			&r.Stream, &r.Estimated, &r.Priced, &r.Status, &r.Tries, &r.At, &r.Input, &r.CacheRead, &r.CacheWrite, &r.cacheWrite1h,
			&r.Output, &r.Reasoning, &r.Nano, &r.FirstByte, &r.Took)
		list = append(list, r)
		return err
	})
	return list
}

// Await returns the one row of a request when it has been written, off the
// request's path. A second one is a mistake.
func (b Books) Await(t testing.TB, request string) usageRow {
	t.Helper()
	var rows []usageRow
	Eventually(t, "the row of "+request+" is written", func() bool {
		rows = b.Rows(t, request)
		return len(rows) > 0
	})
	if len(rows) != 1 {
		t.Errorf("%s has %d rows: %+v", request, len(rows), rows)
	}
	return rows[0]
}

// Read opens a house's database, as Books does, for its rows of usage.
func (h *House) Read(t testing.TB, databaseURL string) Books {
	t.Helper()
	db := h.Books(t, databaseURL)
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
