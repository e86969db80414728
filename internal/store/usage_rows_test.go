package store

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"stele/internal/access"
	"stele/internal/limit"
	"stele/internal/meter"
)

// crowdedDays are days of a workspace with 600 end users each of 20,000, and of the few keys and models of a house.
const crowdedDays = 100

// looksOf are what the page Usage asks for, and how many rows each may read: those of its own
// names and days, never all of a crowd's.
func looksOf(today time.Time) []usageLook {
	of := meter.Slice{Workspace: "default", From: today.AddDate(0, 0, 1-crowdedDays), Until: today.AddDate(0, 0, 1)}
	with := func(change func(*meter.Slice)) meter.Slice { s := of; change(&s); return s }
	production := with(func(s *meter.Slice) { s.Environment = "production" })
	key := with(func(s *meter.Slice) { s.Key = "key_3" })
	model := with(func(s *meter.Slice) { s.Model = "model_3" })
	both := with(func(s *meter.Slice) { s.Key, s.Model = "key_3", "model_3" })
	const (
		led   = 13*600 + 14*600 // leaders of whole weeks, and everybody in the days at both ends
		named = 61 * crowdedDays
	)
	return []usageLook{
		{"by user", of, meter.ByUser, led + named, "usage_groups_by_name (workspace=? AND dim=? AND name=? AND day>? AND day<?)"},
		{"by user in production", production, meter.ByUser, led + named, "usage_groups_by_name (workspace=? AND dim=? AND name=? AND day>? AND day<?)"},
		{"by key", of, meter.ByKey, 8 * crowdedDays, "PRIMARY KEY (workspace=? AND dim=? AND day>? AND day<?)"},
		{"all of a key", key, "", crowdedDays, "usage_groups_by_name (workspace=? AND dim=? AND name=? AND day>? AND day<?)"},
		{"a key by itself", key, meter.ByKey, crowdedDays, "usage_groups_by_name (workspace=? AND dim=? AND name=? AND day>? AND day<?)"},
		{"a model by environment", model, meter.ByEnvironment, crowdedDays, "usage_groups_by_name (workspace=? AND dim=? AND name=? AND day>? AND day<?)"},
		{"a key by model", key, meter.ByModel, 2 * 10 * crowdedDays, "usage_days_by_key (workspace=? AND key=? AND day>? AND day<?)"},
		{"a model by key", model, meter.ByKey, 2 * 8 * crowdedDays, "usage_days_by_model (workspace=? AND model=? AND day>? AND day<?)"},
		{"a key and a model", both, meter.ByStatus, 2 * crowdedDays, "usage_days_by_key_and_model (workspace=? AND key=? AND model=? AND day>? AND day<?)"},
	}
}

type usageLook struct {
	name  string
	of    meter.Slice
	by    meter.Split
	most  int64  // rows, of whatever sums
	index string // that SQLite takes
}

// However often it is looked at, a page of usage reads what it shows: PostgreSQL takes no
// plan for it that is made for any value. Its own counters say how many rows were read.
func TestPagesOfUsageReadNoMoreThanTheyShow(t *testing.T) {
	t.Parallel()
	s := openTest(t, "postgres")
	now := fillCrowd(t, s)
	one := readByOne(t, s)
	for _, look := range looksOf(now.Truncate(24 * time.Hour)) {
		ask := func() {
			if look.by == "" {
				if _, err := s.UsageDays(t.Context(), look.of, "", nil); err != nil {
					t.Fatal(err)
				}
				return
			}
			groups, err := s.UsageGroups(t.Context(), look.of, look.by, meter.Cost, 51)
			if err != nil || len(groups) == 0 {
				t.Fatal(len(groups), err)
			}
		}
		if n := rowsRead(t, one, "usage_%", ask); n > look.most {
			t.Errorf("%s reads %d rows, want %d at most", look.name, n, look.most)
		}
	}
}

