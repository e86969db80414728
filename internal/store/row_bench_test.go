package store

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"stele/internal/store/storetest"
)

// BenchmarkRow says what a usage row with its sums costs a database, by how many rows
// share a transaction, and what it costs to delete it again: processor time of this
// process and of PostgreSQL, what is logged and what stays. PostgreSQL must be on this machine and serve
// nothing else. docs/scale.md reckons with its figures.
func BenchmarkRow(b *testing.B) {
	for _, engine := range storetest.Engines() {
		for _, size := range []int{1, 10, 100, 500, 2000} {
			b.Run(fmt.Sprintf("%s/batch=%d", engine, size), func(b *testing.B) { rowCost(b, engine, size) })
		}
		b.Run(engine+"/delete", func(b *testing.B) { deleteCost(b, engine) })
	}
	b.Run("postgres/drop", dropCost)
}

// rowCost saves an hour of a busy house.
func rowCost(b *testing.B, engine string, size int) {
	b.Helper()
	s := openTest(b, engine)
	rows := min(40*size, 20_000)
	now, n := time.Now(), 0
	insertBusy(b, s, 2000, 2000, now) // names and keys of the day are known
	m := newRowMeter(b, s)
	for b.Loop() {
		n += rows
		insertBusy(b, s, rows, size, now.Add(time.Duration(n/rows)*time.Hour))
	}
	c := m.since(b)
	c.report(b, s.engine, n)
	reportLocked(b, s)
}

// reportLocked says which part of the statements' time a batch held locks that other
// servers wait for: sums are added to after the rows are in. It needs pg_stat_statements.
func reportLocked(b *testing.B, s *Store) {
	b.Helper()
	if s.engine == sqlite {
		return
	}
	_, _ = s.write.ExecContext(b.Context(), `CREATE EXTENSION IF NOT EXISTS pg_stat_statements`)
	var part float64
	err := s.read.QueryRowContext(b.Context(), `SELECT SUM(total_exec_time) FILTER (WHERE query NOT LIKE 'INSERT INTO requests %') / SUM(total_exec_time) FROM pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query LIKE 'INSERT INTO %'`).Scan(&part)
	if err == nil {
		b.ReportMetric(100*part, "%-locked")
	}
}

func insertBusy(b *testing.B, s *Store, n, size int, now time.Time) {
	b.Helper()
	for batch := range storetest.BusyRecords(n, size, time.Hour, now) {
		if err := s.InsertRecords(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

func deleteCost(b *testing.B, engine string) {
	b.Helper()
	const rows = 20_000
	s, n := openTest(b, engine), 0
	var sum rowCosts
	for b.Loop() {
		now := time.Now().Add(time.Duration(n/rows) * time.Hour)
		insertBusy(b, s, rows, 2000, now)
		if s.engine == postgres { // its planner has looked at a table that is in use
			if _, err := s.write.ExecContext(b.Context(), `ANALYZE requests`); err != nil {
				b.Fatal(err)
			}
		}
		m := newRowMeter(b, s)
		if _, err := s.DeleteRecordsBefore(b.Context(), now.Add(time.Hour)); err != nil {
			b.Fatal(err)
		}
		if s.engine == postgres { // what was deleted is cleared away by its housekeeping
			if _, err := s.write.ExecContext(b.Context(), `VACUUM requests`); err != nil {
				b.Fatal(err)
			}
		}
		n += rows
		sum.add(m.since(b))
	}
	sum.report(b, s.engine, n)
}

// dropCost is that of a table of its own for so many rows, as a partition is.
func dropCost(b *testing.B) {
	const rows = 20_000
	s, n := openTest(b, "postgres"), 0
	insertBusy(b, s, rows, 2000, time.Now())
	var sum rowCosts
	for b.Loop() {
		if _, err := s.write.ExecContext(b.Context(), `CREATE TABLE one_day (LIKE requests INCLUDING ALL)`); err != nil {
			b.Fatal(err)
		}
		if _, err := s.write.ExecContext(b.Context(), `INSERT INTO one_day SELECT * FROM requests`); err != nil {
			b.Fatal(err)
		}
		m := newRowMeter(b, s)
		if _, err := s.write.ExecContext(b.Context(), `DROP TABLE one_day`); err != nil {
			b.Fatal(err)
		}
		n += rows
		sum.add(m.since(b))
	}
	sum.report(b, s.engine, n)
}

// rowCosts are what was spent: microseconds and bytes.
type rowCosts struct{ own, database, logged, kept int64 }

func (c *rowCosts) add(more rowCosts) {
	c.own, c.database, c.logged, c.kept = c.own+more.own, c.database+more.database, c.logged+more.logged, c.kept+more.kept
}

func (c *rowCosts) report(b *testing.B, on engine, n int) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(c.own)/float64(n), "µs-stele/row")
	b.ReportMetric(float64(c.kept)/float64(n), "B-kept/row")
	if on == postgres {
		b.ReportMetric(float64(c.database)/float64(n), "µs-postgres/row")
		b.ReportMetric(float64(c.logged)/float64(n), "B-wal/row")
	}
}

type rowMeter struct {
	s     *Store
	begun rowCosts
}

func newRowMeter(b *testing.B, s *Store) *rowMeter {
	b.Helper()
	m := &rowMeter{s: s}
	m.begun = m.look(b)
	return m
}

func (m *rowMeter) since(b *testing.B) rowCosts {
	b.Helper()
	end := m.look(b)
	return rowCosts{end.own - m.begun.own, end.database - m.begun.database, end.logged - m.begun.logged, end.kept - m.begun.kept}
}

func (m *rowMeter) look(b *testing.B) (c rowCosts) {
	b.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		b.Skip("there is no /proc to read processor time from")
	}
	for _, thread := range threads {
		c.own += ran("/proc/self/task/" + thread.Name() + "/schedstat")
	}
	if m.s.engine == sqlite {
		err = m.s.read.QueryRowContext(b.Context(), `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`).Scan(&c.kept)
	} else {
		err = m.s.read.QueryRowContext(b.Context(), `SELECT pg_database_size(current_database()), CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS BIGINT)`).Scan(&c.kept, &c.logged)
	}
	if err != nil {
		b.Fatal(err)
	}
	if m.s.engine == sqlite {
		return c
	}
	pids, err := selectAll(b.Context(), m.s.read, "read processes", value[int],
		`SELECT pid FROM pg_stat_activity WHERE datname = current_database() OR datname IS NULL`)
	if err != nil {
		b.Fatal(err)
	}
	for _, pid := range pids {
		c.database += ran("/proc/" + strconv.Itoa(pid) + "/schedstat")
	}
	return c
}

// ran is how many microseconds a thread has run, 0 if it has ended.
func ran(path string) int64 {
	stat, _ := os.ReadFile(path)
	text, _, _ := strings.Cut(string(stat), " ")
	n, _ := strconv.ParseInt(text, 10, 64)
	return n / 1000
}
