package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/meter"
)

const (
	leaders     = 200  // names of a week that are noted, by each measure
	crowdedWeek = 2000 // sums of a week; fewer are read quickly
	mostLed     = 100  // groups that may be looked for among leaders
	leadersFrom = 28 * 24 * time.Hour

	week      = 7 * 24 * time.Hour
	allTokens = `input + cache_read + cache_write + output + reasoning`

	leadersUntil = "usage_leaders_until" // the setting that says up to which Monday weeks are looked through
)

// monday is the first midnight of a week.
func monday(t time.Time) time.Time {
	day := t.UTC().Truncate(24 * time.Hour)
	return day.AddDate(0, 0, -((int(day.Weekday()) + 6) % 7))
}

// NoteLeaders notes who used the most in the weeks that are over, for workspaces with very
// many end users, values of a tag, keys or models. What is noted says only whom to add up: a week that
// changes later has the same leaders, and the figures of its days. It returns of how many
// weeks it noted any.
func (s *Store) NoteLeaders(ctx context.Context, now time.Time) (int64, error) {
	until := monday(now.Add(-24 * time.Hour)) // a day for what is late
	from, err := s.Setting(ctx, leadersUntil)
	if err != nil && !errors.Is(err, access.ErrNotFound) {
		return 0, err
	}
	since, _ := strconv.ParseInt(from, 10, 64) // "" is the beginning
	if since >= millis(until) {
		return 0, nil
	}
	list, err := s.crowdedWeeks(ctx, since, millis(until))
	if err != nil {
		return 0, err
	}
	for i, w := range list {
		if err := s.noteWeek(ctx, w); err != nil {
			return int64(i), err
		}
	}
	return int64(len(list)), s.Set(ctx, leadersUntil, strconv.FormatInt(millis(until), 10))
}

// crowd is a week of a workspace that tells very many apart.
type crowd struct {
	workspace, dim string
	week           int64
}

// crowdedWeeks lists such weeks. The calendar's first day was a Thursday.
func (s *Store) crowdedWeeks(ctx context.Context, from, until int64) ([]crowd, error) {
	monday, length := strconv.FormatInt(millis(time.Date(1970, 1, 5, 0, 0, 0, 0, time.UTC)), 10), strconv.FormatInt(week.Milliseconds(), 10)
	return selectAll(ctx, s.read, "look for crowded weeks", func(c *crowd) []any { return []any{&c.workspace, &c.dim, &c.week} },
		`SELECT workspace, dim, (day - `+monday+`) / `+length+` * `+length+` + `+monday+` FROM usage_groups
		WHERE day >= $1 AND day < $2
		GROUP BY 1, 2, 3 HAVING COUNT(*) > `+strconv.Itoa(crowdedWeek)+` ORDER BY 1, 2, 3`, from, until)
}

// noteWeek notes the leaders of a week, once.
func (s *Store) noteWeek(ctx context.Context, c crowd) error {
	const of = ` FROM usage_groups WHERE workspace = $1 AND dim = $2 AND day >= $3 AND day < $4`
	var most []string
	for _, measure := range []string{`requests`, allTokens, `nano`} {
		most = append(most, `SELECT name FROM (SELECT name`+of+` GROUP BY name ORDER BY SUM(`+measure+`) DESC, name LIMIT `+strconv.Itoa(leaders)+`) by_measure`)
	}
	return exec(ctx, s.write, "note leaders", `INSERT INTO usage_leaders (workspace, dim, week, environment, name, requests, tokens, nano)
		SELECT workspace, dim, CAST($3 AS BIGINT), environment, name, SUM(requests), SUM(`+allTokens+`), SUM(nano)`+of+`
		AND name IN (`+strings.Join(most, ` UNION `)+`) GROUP BY workspace, dim, environment, name
		ON CONFLICT (workspace, dim, week, environment, name) DO NOTHING`,
		c.workspace, c.dim, c.week, c.week+week.Milliseconds())
}

// findLeaders lists the names that used the most of a measure, among the leaders of the weeks
// that have them and all names of the other days. It is nil where no week has any.
func (s *Store) findLeaders(ctx context.Context, of meter.Slice, by meter.Split, most meter.Measure, limit int) (names []string, err error) {
	err = s.asOfNow(ctx, func(tx *sql.Tx) error {
		weeks, err := notedWeeks(ctx, tx, of, by)
		if err != nil || len(weeks) == 0 {
			return err
		}
		query, args := readLeaders(of, by, weeks)
		rank := cmp.Or(map[meter.Measure]string{meter.Tokens: `tokens`, meter.Cost: `nano`}[most], `requests`)
		names, err = texts(ctx, tx, `SELECT name FROM (`+query+`) led GROUP BY name ORDER BY SUM(`+rank+`) DESC, SUM(requests) DESC, name LIMIT `+strconv.Itoa(limit), s.planFor(args)...)
		return err
	})
	return names, err
}

// notedWeeks are the Mondays of the whole weeks of a slice whose leaders are noted.
func notedWeeks(ctx context.Context, tx *sql.Tx, of meter.Slice, by meter.Split) ([]int64, error) {
	first, last := monday(of.From.Add(week-1)), monday(of.Until).Add(-week)
	return selectAll(ctx, tx, "list weeks", value[int64], `WITH RECURSIVE weeks (week) AS (
			SELECT MIN(week) FROM usage_leaders WHERE workspace = $1 AND dim = $2 AND week >= $3
			UNION ALL
			SELECT (SELECT MIN(week) FROM usage_leaders WHERE workspace = $1 AND dim = $2 AND week > weeks.week) FROM weeks WHERE weeks.week IS NOT NULL
		) SELECT week FROM weeks WHERE week <= $4`, of.Workspace, string(by), millis(first), millis(last))
}

// readLeaders reads the leaders of weeks, and all names in the days between them.
func readLeaders(of meter.Slice, by meter.Split, weeks []int64) (query string, args []any) {
	var c where
	c.add("workspace = ?", of.Workspace)
	c.add("dim = ?", string(by))
	c.is("environment", of.Environment)
	var list []string
	next := millis(of.From)
	days := func(until int64) {
		if next < until {
			list = append(list, fmt.Sprintf(`SELECT name, requests, %s AS tokens, nano FROM usage_groups WHERE %s AND day >= %d AND day < %d`, allTokens, c.text(), next, until))
		}
	}
	mondays := make([]string, len(weeks))
	for i, at := range weeks {
		days(at)
		next, mondays[i] = at+week.Milliseconds(), strconv.FormatInt(at, 10)
	}
	days(millis(of.Until))
	list = append(list, `SELECT name, requests, tokens, nano FROM usage_leaders WHERE `+c.text()+` AND week IN (`+strings.Join(mondays, `, `)+`)`)
	return strings.Join(list, ` UNION ALL `), c.args
}
