package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/meter"
)

// How many models that are not there are kept of a workspace: clients may make up as many
// as there are requests.
const (
	mostMissing = 200 // at any time
	keptMissing = 100 // after a clean-up, the latest
)

type missingKey struct{ workspace, name string }

// addMissing notes which of the records asked for a model that is not there. It takes
// rows in an order that all processes have, as addDays does.
func addMissing(ctx context.Context, tx *sql.Tx, records []*meter.Record) error {
	found := make(map[missingKey]*meter.Missing)
	for _, r := range records {
		if r.Code != string(fault.ModelNotFound) || r.Provider != "" || r.Model == "" {
			continue
		}
		key := missingKey{r.Workspace, r.Model}
		m := found[key]
		if m == nil {
			m = &meter.Missing{Name: r.Model, First: r.At, Last: r.At}
			found[key] = m
		}
		m.Requests++
		if r.At.Before(m.First) {
			m.First = r.At
		}
		if r.At.After(m.Last) {
			m.Last = r.At
		}
	}
	order := slices.SortedFunc(maps.Keys(found), func(a, b missingKey) int {
		return cmp.Or(strings.Compare(a.workspace, b.workspace), strings.Compare(a.name, b.name))
	})
	for _, key := range order {
		if err := putMissing(ctx, tx, key.workspace, found[key]); err != nil {
			return fmt.Errorf("note a model that is missing: %w", err)
		}
	}
	return nil
}

func putMissing(ctx context.Context, tx *sql.Tx, workspace string, m *meter.Missing) error {
	n, err := affect(ctx, tx, "count a request", `UPDATE missing_models SET requests = requests + $3, last_at = CASE WHEN last_at < $4 THEN $4 ELSE last_at END
		WHERE workspace = $1 AND name = $2`, workspace, m.Name, m.Requests, millis(m.Last))
	if err != nil || n > 0 {
		return err
	}
	return exec(ctx, tx, "add", `INSERT INTO missing_models (workspace, name, requests, first_at, last_at)
		SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT)
		WHERE (SELECT COUNT(*) FROM missing_models WHERE workspace = $1) < $6
		ON CONFLICT (workspace, name) DO UPDATE SET requests = missing_models.requests + excluded.requests`,
		workspace, m.Name, m.Requests, millis(m.First), millis(m.Last), mostMissing)
}

// MissingModels lists the models that the clients of a workspace asked for and did not
// get, those asked for last first.
func (s *Store) MissingModels(ctx context.Context, workspace string) ([]meter.Missing, error) {
	return selectAll(ctx, s.read, "read missing models", func(m *meter.Missing) []any { return []any{&m.Name, &m.Requests, at(&m.First), at(&m.Last)} },
		`SELECT name, requests, first_at, last_at FROM missing_models WHERE workspace = $1 ORDER BY last_at DESC, name`, workspace)
}

// ForgetMissing takes a model from the list of those that are missing.
func (s *Store) ForgetMissing(ctx context.Context, workspace, name string) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, "forget a missing model", `DELETE FROM missing_models WHERE workspace = $1 AND name = $2`, workspace, name)
	})
}

// DeleteMissingBefore forgets models that were last asked for before a time, and of each
// workspace all but the latest, and returns how many.
func (s *Store) DeleteMissingBefore(ctx context.Context, before time.Time) (n int64, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		n, err = affect(ctx, tx, "delete old missing models", `DELETE FROM missing_models WHERE last_at < $1 OR (workspace, name) IN (
			SELECT workspace, name FROM (
				SELECT workspace, name, ROW_NUMBER() OVER (PARTITION BY workspace ORDER BY last_at DESC, name) AS place FROM missing_models
			) ranked WHERE place > $2)`, millis(before), keptMissing)
		return err
	})
	return n, err
}
