package storetest

import (
	"database/sql"
	"strconv"
	"strings"
	"testing"
	"time"
)

// CrowdUsers is how many end users a crowd has every day.
const CrowdUsers = 100_000

// Multiply puts times as many requests into a PostgreSQL that Busy has filled, each a
// little later than the one that it is made from and for another end user, so that
// every day has all of a crowd. Days, groups and hours are those of before: names do
// not become more, and figures are as if each request had been so many.
func Multiply(t testing.TB, db *sql.DB, n, times int) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = 'requests' ORDER BY ordinal_position`)
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	step := 90 * 24 * time.Hour / time.Duration(n*times)
	other := map[string]string{
		"id":       `left(id, 22) || lpad((right(id, 8)::bigint + copy * ` + strconv.Itoa(n) + `)::text, 8, '0')`,
		"request":  `left(request, 22) || lpad((right(id, 8)::bigint + copy * ` + strconv.Itoa(n) + `)::text, 8, '0')`,
		"at":       `at + copy * ` + strconv.FormatInt(step.Milliseconds(), 10),
		"end_user": `'user-' || lpad(((right(id, 8)::bigint * ` + strconv.Itoa(times) + ` + copy) % ` + strconv.Itoa(CrowdUsers) + `)::text, 5, '0')`,
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		if values[i] = other[column]; values[i] == "" {
			values[i] = column
		}
	}
	execute(t, db, `INSERT INTO requests (`+strings.Join(columns, ", ")+`)
		SELECT `+strings.Join(values, ", ")+` FROM (SELECT * FROM requests ORDER BY id) old, generate_series(1, `+strconv.Itoa(times-1)+`) copy`)
	for _, table := range []string{"usage_days", "usage_groups"} {
		execute(t, db, `UPDATE `+table+` SET `+timesAll(table, times))
	}
}

func timesAll(table string, times int) string {
	columns := []string{"requests", "input", "cache_read", "cache_write", "output", "reasoning", "nano", "took", "unpriced", "markup"}
	if table == "usage_groups" {
		columns = append(columns, "failed")
	}
	for i, column := range columns {
		columns[i] = column + " = " + column + " * " + strconv.Itoa(times)
	}
	return strings.Join(columns, ", ")
}

// YearOfUsage repeats the ninety days of usage before themselves, so that there is more
// than a year of it, as much as is kept.
func YearOfUsage(t testing.TB, db *sql.DB) {
	t.Helper()
	for _, table := range []struct{ name, columns string }{
		{"usage_groups", "workspace, dim, environment, name, requests, failed, input, cache_read, cache_write, output, reasoning, nano, took, unpriced, markup"},
		{"usage_days", "workspace, key, environment, model, provider, target, status, requests, input, cache_read, cache_write, output, reasoning, nano, took, unpriced, markup"},
	} {
		execute(t, db, `INSERT INTO `+table.name+` (day, `+table.columns+`) SELECT day - quarter * CAST(7862400000 AS BIGINT), `+table.columns+` FROM `+table.name+`,
			(SELECT 1 AS quarter UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) quarters`)
	}
}

// AddCounters gives each end user of a crowd a counter of a limit for each of the last days,
// and one in twenty of them a threshold that was passed.
func AddCounters(t testing.TB, db *sql.DB, limit, workspace string, days int, now time.Time) {
	t.Helper()
	today := now.UTC().Truncate(24 * time.Hour).UnixMilli()
	execute(t, db, `WITH RECURSIVE users (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM users WHERE n < `+strconv.Itoa(CrowdUsers-1)+`),
		days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < `+strconv.Itoa(days-1)+`)
		INSERT INTO limit_counters (limit_id, subject, start_at, end_at, amount, settled)
		SELECT CAST($1 AS TEXT), 'user-' || substr('0000' || n, length(CAST(n AS TEXT)), 5),
			CAST($2 AS BIGINT) - d * CAST(86400000 AS BIGINT), CAST($2 AS BIGINT) - (d - 1) * CAST(86400000 AS BIGINT), 1000000000, (n * 7919 + d * 104729) % 1000000007
		FROM days, users`, limit, today)
	execute(t, db, `INSERT INTO limit_marks (counter, mark, at, workspace, used, amount, told)
		SELECT id, 80, end_at - 3600000, CAST($1 AS TEXT), settled, amount, 1 FROM limit_counters WHERE limit_id = $2 AND id % 20 = 0`, workspace, limit)
}

func execute(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%.80s: %v", statement, err)
	}
}
