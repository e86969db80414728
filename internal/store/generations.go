package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/meter"
	"stele/internal/replay"
)

var _ generation.Store = (*Store)(nil)

// What was ordered never changes; how far it is does.
const (
	orderColumns = `id, workspace, key, environment, sandbox, app, model, media_type, mode, ordered, webhook, created_at, parent, cancel_at`
	stateColumns = `provider, state, stage, ticket, progress, tries, collects, owner, outputs, code, message, nano, credits,
		updated_at, asked_at, not_before, deadline, ended_at, version, stopping, steps, deaths, holds, unsettled, position`
	taskColumns = orderColumns + `, ` + stateColumns
)

// Queue is where the jobs of tasks go.
type Queue struct {
	Enqueue func(ctx context.Context, tx *sql.Tx, jobs []generation.Job) error // in the task's transaction
	// InsertJobsSQL is a statement that writes the jobs of those tasks that are in the
	// table called task, from the given place on. It is for PostgreSQL and may be nil.
	InsertJobsSQL func(place int, ids []string, jobs []generation.Job) (statement string, args []any, err error)
	Wake          func(jobs []generation.Job) // when that is saved
}

// SetQueue says where jobs go. It must be called before any task is saved.
func (s *Store) SetQueue(q Queue) { s.queue = q }

// InsertTask saves a new task and all that belongs to it, or gives
// access.ErrExists for an id that is taken, replay.ErrUsed for a claim that cannot be
// made, and access.ErrNotFound for a file of the order that is not there, or not for long.
func (s *Store) InsertTask(ctx context.Context, t *generation.Task) error {
	row, err := taskArgs(t)
	if err != nil {
		return err
	}
	if s.simple(t) {
		err = s.insertSimple(ctx, t, row)
	} else {
		var refused error
		err = s.save(ctx, urgent, func(ctx context.Context, tx *sql.Tx) error {
			err := s.insertTask(ctx, tx, t, row)
			_, short := errors.AsType[*limit.Short](err)
			if refused = nil; short || errors.Is(err, replay.ErrUsed) || errors.Is(err, access.ErrExists) && t.Claim() == nil {
				refused, err = err, nil // nothing was written: others of the batch need not begin again
			}
			return err
		})
		err = cmp.Or(err, refused)
	}
	if err == nil {
		s.tellSaved(t.Records())
		s.wake(t)
	}
	return err
}

func (s *Store) insertTask(ctx context.Context, tx *sql.Tx, t *generation.Task, row []any) error {
	if err := s.checkHolds(ctx, tx, t); err != nil {
		return s.whyUnsaved(ctx, tx, t, err)
	}
	if c := t.Claim(); c != nil {
		err := execOr(ctx, tx, replay.ErrUsed, "insert claim", `INSERT INTO claims (`+claimColumns+`) VALUES `+placeholders(1, len(claimSample), true)+` ON CONFLICT DO NOTHING`, claimArgs(c)...)
		if err != nil {
			return err
		}
	}
	err := execOr(ctx, tx, access.ErrExists, "insert generation", `INSERT INTO generations (`+taskColumns+`) VALUES `+placeholders(1, len(row), true)+` ON CONFLICT DO NOTHING`, row...)
	if err != nil {
		return err
	}
	if err := s.hold(ctx, tx, t); err != nil {
		return err
	}
	if err := s.useFiles(ctx, tx, t); err != nil {
		return err
	}
	return s.saveConsequences(ctx, tx, t)
}

// whyUnsaved is why a task that finds too little of a limit is not saved: an order that was
// made before is told so, whatever is left.
func (s *Store) whyUnsaved(ctx context.Context, tx *sql.Tx, t *generation.Task, short error) error {
	var n int
	if c := t.Claim(); c != nil {
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM claims WHERE workspace = $1 AND route = $2 AND key = $3`, c.Workspace, c.Route, c.Key).Scan(&n)
		if err != nil || n > 0 {
			return cmp.Or(err, replay.ErrUsed)
		}
	}
	err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM generations WHERE id = $1`, t.ID).Scan(&n)
	if err == nil && n > 0 && t.Claim() == nil {
		err = access.ErrExists
	}
	return cmp.Or(err, short)
}

