package generation

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/file"
	"stele/internal/inflight"
	"stele/internal/limit"
	"stele/internal/media"
	"stele/internal/share"
	"stele/internal/trace"
)

// Maker is a media provider. It must be safe for concurrent use.
type Maker interface {
	// Submit asks for work, once. It answers within a minute: work that takes longer
	// comes back with a ticket. An error that is a *media.Failure says whether
	// anything was started.
	Submit(ctx context.Context, req media.Request) (media.Status, error)
	// Poll looks at accepted work, from any process at any time. After success it
	// gives the outputs as often as it is asked, as long as they last.
	Poll(ctx context.Context, t media.Ticket) (media.Status, error)
	// Cancel stops accepted work where that can be done. An error changes nothing.
	Cancel(ctx context.Context, t media.Ticket) error
}

// Finder is a maker that can look up what it may have accepted.
type Finder interface {
	// Find looks for the work of a key that was submitted after since.
	Find(ctx context.Context, key string, since time.Time) (media.Ticket, bool, error)
	// SettledAfter is how long after a submission the maker's own record is complete:
	// what cannot be found then was never accepted.
	SettledAfter() time.Duration
}

// Repeater is a maker to which the same key can be submitted again: it is the
// same work, and paid once.
type Repeater interface{ Repeats() bool }

// repeats reports whether an order may be sent to a maker again and is paid once.
func repeats(m Maker) bool {
	r, ok := m.(Repeater)
	return ok && r.Repeats()
}

// Forgetter is a maker that holds outputs until they were copied.
type Forgetter interface{ Forget(t media.Ticket) }

// Holder is a maker of which some work is done by a call of this process, where no
// other can look at it.
type Holder interface{ Holds(t media.Ticket) bool }

// Doorkeeper is a maker that takes only so many orders at a time. One that waits for its
// place is not submitted yet.
type Doorkeeper interface {
	// Enter takes a place for an order, until leave is called or, where it was submitted,
	// its work has ended. Where leave is nil there was none, and the caller may come back
	// after again.
	Enter(ctx context.Context, req media.Request) (leave func(), again time.Duration)
}

// Biller is a maker that knows what a task has cost so far, whether it is done or not.
type Biller interface {
	CostSoFar(ctx context.Context, id string) (nano int64, err error)
}

// Store keeps tasks. A task and its jobs are saved in one transaction or not at all.
type Store interface {
	// InsertTask saves a new task. It is access.ErrExists where its id is taken,
	// access.ErrNotFound where a file of its order is not there, replay.ErrUsed where
	// its claim stands already, and a *limit.Short where a limit has less than it holds.
	InsertTask(ctx context.Context, t *Task) error
	// Task finds a task of a workspace, or of any where that is "".
	Task(ctx context.Context, workspace, id string) (*Task, error)
	// TaskVersion is Task's version, for those who only wait for the next.
	TaskVersion(ctx context.Context, workspace, id string) (int64, error)
	// UpdateTask changes a task of a workspace, or of any where that is "", under its
	// lock and saves it with its jobs, one version higher. An error of change saves nothing and is returned as it is.
	UpdateTask(ctx context.Context, workspace, id string, change func(*Task) error) (*Task, error)
	// UpdateSentTask is UpdateTask, before what can wait: what the task's maker has
	// answered is known to this process alone.
	UpdateSentTask(ctx context.Context, workspace, id string, change func(*Task) error) (*Task, error)
	// CountUnfinished counts the tasks of a key that have not ended, without the parts of
	// others. It counts no further than most.
	CountUnfinished(ctx context.Context, key string, most int) (int, error)
	// Tasks lists a workspace's tasks, the newest first.
	Tasks(ctx context.Context, workspace string, limit int) ([]Task, error)
	// List lists tasks, the newest first.
	List(ctx context.Context, w Wanted) ([]Task, error)
	// DeleteTask forgets a task of a workspace with its parts, and everything they
	// made as soon as nothing uses it, and saves the entry. Where not all of them
	// have ended it is ErrUnfinished, and nothing is changed.
	DeleteTask(ctx context.Context, workspace, id string, e access.Entry) error

	// Beat says that the process called node lives.
	Beat(ctx context.Context, node string, now time.Time) error
	// HasUnfinished reports whether there is a task that has not ended.
	HasUnfinished(ctx context.Context) (bool, error)
	// Adopt makes node the owner of up to limit tasks between Submitting and
	// Collecting whose owner has not been heard of since a time, or who have none.
	// Two nodes never get the same task. From says whose they were.
	Adopt(ctx context.Context, node string, silentSince time.Time, limit int) ([]*Task, error)
	// ListOwned lists the tasks of node between Submitting and Collecting.
	ListOwned(ctx context.Context, node string) ([]string, error)
	// LivingNodes lists the processes that were heard of since a time. One that is known to be
	// dead is not among them, however long ago that is.
	LivingNodes(ctx context.Context, since time.Time) ([]string, error)
	// Release says that node is going: its tasks have no owner from then on.
	Release(ctx context.Context, node string) error
	// TasksToStop lists tasks of node, and those without an owner, which a client has
	// asked to cancel and which have not ended.
	TasksToStop(ctx context.Context, node string) ([]string, error)
	// StopOverdue marks tasks whose CancelAt has come as those that a client has asked to
	// cancel.
	StopOverdue(ctx context.Context, now time.Time) error
	// Durations are how long those of the newest so many tasks took that ended well, the
	// newest first, without runs of apps.
	Durations(ctx context.Context, among int) ([]Took, error)
	// ListUnsettled lists tasks of a workspace, or of any where that is "", that have ended
	// without a definite price and may be looked at again.
	ListUnsettled(ctx context.Context, workspace string, now time.Time, limit int) ([]Task, error)
	// DeleteTasksBefore forgets settled tasks that ended before a time, a bite at a time.
	DeleteTasksBefore(ctx context.Context, before time.Time) (int64, error)
}

