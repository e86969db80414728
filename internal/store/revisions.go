package store

import (
	"context"
	"database/sql"
)

// AllRevisions reads everything that tells of a change, by name: the counters, and where
// none is counted the thing itself. It is asked all the time, so it is one statement.
func (s *Store) AllRevisions(ctx context.Context) (map[string]string, error) {
	if s.engine == sqlite {
		ctx = context.WithoutCancel(ctx) // it waits for nothing, and one that can end costs two goroutines
	}
	return selectPairs[string, string](ctx, s.read, "read revisions", `SELECT name, CAST(n AS TEXT) FROM revisions
		UNION ALL SELECT name, value FROM settings WHERE name = 'keyring'
		UNION ALL SELECT 'thresholds', MAX(counter || '/' || mark) FROM limit_marks WHERE told = 0 HAVING COUNT(*) > 0
		UNION ALL SELECT 'targets', COUNT(*) || '/' || SUM(until_at + try_by + wait_at) FROM target_states HAVING COUNT(*) > 0`)
}

// News has something in it when a process may have changed keys; nil on SQLite,
// where no process tells. Listen fills it.
func (s *Store) News() <-chan struct{} { return s.keyNews }

// Revisions are those of the latest change of any key and of any person.
func (s *Store) Revisions(ctx context.Context) (keys, people int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT (SELECT n FROM revisions WHERE name = 'keys'), (SELECT n FROM revisions WHERE name = 'people')`).
		Scan(&keys, &people)
	return keys, people, wrap("read revisions", err)
}

// revision is that of the latest change of a kind of thing.
func (s *Store) revision(ctx context.Context, name string) (int64, error) {
	return selectValue[int64](ctx, s.read, "read revision of "+name, `SELECT n FROM revisions WHERE name = $1`, name)
}

// nextKeys counts a change of keys, or of what decides about them, and tells the
// other processes of it when it is committed.
func (s *Store) nextKeys(ctx context.Context, tx *sql.Tx) (int64, error) {
	revision, err := nextRevision(ctx, tx, "keys")
	if err != nil || s.engine != postgres {
		return revision, err
	}
	if err := exec(ctx, tx, "tell of keys", `SELECT pg_notify($1, '')`, keyChannel); err != nil {
		return 0, err
	}
	return revision, nil
}

// nextRevision counts a change of a kind of thing. Its row stays locked until
// the transaction ends, so revisions become visible in their order.
func nextRevision(ctx context.Context, tx *sql.Tx, name string) (int64, error) {
	return selectValue[int64](ctx, tx, "count revision", `UPDATE revisions SET n = n + 1 WHERE name = $1 RETURNING n`, name)
}