// Task finds a task of a workspace, or of any where that is "".
func (s *Store) Task(ctx context.Context, workspace, id string) (*generation.Task, error) {
	if s.engine == postgres && workspace == "" { // no client waits for it
		done, err := s.priority.wait(ctx, workspace)
		if err != nil {
			return nil, fmt.Errorf("read generation: %w", err)
		}
		defer done()
	}
	return selectTask(ctx, s.read, workspace, id, "")
}

// TaskVersion is the version of a task of a workspace.
func (s *Store) TaskVersion(ctx context.Context, workspace, id string) (int64, error) {
	return selectOne(ctx, s.read, value[int64], `SELECT version FROM generations WHERE id = $1 AND workspace = $2`, id, workspace)
}

// UpdateTask changes a task of a workspace, or of any where that is "", under its lock and saves how far it is now with all
// that follows. change must not ask the store for anything, and may be called twice.
func (s *Store) UpdateTask(ctx context.Context, workspace, id string, change func(*generation.Task) error) (*generation.Task, error) {
	return s.updateTask(ctx, priority{workspace: workspace}, workspace, id, change)
}

// UpdateSentTask is UpdateTask for what a task's maker has answered. It does not wait for orders: until it is saved
// that the work was taken on, only this process knows.
func (s *Store) UpdateSentTask(ctx context.Context, workspace, id string, change func(*generation.Task) error) (*generation.Task, error) {
	return s.updateTask(ctx, priority{word: true, workspace: workspace}, workspace, id, change)
}