// Pages of limits read the counters that they show, of however many a limit has, and the
// notices that every page has do so as well when many thresholds were passed at once.
func TestPagesOfLimitsReadNoMoreThanTheyShow(t *testing.T) {
	t.Parallel()
	s := openTest(t, "postgres")
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	if err := s.SaveLimit(t.Context(), limit.Limit{ID: "lim_1", Workspace: "default", Window: limit.Day, Amount: 1000, Created: now}, access.Entry{ID: "aud_1", At: now}); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO limit_counters (limit_id, subject, start_at, end_at, amount, settled)
			SELECT 'lim_1', 'user-' || n, CAST($1 AS BIGINT) - d * 86400000, CAST($1 AS BIGINT) + (1 - d) * 86400000, 1000, n FROM generate_series(1, 3000) n, generate_series(0, 4) d`,
		`INSERT INTO limit_marks (counter, mark, at, workspace, used, amount, told) SELECT id, 80, CAST($1 AS BIGINT), 'default', settled, amount, 1 FROM limit_counters`,
	} {
		if _, err := s.write.ExecContext(t.Context(), statement, millis(now.Truncate(24*time.Hour))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.write.ExecContext(t.Context(), `VACUUM ANALYZE limit_counters, limit_marks`); err != nil {
		t.Fatal(err)
	}
	one := readByOne(t, s)
	for name, ask := range map[string]func() (int, error){
		"now": func() (int, error) { list, err := s.Balances(t.Context(), "lim_1", now, 50); return len(list), err },
		"past": func() (int, error) {
			list, err := s.PastBalances(t.Context(), "lim_1", now, 4)
			return len(list), err
		},
		"notices": func() (int, error) {
			list, err := s.PassedSince(t.Context(), "default", "usr_1", now.AddDate(0, 0, -1), 10)
			return len(list), err
		},
	} {
		shown := 0
		n := rowsRead(t, one, "limit_counters", func() {
			var err error
			if shown, err = ask(); err != nil || shown == 0 {
				t.Fatal(name, shown, err)
			}
		})
		if n > int64(2*shown) {
			t.Errorf("%s: %d counters are read and %d shown", name, n, shown)
		}
	}
}

// readByOne has a store read by one process of PostgreSQL: each has its own plans, and tells
// by itself what it has read.
func readByOne(t *testing.T, s *Store) *sql.DB {
	t.Helper()
	one := stdlib.OpenDB(*s.pool.Config().ConnConfig)
	t.Cleanup(func() { _ = one.Close() })
	one.SetMaxOpenConns(1)
	s.read = one
	return one
}

// SQLite has no statistics to see by itself which index leaves most out, so it is told.
func TestSumsAreReadByTheIndexThatLeavesMostOut(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	for _, look := range looksOf(time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)) {
		q := s.findSlice(look.of, look.by)
		if look.by == meter.ByUser {
			s.keepOnly(q, []string{"a", "b"})
		}
		var a, b, c int
		var plan string
		err := s.read.QueryRowContext(t.Context(), `EXPLAIN QUERY PLAN SELECT `+q.figures()+q.from(), q.args...).Scan(&a, &b, &c, &plan)
		if err != nil || !strings.Contains(plan, look.index) {
			t.Errorf("%s: %q, want %s, %v", look.name, plan, look.index, err)
		}
	}
}

// rowsRead is how many rows of tables PostgreSQL reads for a question that it has often heard.
func rowsRead(t *testing.T, db *sql.DB, tables string, ask func()) int64 {
	t.Helper()
	count := func() int64 {
		if _, err := db.ExecContext(t.Context(), `SELECT pg_stat_force_next_flush()`); err != nil {
			t.Fatal(err)
		}
		n, err := selectValue[int64](t.Context(), db, "count rows", `SELECT CAST((SELECT SUM(seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE $1)
			+ (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes WHERE relname LIKE $1) AS BIGINT)`, tables)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 10 {
		ask()
	}
	before := count()
	ask()
	return count() - before
}

// fillCrowd fills the sums of a database, and notes who led its weeks.
func fillCrowd(t *testing.T, s *Store) (now time.Time) {
	t.Helper()
	now = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC) // a Wednesday
	const days = `WITH RECURSIVE days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < 99), numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 599),
		at (day, d) AS (SELECT CAST($1 AS BIGINT) - d * CAST(86400000 AS BIGINT), d FROM days) `
	const groups = `INSERT INTO usage_groups (workspace, dim, day, environment, name, requests, failed, input, cache_read, cache_write, output, reasoning, nano, took) ` + days
	for _, statement := range []string{
		groups + `SELECT 'default', 'user', day, CASE n % 3 WHEN 0 THEN 'development' ELSE 'production' END, 'user-' || ((n * 7919 + d * 104729) % 20000),
			1 + n % 7, 0, 100 + n, 0, 0, 50, 0, (n * 31 + d * 17) % 1000000, 1000 FROM at, numbers`,
		groups + `SELECT 'default', 'key', day, 'production', 'key_' || n, 9, 0, 9, 0, 0, 9, 0, 9, 9 FROM at, numbers WHERE n < 8`,
		groups + `SELECT 'default', 'model', day, 'production', 'model_' || n, 9, 0, 9, 0, 0, 9, 0, 9, 9 FROM at, numbers WHERE n < 10`,
		groups + `SELECT 'default', 'status', day, 'production', '200', 9, 0, 9, 0, 0, 9, 0, 9, 9 FROM at`,
		`INSERT INTO usage_days (workspace, day, key, environment, model, provider, target, status, requests, input, cache_read, cache_write, output, reasoning, nano, took) ` + days +
			`SELECT 'default', day, 'key_' || n % 8, 'production', 'model_' || n / 8 % 10, 'p', 't', 200 + n / 80, 9, 9, 0, 0, 9, 0, 9, 9 FROM at, numbers WHERE n < 160`,
	} {
		if _, err := s.write.ExecContext(t.Context(), statement, millis(now.Truncate(24*time.Hour))); err != nil {
			t.Fatalf("%.80s: %v", statement, err)
		}
	}
	if n, err := s.NoteLeaders(context.WithoutCancel(t.Context()), now); err != nil || n < 10 {
		t.Fatal(n, err)
	}
	if _, err := s.write.ExecContext(t.Context(), `VACUUM ANALYZE usage_groups, usage_days, usage_leaders`); err != nil { // as its housekeeping does
		t.Fatal(err)
	}
	return now
}
