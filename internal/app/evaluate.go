package app

import (
	"context"
	"errors"
	"runtime"
	"time"

	"stele/internal/fair"
	"stele/internal/fault"
	"stele/internal/formula"
	"stele/internal/generation"
)

const (
	// patience is how long a caller waits for its turn to evaluate or to check.
	patience = 5 * time.Second
	// shortPatience is the same for looks at runs: they come again by themselves, and
	// those of other workspaces wait behind them.
	shortPatience = 50 * time.Millisecond
)

// errBusy says that others evaluate. It is no failure: the work is done later.
var errBusy = errors.New("other expressions are evaluated first")

// Pool is where expressions are evaluated and apps are read: as many at once as
// there are processors, workspaces in turns, none of them in more than half of the
// places. A nil Pool has room for all. It is safe for concurrent use.
type Pool struct{ places *fair.Semaphore }

// NewPool makes a pool.
func NewPool() *Pool {
	size := max(2, int64(runtime.GOMAXPROCS(0)))
	return &Pool{fair.New(size, fair.Half(size))}
}

// do works in a place of the pool, or gives errBusy when there is none for so long.
// It must not be called by work, nor with a lock of several workspaces held.
func (p *Pool) do(ctx context.Context, workspace string, wait time.Duration, work func(*formula.Budget) error) error {
	if p != nil {
		if err := p.enter(ctx, workspace, wait); err != nil {
			return err
		}
		defer p.places.Release(workspace, 1)
	}
	return work(formula.NewBudget(ctx))
}

func (p *Pool) enter(ctx context.Context, workspace string, wait time.Duration) error {
	if p.places.TryAcquire(workspace, 1) {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	err := p.places.Acquire(bounded, workspace, 1)
	if err != nil && ctx.Err() == nil {
		return errBusy
	}
	return err
}

// doForPerson is do for a person who waits for an answer: who is not served soon is told
// to come back.
func (p *Pool) doForPerson(ctx context.Context, workspace string, work func(*formula.Budget) error) error {
	return toClient(p.do(ctx, workspace, patience, work))
}

// toClient is an error as people are told of it.
func toClient(err error) error {
	if errors.Is(err, errBusy) {
		return fault.New(fault.Unavailable, "Too many expressions are being evaluated just now: try again in a moment.").After(time.Second).Because(err)
	}
	return err
}

// evaluate runs expressions of a run: work is given what they speak of.
func (r *Runner) evaluate(ctx context.Context, run *run, work func(b *formula.Budget, env map[string]any) error) error {
	return r.Pool.do(ctx, run.task.Workspace, shortPatience, func(b *formula.Budget) error {
		env, err := run.env(ctx)
		if err != nil {
			return err
		}
		return work(b, env)
	})
}

// mostHeld is how many bytes the prompts and files of all calls on their way may have together,
// and the answers that looks at runs have in hands.
const mostHeld = 64 << 20

// hold takes bytes for what is kept in memory for a run, unless others have them.
func (r *Runner) hold(task *generation.Task, n int64) bool {
	return n <= 0 || r.held.TryAcquire(task.Workspace, min(n, r.held.Share()))
}

// letGo gives the bytes of hold back.
func (r *Runner) letGo(task *generation.Task, n int64) {
	if n > 0 {
		r.held.Release(task.Workspace, min(n, r.held.Share()))
	}
}

// keepEvaluationFailure keeps the code of an evaluation that failed, and what it says. Trying again
// gives the same.
func (d *Done) keepEvaluationFailure(err error) {
	d.State, d.Code, d.Message = Failed, "invalid_input", sentence(wordsOf(err))
}
