package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"stele/internal/relay"
)

var _ relay.Rows = (*Store)(nil)

const turnColumns = `key, workspace, turn, at, bytes, sealed`

// turnTime is how long a batch of turns may take: its clients wait.
const turnTime = 5 * time.Second

const replaceTurn = ` ON CONFLICT (key) DO UPDATE SET
	turn = excluded.turn, at = excluded.at, bytes = excluded.bytes, sealed = excluded.sealed`

// KeepTurns saves rows of the vault. On PostgreSQL those of turns that come together are one statement.
func (s *Store) KeepTurns(ctx context.Context, rows []relay.Row) error {
	if s.engine == postgres {
		defer s.priority.serve()()
		return s.turns.join(rows, urgent)
	}
	return s.runOne(ctx, urgent, func(ctx context.Context, q querier) error {
		for i := range rows {
			if err := exec(ctx, q, "keep turn", `INSERT INTO vault_turns (`+turnColumns+`) VALUES ($1, $2, $3, $4, $5, $6)`+replaceTurn, turnArgs(&rows[i])...); err != nil {
				return err
			}
		}
		return nil
	})
}

func turnArgs(r *relay.Row) []any {
	return []any{r.Key, r.Workspace, r.Turn, millis(r.At), int64(len(r.Workspace) + 2*len(r.Key) + len(r.Sealed)), blob(r.Sealed)}
}

var (
	turnSample  = turnArgs(new(relay.Row))
	insertTurns = `INSERT INTO vault_turns (` + turnColumns + `) SELECT * FROM unnest(` + arrays(turnSample, 1) + `)` + replaceTurn
)

// insertTurns saves the rows of a batch. Of two with one key the later one counts. They
// are saved in the order of their keys, so that two servers do not wait for each other.
func (s *Store) insertTurns(batch []*item[[]relay.Row]) {
	var all []relay.Row
	for _, one := range slices.Backward(batch) {
		all = append(all, one.what...)
	}
	order := func(a, b relay.Row) int { return cmp.Compare(a.Key, b.Key) }
	slices.SortStableFunc(all, order)
	all = slices.CompactFunc(all, func(a, b relay.Row) bool { return order(a, b) == 0 })
	values := make([][]any, len(all))
	for i := range all {
		values[i] = turnArgs(&all[i])
	}
	ctx, cancel := context.WithTimeout(context.Background(), turnTime)
	defer cancel()
	_, err := s.pool.Exec(ctx, insertTurns, columnArrays(turnSample, values)...)
	for _, one := range batch {
		one.end(wrap("keep turn", err))
	}
}

const keptTurns = `WITH wanted AS MATERIALIZED (SELECT DISTINCT turn FROM vault_turns WHERE workspace = $1 AND key %s)
	SELECT key, at, sealed FROM
		(SELECT v.key, v.at, v.sealed, SUM(v.bytes) OVER (ORDER BY v.at DESC, v.key) AS upto FROM wanted
			JOIN vault_turns v ON v.workspace = $1 AND v.key = wanted.turn
			WHERE v.at >= $3 AND v.sealed <> $5) newest
	WHERE upto <= $4 ORDER BY at DESC, key`

// KeptTurns reads the rows that have what the turns of keys say: see relay.Rows. PostgreSQL plans
// it anew each time: with a plan that it made while the table was empty it would read all of it.
func (s *Store) KeptTurns(ctx context.Context, workspace string, keys []string, since time.Time, most int64) ([]relay.Row, error) {
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, fmt.Errorf("read turns: %w", err)
	}
	args := []any{workspace, string(list), millis(since), most, []byte{}}
	among := `IN (SELECT value FROM json_each($2))`
	if s.engine == postgres {
		args[1], among = keys, `= ANY($2)`
		args = append([]any{pgx.QueryExecModeCacheDescribe}, args...)
	}
	rows, err := selectAll(ctx, s.read, "read turns", func(r *relay.Row) []any { return []any{&r.Key, at(&r.At), &r.Sealed} },
		fmt.Sprintf(keptTurns, among), args...)
	for i := range rows {
		rows[i].Workspace, rows[i].Turn = workspace, rows[i].Key
	}
	return rows, err
}

// TrimTurns lets the oldest rows of a workspace go: see relay.Rows.
func (s *Store) TrimTurns(ctx context.Context, workspace string, most int64) error {
	return s.runOne(ctx, background, func(ctx context.Context, q querier) error {
		return exec(ctx, q, "trim turns", `DELETE FROM vault_turns WHERE workspace = $1 AND key IN (SELECT key FROM
			(SELECT key, SUM(bytes) OVER (ORDER BY at DESC, key) AS upto FROM vault_turns WHERE workspace = $1) newest WHERE upto > $2)`, workspace, most)
	})
}

// DeleteTurnsBefore forgets turns that were kept before a time, and returns how many rows that were.
func (s *Store) DeleteTurnsBefore(ctx context.Context, before time.Time) (int64, error) {
	return s.deleteBites(ctx, `DELETE FROM vault_turns WHERE key IN (SELECT key FROM vault_turns WHERE at < $1 LIMIT 500)`, millis(before))
}
