// Package revision follows what any process changes in the database. Whatever is kept
// in memory as well has a revision there, which is another one after each change. One
// statement reads all of them, and who keeps such things is called when one of its own
// has changed. The package must not know what a revision is about.
package revision

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	every   = 250 * time.Millisecond // a change in another process is seen within this
	longest = 5 * time.Second        // for a look or a call: a database that hangs must not go unnoticed
)

// Follower looks at the revisions for all subscribers.
type Follower struct {
	// Read reads all revisions by their names.
	Read func(ctx context.Context) (map[string]string, error)
	// News has something in it when a look should not wait; nil where none can tell.
	News <-chan struct{}
	Log  *slog.Logger
	// Subscribers are called when Run begins, and when there is something for them.
	Subscribers []Subscriber
}

// Subscriber is who takes changes over.
type Subscriber struct {
	What string   // it keeps, for the log
	Of   []string // the names of its revisions
	// Due is asked at every look whether it is to be called although nothing has
	// changed; nil for never.
	Due func() bool
	// CatchUp takes over what has changed. An error has it called again at the next look.
	// It is not called a second time before it has returned.
	CatchUp func(ctx context.Context) error
}

// Run looks and calls until ctx ends, and returns when no call goes on.
func (f *Follower) Run(ctx context.Context) {
	list := make([]*follow, len(f.Subscribers))
	for i, s := range f.Subscribers {
		list[i] = &follow{Subscriber: s, log: f.Log, seen: make([]string, len(s.Of))}
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var calls sync.WaitGroup
	defer calls.Wait()
	looks := follow{Subscriber: Subscriber{What: "what other processes change"}, log: f.Log}
	for {
		latest, err := f.look(ctx)
		looks.noteEnd(ctx, err)
		for _, s := range list {
			if err == nil && s.wants(latest) {
				calls.Go(func() { s.call(ctx) })
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-f.News:
		}
	}
}

func (f *Follower) look(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return f.Read(ctx)
}

// follow is how far a subscriber has come.
type follow struct {
	Subscriber
	log *slog.Logger

	busy    atomic.Bool // it is being called: the call alone may use what follows
	called  bool        // ever
	seen    []string    // its revisions when it was called last
	failing bool
}

// wants reports whether a subscriber is to be called now, and notes that it is.
func (s *follow) wants(latest map[string]string) bool {
	if s.busy.Load() {
		return false
	}
	wants := !s.called || s.failing || s.Due != nil && s.Due()
	for i, name := range s.Of {
		wants = wants || s.seen[i] != latest[name]
		s.seen[i] = latest[name]
	}
	s.called = true
	s.busy.Store(wants)
	return wants
}

func (s *follow) call(ctx context.Context) {
	defer s.busy.Store(false)
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	s.noteEnd(ctx, s.CatchUp(bounded))
}

// noteEnd notes how a look or a call has ended, and tells of the first failure of several.
func (s *follow) noteEnd(ctx context.Context, err error) {
	if err != nil && !s.failing && ctx.Err() == nil {
		s.log.LogAttrs(ctx, slog.LevelError, "cannot be kept up to date", slog.String("what", s.What), slog.Any("error", err))
	}
	s.failing = err != nil
}
