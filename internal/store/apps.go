package store

import (
	"context"
	"time"

	"stele/internal/app"
)

var _ app.Store = (*Store)(nil)

const stepColumns = `run, step, place, try, state, generation, outputs, said, nano, code, message, saved_at, began_at`

// Steps lists what is known of a run's steps, those of a step by their place.
func (s *Store) Steps(ctx context.Context, run string) ([]app.Done, error) {
	return selectAll(ctx, s.read, "read steps", func(d *app.Done) []any {
		return []any{
			&d.Run, &d.Step, &d.Place, &d.Try, &d.State, &d.Generation, tree(&d.Outputs), &d.Said, &d.Nano, &d.Code, &d.Message, at(&d.Saved), at(&d.Began),
		}
	}, `SELECT `+stepColumns+` FROM app_steps WHERE run = $1 ORDER BY step, place`, run)
}

// SaveStep saves how far a step is. What was done once is never changed: the one who
// comes later has lost.
func (s *Store) SaveStep(ctx context.Context, d *app.Done) error {
	return exec(ctx, s.write, "save step", `INSERT INTO app_steps (`+stepColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (run, step, place) DO UPDATE SET
			try = excluded.try, state = excluded.state, generation = excluded.generation, outputs = excluded.outputs, said = excluded.said,
			nano = excluded.nano, code = excluded.code, message = excluded.message, saved_at = excluded.saved_at, began_at = excluded.began_at
		WHERE app_steps.state NOT IN ('done', 'skipped') AND excluded.try >= app_steps.try`,
		d.Run, d.Step, d.Place, d.Try, string(d.State), d.Generation, encoded{d.Outputs}, clean(d.Said), d.Nano, d.Code, clean(d.Message), millis(d.Saved), millis(d.Began))
}

// DeleteStepsBefore forgets steps that were saved before a time, a bite at a time.
func (s *Store) DeleteStepsBefore(ctx context.Context, before time.Time) (int64, error) {
	return s.deleteBites(ctx, `DELETE FROM app_steps WHERE saved_at < $1 AND run IN
		(SELECT run FROM app_steps WHERE saved_at < $1 ORDER BY saved_at LIMIT 100)`, millis(before))
}