func (s *Store) updateTask(ctx context.Context, p priority, workspace, id string, change func(*generation.Task) error) (*generation.Task, error) {
	var t *generation.Task
	var refused error
	err := s.save(ctx, p, func(ctx context.Context, tx *sql.Tx) error {
		var err error
		if t, err = selectTask(ctx, tx, workspace, id, s.forUpdate()); err != nil {
			return err
		}
		before := t.Stage
		if refused = change(t); refused != nil {
			return nil //nolint:nilerr // nothing was written; refused is returned below
		}
		t.Version++
		state, err := stateArgs(t)
		if err != nil {
			return err
		}
		err = exec(ctx, tx, "update generation", `UPDATE generations SET (`+stateColumns+`) =
			($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) WHERE id = $1`, append([]any{id}, state...)...)
		if err != nil {
			return err
		}
		if before != generation.Ended && t.Stage == generation.Ended && len(t.Order.Sources) > 0 {
			if err := exec(ctx, tx, "release files", `DELETE FROM file_uses WHERE generation = $1`, id); err != nil {
				return err
			}
		}
		return s.saveConsequences(ctx, tx, t)
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	s.tellSaved(t.Records())
	s.wake(t)
	s.notifyChanged(id)
	return t, nil
}

// CountUnfinished counts the tasks of a key that have not ended, up to most. The parts of
// others do not count: their whole does.
func (s *Store) CountUnfinished(ctx context.Context, key string, most int) (int, error) {
	return selectValue[int](ctx, s.read, "count generations",
		`SELECT COUNT(*) FROM (SELECT 1 FROM generations WHERE key = $1 AND stage <> 'ended' AND parent = '' LIMIT $2) AS unfinished`, key, most)
}

// Tasks lists the tasks of a workspace, or of all where it is "", newest first.
func (s *Store) Tasks(ctx context.Context, workspace string, limit int) ([]generation.Task, error) {
	return selectTasks(ctx, s.read, ` WHERE `+inWorkspace(workspace)+` ORDER BY created_at DESC, id DESC LIMIT $2`, workspace, limit)
}

// DeleteTasksBefore forgets settled tasks that ended before a time, a bite at a time.
func (s *Store) DeleteTasksBefore(ctx context.Context, before time.Time) (int64, error) {
	return s.deleteBites(ctx, `DELETE FROM generations WHERE id IN
		(SELECT id FROM generations WHERE stage = 'ended' AND unsettled = 0 AND ended_at < $1 LIMIT 500)`, millis(before))
}

// saveConsequences saves what a task brings with it: its next job, or its first, messages, what was used.
func (s *Store) saveConsequences(ctx context.Context, tx *sql.Tx, t *generation.Task) error {
	for _, d := range t.Deliveries() {
		if err := insertDelivery(ctx, tx, &d); err != nil {
			return err
		}
	}
	if len(t.Records()) > 0 {
		for _, r := range t.Records() {
			tidy(r)
		}
		fresh, err := newRecords(ctx, tx, t.Records())
		if err != nil {
			return err
		}
		t.SetRecords(fresh)
		if err := s.insertRecords(ctx, tx, "", fresh); err != nil {
			return err
		}
	}
	if released := t.ReleasedCharges(); len(released) > 0 {
		if err := s.settleCharges(ctx, tx, "", []*meter.Record{{Released: limit.ChargesText(released)}}); err != nil {
			return err
		}
	}
	if err := s.insertAudit(ctx, tx, t.Entries()...); err != nil {
		return err
	}
	if a := t.Aside(); a != nil {
		if err := insertAside(ctx, tx, a); err != nil {
			return err
		}
	}
	if err := s.publishAll(ctx, tx, t); err != nil {
		return err
	}
	if len(t.Jobs()) == 0 {
		return nil
	}
	return s.queue.Enqueue(ctx, tx, t.Jobs())
}

func (s *Store) wake(t *generation.Task) {
	if jobs := slices.Concat(t.Jobs(), t.Messages()); len(jobs) > 0 {
		s.queue.Wake(jobs)
	}
}

// taskArgs are the values of taskColumns.
func taskArgs(t *generation.Task) ([]any, error) {
	order, err := encode(t.Order)
	if err != nil {
		return nil, fmt.Errorf("write order: %w", err)
	}
	state, err := stateArgs(t)
	return append([]any{
		t.ID, t.Workspace, t.Key, t.Environment, flag(t.Sandbox), t.App, t.Model, t.MediaType, t.Mode, order, t.Webhook, millis(t.Created),
		t.Parent, millis(t.CancelAt),
	}, state...), err
}

func stateArgs(t *generation.Task) ([]any, error) {
	outputs, err := encode(t.Outputs)
	steps, err2 := encode(t.Steps)
	holds, err3 := encode(t.Holds)
	return []any{
		t.Provider, string(t.State), string(t.Stage), blob(t.Ticket), t.Progress, t.Tries, t.Collects, t.Owner, outputs, t.Code, clean(t.Message), t.Nano,
		t.Credits, millis(t.Updated), millis(t.Asked), millis(t.NotBefore), millis(t.Deadline), millis(t.Ended), t.Version, flag(t.Stopping),
		steps, t.Deaths, holds, flag(t.Unsettled), t.Position,
	}, wrap("write generation", cmp.Or(err, err2, err3))
}

func taskCells(t *generation.Task) []any {
	return []any{
		&t.ID, &t.Workspace, &t.Key, &t.Environment, &t.Sandbox, &t.App, &t.Model, &t.MediaType, &t.Mode, tree(&t.Order), &t.Webhook, at(&t.Created), &t.Parent,
		at(&t.CancelAt), &t.Provider, &t.State, &t.Stage, bytesIfAny(&t.Ticket), &t.Progress, &t.Tries, &t.Collects, &t.Owner, tree(&t.Outputs), &t.Code, &t.Message,
		&t.Nano, &t.Credits, at(&t.Updated), at(&t.Asked), at(&t.NotBefore), at(&t.Deadline), at(&t.Ended), &t.Version, &t.Stopping, treeIfAny(&t.Steps), &t.Deaths,
		treeIfAny(&t.Holds), &t.Unsettled, &t.Position,
	}
}

func selectTasks(ctx context.Context, from querier, where string, args ...any) ([]generation.Task, error) {
	return selectAll(ctx, from, "read generations", taskCells, `SELECT `+taskColumns+` FROM generations`+where, args...)
}

// selectTask finds a task of a workspace, or of any where that is "".
func selectTask(ctx context.Context, from querier, workspace, id, lock string) (*generation.Task, error) {
	t, err := selectOne(ctx, from, taskCells, `SELECT `+taskColumns+` FROM generations WHERE id = $1 AND ($2 = '' OR workspace = $2)`+lock, id, workspace)
	if err != nil {
		return nil, err
	}
	return &t, nil
}
