package share

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"stele/internal/pause"
)

const (
	readAgain = 2 * time.Second // how old sums may be that took no time
	restful   = 100             // reading takes no more than one part in so many of the time
	readTime  = 5 * time.Minute
	patience  = 250 * time.Millisecond // how long the first request of a workspace waits for its sums
	lookAgain = time.Second            // at what is free
	forgotten = time.Hour              // after which a workspace that asks for nothing is
)

// Options are what a Keeper stands on.
type Options struct {
	Sums func(ctx context.Context, workspace string) (Sums, error) // may take its time
	Free func() Held                                               // Unknown where nothing can be said
	Most func() int64                                              // what any workspace may hold, as the operator says; 0: a part of what is free
	Log  *slog.Logger
	Now  func() time.Time
}

// Keeper knows what workspaces hold. It reads sums beside the requests, seldom, and adds up
// itself what this process takes meanwhile; what others take it hears with the next sums. A
// nil Keeper lets everything pass. It is safe for concurrent use.
type Keeper struct {
	Options

	wanted chan string // workspaces whose sums are to be read

	mu         sync.Mutex // guards what follows
	workspaces map[string]*account
	free       Held
}

// account is what is known of a workspace.
type account struct {
	sums     Sums
	found    bool          // sums were read
	known    chan struct{} // closed when the first reading is over
	read     time.Time     // when the last reading began; zero: never
	took     time.Duration
	asked    time.Time // when a request last asked
	reading  bool
	since    Held  // taken since the reading that sums are of
	newer    Held  // taken since the one that is under way
	arriving int64 // bytes of files that are no rows yet
}

// New makes a Keeper. It knows nothing until it runs.
func New(o Options) *Keeper {
	return &Keeper{Options: o, wanted: make(chan string, 256), workspaces: make(map[string]*account), free: Held{Unknown, Unknown}}
}

// Run reads sums that are wanted, one at a time, and looks what is free, until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	var looking sync.WaitGroup
	looking.Go(func() { k.look(ctx) })
	defer looking.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case workspace := <-k.wanted:
			if err := k.Read(ctx, workspace); err != nil && ctx.Err() == nil {
				k.Log.LogAttrs(ctx, slog.LevelWarn, "what a workspace holds is not known", slog.String("workspace", workspace), slog.Any("error", err))
			}
		}
	}
}

// look keeps in mind what is free: a folder of another machine may take long to say so.
func (k *Keeper) look(ctx context.Context) {
	for {
		free := k.Free()
		k.mu.Lock()
		k.free = free
		k.mu.Unlock()
		if pause.For(ctx, lookAgain) != nil {
			return
		}
	}
}

// Read reads the sums of a workspace now.
func (k *Keeper) Read(ctx context.Context, workspace string) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	begun := k.Now()
	k.mu.Lock()
	a := k.account(workspace)
	a.reading, a.newer = true, Held{}
	k.mu.Unlock()
	sums, err := k.Sums(ctx, workspace)
	k.mu.Lock()
	defer k.mu.Unlock()
	a.reading, a.took = false, k.Now().Sub(begun)
	if a.read.IsZero() {
		close(a.known)
	}
	a.read = begun
	if err != nil {
		return err
	}
	a.sums, a.since, a.found = sums, a.newer, true
	for name, other := range k.workspaces {
		if begun.Sub(other.asked) > forgotten && other.arriving == 0 && !other.reading && other != a {
			delete(k.workspaces, name)
		}
	}
	return nil
}

// TakeRoom refuses a workspace that holds as much as it may, and else counts what it is about to
// take.
func (k *Keeper) TakeRoom(ctx context.Context, workspace string, more Held) error {
	if k == nil {
		return nil
	}
	a := k.lookUp(ctx, workspace)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.standing(a).refuse(more); err != nil {
		return err
	}
	a.take(more)
	return nil
}

// Standing is how a workspace stands. known is false where its sums were not read in time.
func (k *Keeper) Standing(ctx context.Context, workspace string) (s Standing, known bool) {
	if k == nil {
		return s, false
	}
	a := k.lookUp(ctx, workspace)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.standing(a), a.found
}

// lookUp gives what is known of a workspace. Sums that have become old are read anew beside the
// request; it waits a moment where there are none yet.
func (k *Keeper) lookUp(ctx context.Context, workspace string) *account {
	now := k.Now()
	k.mu.Lock()
	a := k.account(workspace)
	a.asked = now
	if !a.reading && now.Sub(a.read) > max(readAgain, restful*a.took) {
		select {
		case k.wanted <- workspace:
			a.reading = true
		default: // the reader is behind: a later request asks
		}
	}
	k.mu.Unlock()
	select {
	case <-a.known:
	default:
		wait := time.NewTimer(patience)
		defer wait.Stop()
		select {
		case <-a.known:
		case <-wait.C:
		case <-ctx.Done():
		}
	}
	return a
}

// account is that of a workspace. The caller holds mu.
func (k *Keeper) account(workspace string) *account {
	a := k.workspaces[workspace]
	if a == nil {
		a = &account{known: make(chan struct{}), sums: Sums{Alone: true}, asked: k.Now()}
		k.workspaces[workspace] = a
	}
	return a
}

// standing is how an account stands. The caller holds mu.
func (k *Keeper) standing(a *account) Standing {
	sums := a.sums
	sums.Held = sums.plus(a.since).plus(Held{Files: a.arriving})
	return StandingOf(sums, k.free, k.Most())
}

func (a *account) take(more Held) { a.since, a.newer = a.since.plus(more), a.newer.plus(more) }

// Arrival is a file on its way into a workspace.
type Arrival struct {
	keeper  *Keeper
	of      *account
	counted int64 // what was announced, or has come if that is more
	come    int64
}

// Arrive begins a file of which so many bytes are announced, 0 where that is not known: they
// count from now on. It is refused where they are more than the workspace may take; what is
// owed never is. The arrival must leave.
func (k *Keeper) Arrive(ctx context.Context, workspace string, announced int64, owed bool) (*Arrival, error) {
	if k == nil {
		return nil, nil
	}
	a := &Arrival{keeper: k, of: k.lookUp(ctx, workspace)}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !owed {
		if err := k.standing(a.of).refuse(Held{Files: max(1, announced)}); err != nil {
			return nil, err
		}
	}
	a.count(announced)
	return a, nil
}

// Grow counts bytes that have come, and refuses what is more than the workspace may take.
func (a *Arrival) Grow(n int64, owed bool) error {
	if a == nil {
		return nil
	}
	a.keeper.mu.Lock()
	defer a.keeper.mu.Unlock()
	a.come += n
	if a.come <= a.counted {
		return nil
	}
	a.count(a.come)
	if owed {
		return nil
	}
	return a.keeper.standing(a.of).refuse(Held{})
}

// count has the arrival count as so many bytes. The caller holds mu.
func (a *Arrival) count(n int64) {
	a.of.arriving += n - a.counted
	a.counted = n
}

// Leave ends the arrival: kept says whether its bytes stay.
func (a *Arrival) Leave(kept bool) {
	if a == nil {
		return
	}
	a.keeper.mu.Lock()
	defer a.keeper.mu.Unlock()
	a.count(0)
	if kept {
		a.of.take(Held{Files: a.come})
	}
	a.come = 0
}