// Settings are what an operator may change while the service runs.
type Settings struct {
	Unfinished    int // tasks of a key that have not ended, at most
	CreditsPerUSD float64
	AllowPrivate  []netip.Prefix // where webhooks may go beside public addresses
}

// Options are what a service stands on.
type Options struct {
	Node     string // the name of this process, and of no other one
	Store    Store
	Files    *file.Service
	Catalog  *catalog.Catalog
	Makers   func(name string) (Maker, bool)
	Settings func() Settings
	Limits   *limit.Service                      // nil: none
	Share    *share.Keeper                       // how much a workspace may hold; nil: any amount
	Rights   func(workspace string) access.Scope // what its policy leaves open to parts of a task; nil: all
	Alone    bool                                // no other process works on the store: whatever it left is ours at once
	Working  *inflight.Registry                  // of what this process is working on; nil for none
	Aside    func(kind string)                   // told of what is set aside; may be nil
	Trace    *trace.Tracer                       // nil: tasks are not traced
	Log      *slog.Logger
	Now      func() time.Time
}

// Service takes tasks from their order to their end. It is safe for concurrent use.
type Service struct {
	Options

	hub       hub
	counts    counts
	schedule  *schedule
	pace      pace
	progress  progressLimiter
	bursts    burstDelay
	successes sync.Map // of tasks that were seen to be done and are not collected: their last media.Status
	doubtful  sync.Map // ids of tasks that have ended without a price while calls of this process go on for them
	former    sync.Map // from the ids of adopted tasks to the former of each

	adopting sync.Mutex // held from before tasks are adopted until former has them; guards unsure
	unsure   time.Time  // when adopting last failed: some tasks may be this process's without its knowing; zero: none

	heard  atomic.Int64 // when the store last took a beat of this process, in Unix milliseconds; 0: not yet
	lapses atomic.Int64 // how often that was so long ago that others may have taken its tasks

	mu     sync.Mutex      // guards active
	active map[string]bool // tasks that this process is working on
}

// New makes a service. It does nothing until Run is called by a queue and
// Supervise is running.
func New(o Options) *Service {
	s := &Service{Options: o, bursts: newBurstDelay(), active: make(map[string]bool)}
	s.schedule = newSchedule(s.poll)
	return s
}

// limits of a task's life.
const (
	submitTime   = 55 * time.Second // one call of a maker
	pollTime     = 30 * time.Second
	collectTime  = 9 * time.Minute
	mostTries    = 5  // of a submission that failed in passing
	mostCollects = 12 // attempts to copy outputs
)

// enter marks a task as being worked on by this process; false if it is already.
func (s *Service) enter(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active[id] {
		return false
	}
	s.active[id] = true
	return true
}

func (s *Service) exit(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, id)
}

// isActive reports whether this process is working on a task.
func (s *Service) isActive(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active[id]
}

// errMoved says that a task is not where it was when it was looked at.
var errMoved = errors.New("the task has moved on")

// update changes a task that this process works on, and wakes those who wait for it.
// What another process has adopted is not touched, unless that one can do nothing with it.
func (s *Service) update(ctx context.Context, held *Task, change func(*Task) error) (*Task, error) {
	return s.updateAny(ctx, held, func(t *Task) error {
		if t.Stage != Ordered && t.Owner != "" && t.Owner != s.Node {
			if !s.knowsMore(held, t) {
				return errMoved
			}
			t.Owner = s.Node
		}
		return change(t)
	})
}

// updateAny is update for a task of whichever process.
func (s *Service) updateAny(ctx context.Context, t *Task, change func(*Task) error) (*Task, error) {
	saved, err := s.save(ctx, t, func(t *Task) error {
		if t.Stage == Ended {
			return errMoved
		}
		if err := change(t); err != nil {
			return err
		}
		t.Updated = s.Now()
		return nil
	})
	if err == nil {
		s.hub.wake(t.ID)
	}
	return saved, err
}

// save changes a task in the database. What its maker has said goes before what can wait
// where it would be lost with this process: there is no ticket yet to ask again with, or the
// work is a call of this process.
func (s *Service) save(ctx context.Context, t *Task, change func(*Task) error) (*Task, error) {
	if t.sent && t.Ticket == nil || s.holds(t) {
		return s.Store.UpdateSentTask(ctx, t.Workspace, t.ID, change)
	}
	return s.Store.UpdateTask(ctx, t.Workspace, t.ID, change)
}
