package access

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"stele/internal/fair"
	"stele/internal/seal"
)

const (
	followEvery = 250 * time.Millisecond // a change in another process is seen within this
	touchEvery  = 2 * time.Second        // how late "last used" may be
)

// Store is what access keeps things in.
type Store interface {
	KeyStore
	UserStore
	PersonStore
	WorkspaceStore
	SessionStore
	FactorStore
	AuditStore
	SettingStore
}

// Service answers who is calling and changes who may. It is safe for concurrent use.
type Service struct {
	store    Store
	keys     *index
	secrets  *seal.Hasher // of API keys
	tickets  *seal.Hasher // of sessions and set-up links
	throttle *throttle
	hashing  struct { // each password takes tens of megabytes
		turns   *fair.Semaphore // by network
		waiting atomic.Int64
	}
	box   *seal.Box // of second factors, and of what a browser keeps between two steps
	spent *onceSet  // answers that were taken
	rules atomic.Pointer[SignInRules]
	now   func() time.Time
}

// New makes a Service. Load must be called before ByKey knows any key.
func New(store Store, master *seal.Master, now func() time.Time) *Service {
	s := &Service{
		store:    store,
		keys:     newIndex(),
		secrets:  master.Hasher("api keys"),
		tickets:  master.Hasher("sessions"),
		throttle: newThrottle(now),
		box:      master.Box("second factors"),
		spent:    newOnceSet(),
		now:      now,
	}
	s.hashing.turns = fair.New(2, 1)
	return s
}

// Load reads every key into memory.
func (s *Service) Load(ctx context.Context) error { return s.follow(ctx) }

// Run keeps the keys in memory true to the store, whoever changed it, and
// writes down when keys were used, until ctx ends.
func (s *Service) Run(ctx context.Context, log *slog.Logger) {
	follow, touch := time.NewTicker(followEvery), time.NewTicker(touchEvery)
	defer follow.Stop()
	defer touch.Stop()
	var failing bool
	for {
		var err error
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := s.touch(last); err != nil {
				log.LogAttrs(ctx, slog.LevelWarn, "last use of keys not saved", slog.Any("error", err))
			}
			return
		case <-follow.C:
			err = bounded(ctx, s.follow)
		case <-touch.C:
			err = bounded(ctx, s.touch)
		}
		if ctx.Err() != nil {
			continue
		}
		if err != nil && !failing {
			log.LogAttrs(ctx, slog.LevelError, "keys cannot be kept up to date", slog.Any("error", err))
		}
		failing = err != nil
	}
}

// bounded keeps a database that hangs from going unnoticed.
func bounded(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return do(ctx)
}

// follow takes over what changed in the store since the last time.
func (s *Service) follow(ctx context.Context) error {
	s.keys.following.Lock()
	defer s.keys.following.Unlock()
	known := s.keys.revision
	latest, err := s.store.KeyRevision(ctx)
	if err != nil {
		return fmt.Errorf("follow keys: %w", err)
	}
	if latest == known {
		return nil
	}
	changed, err := s.store.KeysSince(ctx, known)
	if err != nil {
		return fmt.Errorf("follow keys: %w", err)
	}
	s.keys.take(changed)
	s.keys.revision = latest
	for _, k := range changed {
		s.keys.revision = max(s.keys.revision, k.Revision)
	}
	return nil
}

// soon takes our own change over at once. The change is saved: should this fail,
// Run catches up, and a secret that is shown only once must not be lost for it.
func (s *Service) soon(ctx context.Context) { _ = s.follow(ctx) }

func (s *Service) touch(ctx context.Context) error {
	used := s.keys.used()
	if len(used) == 0 {
		return nil
	}
	if err := s.store.TouchKeys(ctx, used); err != nil {
		return fmt.Errorf("save last use of keys: %w", err)
	}
	s.keys.saved(used)
	return nil
}

func (s *Service) hash(secret string) string {
	sum := s.secrets.Sum(secret)
	return hex.EncodeToString(sum[:])
}
