package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
)

const (
	insertWidth = 2 // statements at the same time
	insertTime  = 30 * time.Second
)

// insertion is a task that has nothing but one job, on its way into PostgreSQL.
type insertion struct {
	ctx  context.Context //nolint:containedctx // the caller's, who is waiting
	id   string
	args []any
	job  generation.Job
}

// simple reports whether a task can be saved in one statement with others.
func (s *Store) simple(t *generation.Task) bool {
	return s.engine == postgres && s.queue.Beside != nil && len(t.Order.Sources) == 0 && len(t.Jobs()) == 1 &&
		len(t.Deliveries()) == 0 && len(t.Records()) == 0 && len(t.Entries()) == 0
}

// insertSimple saves a task and its job.
func (s *Store) insertSimple(ctx context.Context, t *generation.Task, args []any) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("insert generation: %w", err)
	}
	defer s.courtesy.serve()()
	err := s.insertions.join(&insertion{context.WithoutCancel(ctx), t.ID, args, t.Jobs()[0]}, true)
	if err == nil {
		s.wake(t)
	}
	return err
}

// insertGroup saves all of a group, or each for itself when that fails.
func (s *Store) insertGroup(group []*gathered[*insertion]) {
	if s.insertAll(group) == nil {
		return
	}
	for i := range group {
		if err := s.insertAll(group[i : i+1]); err != nil {
			group[i].end(err)
		}
	}
}

// insertAll saves tasks and their jobs in one statement, which is a transaction. It
// ends those that it has saved, and those whose id is taken.
func (s *Store) insertAll(group []*gathered[*insertion]) error {
	ctx, cancel := context.WithTimeout(group[0].what.ctx, insertTime)
	defer cancel()
	var args []any
	jobs := make([]generation.Job, len(group))
	ids := make([]string, len(group))
	for i, g := range group {
		args, jobs[i], ids[i] = append(args, g.what.args...), g.what.job, g.what.id
	}
	job, more, err := s.queue.Beside(len(args)+1, ids, jobs)
	if err != nil {
		return err
	}
	saved, err := s.texts(ctx, `WITH task AS (INSERT INTO generations (`+taskColumns+`) VALUES `+places(len(group), len(args)/len(group), true)+
		` ON CONFLICT (id) DO NOTHING RETURNING id), job AS (`+job+`) SELECT id FROM task`, append(args, more...)...)
	if err != nil {
		return fmt.Errorf("insert generation: %w", err)
	}
	for _, g := range group {
		if i := slices.Index(saved, g.what.id); i >= 0 {
			saved = slices.Delete(saved, i, i+1) // of two with one id the first is saved
			g.end(nil)
		} else {
			g.end(access.ErrExists)
		}
	}
	return nil
}
