package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fair"
	"stele/internal/file"
	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/manifest"
	"stele/internal/media"
)

// State is how far a step, or one item of it, is.
type State string

// The states. All but the first are ends; a failure may still be tried again.
const (
	Started  State = "started"
	Finished State = "done"
	Failed   State = "failed"
	Skipped  State = "skipped"
)

// Done is what is known of a step of a run, or of one item of it: a checkpoint.
type Done struct {
	Run        string
	Step       string
	Place      int
	Try        int // how often it had failed before
	State      State
	Generation string            // that makes or made it
	Outputs    []generation.Made // of a generation or a file
	Said       string            // by a chat model
	Nano       int64             // what it cost
	Code       string            // of a failure
	Message    string
	Began      time.Time
	Saved      time.Time
}

// Store keeps checkpoints.
type Store interface {
	// Steps lists the checkpoints of a run, those of a step by their place.
	Steps(ctx context.Context, run string) ([]Done, error)
	// SaveStep saves a checkpoint. What was finished or skipped is not changed again.
	SaveStep(ctx context.Context, d *Done) error
}

// Talker serves chat turns.
type Talker interface {
	Do(ctx context.Context, who access.Principal, req *chat.Request) (*chat.Reply, error)
}

// Tasks finds tasks.
type Tasks interface {
	Task(ctx context.Context, workspace, id string) (*generation.Task, error)
}

// Options are what runs stand on.
type Options struct {
	Library     *Library
	Catalog     *catalog.Catalog
	Generations *generation.Service
	Tasks       Tasks
	Store       Store
	Files       *file.Service
	Chat        Talker
	Pool        *Pool                               // nil: one of its own
	Rights      func(workspace string) access.Scope // what its policy leaves open to runs; nil: all
	Log         *slog.Logger
	Now         func() time.Time
}

// Runner starts runs and takes them from step to step. It is the maker of their
// tasks. It is safe for concurrent use.
type Runner struct {
	Options

	ctx    context.Context //nolint:containedctx // that of calls that outlive a poll
	cancel context.CancelFunc
	calls  sync.WaitGroup
	held   *fair.Semaphore // bytes of prompts and answers in memory

	mu      sync.Mutex // guards all below
	busy    map[string]*sync.Mutex
	resting bool
	jobs    map[attempt]context.CancelFunc // of calls on their way: each keeps its own checkpoint when it is done
	recipes map[string]*Recipe             // by their source
	texts   int                            // bytes of those sources
}

var (
	_ generation.Maker    = (*Runner)(nil)
	_ generation.Repeater = (*Runner)(nil)
	_ generation.Biller   = (*Runner)(nil)
)

// NewRunner makes a runner.
func NewRunner(o Options) *Runner {
	r := &Runner{Options: o, busy: make(map[string]*sync.Mutex), jobs: make(map[attempt]context.CancelFunc), recipes: make(map[string]*Recipe)}
	if r.Pool == nil {
		r.Pool = NewPool()
	}
	r.held = fair.New(mostHeld, fair.Half(mostHeld))
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Rest begins no more calls: those of runs that go on are for another process.
func (r *Runner) Rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resting = true
}

// HasOwed reports whether calls are on their way, or what they brought is not kept yet.
func (r *Runner) HasOwed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.jobs) > 0
}

// Close stops calls that are on their way. What they would have brought is asked
// for again by the worker that goes on.
func (r *Runner) Close() {
	r.cancel()
	r.calls.Wait()
}

// Repeats reports that a run may be begun again: what is done of it is not done twice.
func (*Runner) Repeats() bool { return true }

// ticket is how a run is found again.
type ticket struct {
	Run string `json:"run"`
}

// lookAgain is how long until a run is looked at again, lookLater the same where
// others were evaluated first.
const (
	lookAgain = 250 * time.Millisecond
	lookLater = time.Second
)

// Submit begins a run, or goes on with it.
func (r *Runner) Submit(ctx context.Context, req media.Request) (media.Status, error) {
	status, err := r.look(ctx, req.Key)
	if err != nil {
		return status, err
	}
	if status.State == media.Success || status.State == media.Failed { // told by the first poll, which settles the price
		status = media.Status{State: media.Processing, Wait: time.Millisecond}
	}
	status.Ticket, err = json.Marshal(ticket{req.Key})
	return status, err
}

// Poll takes a run as far as it goes now.
func (r *Runner) Poll(ctx context.Context, t media.Ticket) (media.Status, error) {
	id, err := runOf(t)
	if err != nil {
		return media.Status{}, err
	}
	return r.look(ctx, id)
}

// Cancel stops what a run has on its way.
func (r *Runner) Cancel(ctx context.Context, t media.Ticket) error {
	id, err := runOf(t)
	if err != nil {
		return err
	}
	defer r.lockRun(id)()
	task, err := r.Tasks.Task(ctx, "", id)
	if err != nil {
		return err
	}
	steps, err := r.Store.Steps(ctx, id)
	if err != nil {
		return err
	}
	return r.stop(ctx, task, steps)
}

// stop stops what is on its way. What is done stays.
func (r *Runner) stop(ctx context.Context, task *generation.Task, steps []Done) error {
	r.mu.Lock()
	for at, cancel := range r.jobs {
		if at.run == task.ID {
			cancel()
		}
	}
	r.mu.Unlock()
	var problems []error
	for _, d := range steps {
		if d.State == Started && d.Generation != "" {
			_, err := r.Generations.Cancel(ctx, task.Workspace, d.Generation)
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

func runOf(t media.Ticket) (string, error) {
	var found ticket
	if err := json.Unmarshal(t, &found); err != nil {
		return "", &media.Failure{Class: media.Gone, Message: "The run is not known any more.", Err: err}
	}
	return found.Run, nil
}

// lockRun keeps others off a run until the function it returns is called.
func (r *Runner) lockRun(id string) (leave func()) {
	r.mu.Lock()
	if r.busy[id] == nil {
		r.busy[id] = new(sync.Mutex)
	}
	m := r.busy[id]
	r.mu.Unlock()
	m.Lock()
	return m.Unlock
}

// Forget forgets what is held of a run that has ended.
func (r *Runner) Forget(t media.Ticket) {
	if id, err := runOf(t); err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.busy, id)
	}
}

// mostRecipes is how many recipes are held ready, mostTexts how many bytes their
// texts have together.
const (
	mostRecipes = 200
	mostTexts   = 1 << 20
)

// recipe is the app as it was when the run was ordered. It is read outside of the
// lock: others go on meanwhile.
func (r *Runner) recipe(ctx context.Context, task *generation.Task, wait time.Duration) (*Recipe, error) {
	source := task.Order.Recipe
	r.mu.Lock()
	known := r.recipes[source]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	var read Recipe
	err := r.Pool.do(ctx, task.Workspace, wait, func(*formula.Budget) (err error) {
		read, err = Read("app", []byte(source))
		return err
	})
	if _, wrong := errors.AsType[manifest.Problems](err); wrong {
		return nil, &media.Failure{Class: media.BadInput, Message: "This version of Stele does not understand the app any more.", Err: err}
	} else if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.recipes) >= mostRecipes || r.texts+len(source) > mostTexts {
		clear(r.recipes)
		r.texts = 0
	}
	if r.recipes[source] == nil {
		r.recipes[source] = &read
		r.texts += len(source)
	}
	return &read, nil
}
