package store

import (
	"context"
	"database/sql"
	"time"

	"stele/internal/route"
)

// SaveStates tells the other servers how targets are. Those that are well again are taken out.
func (s *Store) SaveStates(ctx context.Context, list []route.State) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for i := range list {
			if err := saveState(ctx, tx, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func saveState(ctx context.Context, tx *sql.Tx, t *route.State) error {
	if t.Well() {
		return exec(ctx, tx, "save the state of a target", `DELETE FROM target_states WHERE provider = $1 AND model = $2 AND caller = $3`, t.Provider, t.Model, t.Caller)
	}
	return exec(ctx, tx, "save the state of a target", `INSERT INTO target_states (provider, model, caller, node, opened_at, until_at, trier, try_by, wait_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (provider, model, caller) DO UPDATE SET node = excluded.node, opened_at = excluded.opened_at, until_at = excluded.until_at,
			trier = excluded.trier, try_by = excluded.try_by, wait_at = excluded.wait_at, expires_at = excluded.expires_at`,
		t.Provider, t.Model, t.Caller, t.Node, millis(t.Opened), millis(t.Until), t.Trier, millis(t.TryBy), millis(t.Wait), millis(t.Expires()))
}

// ClaimTrial makes a server the one that tries a target, unless another one does, or it
// was opened anew.
func (s *Store) ClaimTrial(ctx context.Context, t route.State, now time.Time) error {
	return exec(ctx, s.write, "claim a trial", `UPDATE target_states SET trier = $4, try_by = $5
		WHERE provider = $1 AND model = $2 AND caller = $3 AND opened_at = $6 AND until_at <= $7 AND (trier = '' OR try_by <= $7)`,
		t.Provider, t.Model, t.Caller, t.Trier, millis(t.TryBy), millis(t.Opened), millis(now))
}

// States are how the targets are that are not well.
func (s *Store) States(ctx context.Context) ([]route.State, error) {
	return selectAll(ctx, s.read, "read the states of targets", func(t *route.State) []any {
		return []any{&t.Provider, &t.Model, &t.Caller, &t.Node, at(&t.Opened), at(&t.Until), &t.Trier, at(&t.TryBy), at(&t.Wait)}
	}, `SELECT provider, model, caller, node, opened_at, until_at, trier, try_by, wait_at FROM target_states`)
}

// DropStates takes out what is not worth knowing any more.
func (s *Store) DropStates(ctx context.Context, now time.Time) error {
	return exec(ctx, s.write, "forget the states of targets", `DELETE FROM target_states WHERE expires_at <= $1`, millis(now))
}
