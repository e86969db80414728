package access

import (
	"context"
	"fmt"
	"sync"
	"time"

	"stele/internal/pause"
)

const (
	followerBeat   = 10 * time.Second
	followerSilent = 30 * time.Second
	longestAwait   = time.Second
	awaitEvery     = 10 * time.Millisecond
)

// FollowerStore keeps how far each serving process has followed the keys.
type FollowerStore interface {
	// FollowKeys says that node has taken over all changes up to a revision.
	FollowKeys(ctx context.Context, node string, revision int64, at time.Time) error
	// UnfollowKeys says that node follows no more.
	UnfollowKeys(ctx context.Context, node string) error
	// Behind counts the nodes heard of since a time that have not reached a revision.
	Behind(ctx context.Context, revision int64, since time.Time) (int, error)
}

// follower is this process among those that serve.
type follower struct {
	mu   sync.Mutex // guards what follows
	node string     // "": it serves no requests
	told int64      // the revision that the store was told last
	at   time.Time
}

// Serve names the process: from now on those who change keys wait for it, and it
// tells them how far it has followed.
func (s *Service) Serve(ctx context.Context, node string) error {
	s.follower.mu.Lock()
	s.follower.node, s.follower.told = node, -1
	s.follower.mu.Unlock()
	return s.tell(ctx)
}

// toTell reports whether it is time to say that this process still follows.
func (s *Service) toTell() bool {
	f := &s.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.node != "" && s.now().Sub(f.at) >= followerBeat
}

// tell says how far this process has followed, if that is news.
func (s *Service) tell(ctx context.Context) error {
	s.keys.following.Lock()
	revision := s.keys.revision
	s.keys.following.Unlock()
	f, now := &s.follower, s.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.node == "" || (f.told == revision && now.Sub(f.at) < followerBeat) {
		return nil
	}
	if err := s.store.FollowKeys(ctx, f.node, revision, now); err != nil {
		return fmt.Errorf("tell of keys: %w", err)
	}
	f.told, f.at = revision, now
	return nil
}

func (s *Service) leave(ctx context.Context) error {
	s.follower.mu.Lock()
	defer s.follower.mu.Unlock()
	if s.follower.node == "" {
		return nil
	}
	return s.store.UnfollowKeys(ctx, s.follower.node)
}

// Await waits until every process that serves knows what was changed before it was
// called, for a second at most: one that has died is not waited for any longer.
func (s *Service) Await(ctx context.Context) error {
	revision, _, err := s.store.Revisions(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longestAwait)
	defer cancel()
	for {
		n, err := s.store.Behind(ctx, revision, s.now().Add(-followerSilent))
		if err != nil || n == 0 {
			return err
		}
		if err := pause.For(ctx, awaitEvery); err != nil {
			return err
		}
	}
}
