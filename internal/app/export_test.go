package app

import (
	"context"

	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/media"
)

// oneTask is a store of one task.
type oneTask struct{ task *generation.Task }

func (o oneTask) Task(context.Context, string, string) (*generation.Task, error) { return o.task, nil }

// Look looks at a task as if it were stored so.
func (r *Runner) Look(ctx context.Context, task *generation.Task) (media.Status, error) {
	o := r.Options
	o.Tasks = oneTask{task}
	return NewRunner(o).look(ctx, task.ID)
}

// Enter works in a place of the pool, as people wait for one.
func (p *Pool) Enter(ctx context.Context, workspace string, work func()) error {
	return p.doForPerson(ctx, workspace, func(*formula.Budget) error {
		work()
		return nil
	})
}

// Places is how many places a pool has, and how many of them for one workspace.
func (p *Pool) Places() (all, share int) {
	share = int(p.places.Share())
	return max(2, 2*share), share
}

// LeftOut are the apps that could not be read.
func (e *Editor) LeftOut() []string { return e.takeLeftOut() }
