package access

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"stele/internal/fair"
	"stele/internal/revision"
	"stele/internal/seal"
)

const (
	touchEvery = 2 * time.Second  // how late "last used" may be
	lookEvery  = 10 * time.Second // what no revision tells of is looked at so often
)

// Store is what access keeps things in.
type Store interface {
	KeyStore
	PolicyStore
	PresenceStore
	UserStore
	PersonStore
	WorkspaceStore
	SessionStore
	FactorStore
	AuditStore
	SettingStore
}

// Keys are what keyed hashes and sealed values come from.
type Keys interface {
	Hasher(purpose string) *seal.Hasher
	Box(purpose string) *seal.Box
}

// Service answers who is calling and changes who may. It is safe for concurrent use.
type Service struct {
	store    Store
	keys     *index
	secrets  *seal.Hasher // of API keys
	tickets  *seal.Hasher // of sessions and set-up links
	throttle *throttle
	present  presence
	names    keyNames
	follower follower
	looked   time.Time // when uses in other processes were read; Run's own
	hashing  struct {  // each password takes tens of megabytes
		turns   *fair.Semaphore // by network
		waiting atomic.Int64
		cost    cost
	}
	box   *seal.Box // of second factors, and of what a browser keeps between two steps
	rules atomic.Pointer[SignInRules]
	now   func() time.Time

	hasRoom func(ctx context.Context, workspace string) error // nil: any number of rows
}

// SetRoom has hasRoom asked before a workspace is given a key more. It is called before anything
// else is.
func (s *Service) SetRoom(hasRoom func(ctx context.Context, workspace string) error) {
	s.hasRoom = hasRoom
}

// New makes a Service. Load must be called before Admit knows any key.
func New(store Store, keys Keys, now func() time.Time) *Service {
	s := &Service{
		store:    store,
		keys:     newIndex(),
		secrets:  keys.Hasher("api keys"),
		tickets:  keys.Hasher("sessions"),
		throttle: newThrottle(now),
		box:      keys.Box("second factors"),
		now:      now,
	}
	s.hashing.turns = fair.New(2, 1)
	s.hashing.cost = usualCost()
	return s
}

// Load takes over whatever any process has changed before it was called; the first time, every key.
func (s *Service) Load(ctx context.Context) error { return s.follow(ctx) }

// Run writes down when keys were used, and reads what no revision tells of, until ctx ends.
func (s *Service) Run(ctx context.Context, log *slog.Logger) {
	touch, look := time.NewTicker(touchEvery), time.NewTicker(lookEvery)
	defer touch.Stop()
	defer look.Stop()
	var failing bool
	for {
		var err error
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := errors.Join(s.touch(last), s.leave(last)); err != nil {
				log.LogAttrs(ctx, slog.LevelWarn, "last use of keys not saved", slog.Any("error", err))
			}
			return
		case <-s.keys.news:
			err = withDeadline(ctx, s.prove)
		case <-touch.C:
			err = withDeadline(ctx, s.touch)
		case <-look.C:
			err = withDeadline(ctx, s.look)
		}
		if ctx.Err() != nil {
			continue
		}
		if err != nil && !failing {
			log.LogAttrs(ctx, slog.LevelError, "use of keys is not kept up to date", slog.Any("error", err))
		}
		failing = err != nil
	}
}

// withDeadline keeps a database that hangs from going unnoticed.
func withDeadline(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return do(ctx)
}

// Subscriber keeps the keys in memory true to the store, whichever process changed it. What people may not see any more ends then, and those who wait for this
// process are told how far it has come.
func (s *Service) Subscriber() revision.Subscriber {
	return revision.Subscriber{
		What: "keys", Of: []string{"keys", "people"},
		Due:     func() bool { return s.present.any() || s.toTell() },
		CatchUp: func(ctx context.Context) error { return errors.Join(s.follow(ctx), s.checkPresent(ctx), s.tell(ctx)) },
	}
}

// follow takes over what changed in the store since the last time.
func (s *Service) follow(ctx context.Context) error {
	s.keys.following.Lock()
	defer s.keys.following.Unlock()
	latest, people, err := s.store.Revisions(ctx)
	if err != nil {
		return fmt.Errorf("follow keys: %w", err)
	}
	var c changes
	if known := s.keys.revision; latest != known {
		if c.keys, err = s.store.KeysSince(ctx, known); err == nil {
			c.policies, err = s.store.PoliciesSince(ctx, known)
		}
		if err != nil {
			return fmt.Errorf("follow keys: %w", err)
		}
	} else if people == s.keys.people {
		return nil
	}
	// A policy that has just come may be the first to ask who has left.
	asks := s.keys.anyEndWithCreator() || slices.ContainsFunc(c.policies, func(p PolicyOf) bool { return p.Policy.EndWithCreator })
	if asks {
		if c.departed, err = s.readDeparted(ctx); err != nil {
			return err
		}
	}
	s.keys.take(c)
	s.keys.seen.Store(latest)
	s.keys.revision, s.keys.people = latest, people // what came after latest is read again: two reads are no one moment
	return nil
}

func (s *Service) readDeparted(ctx context.Context) (map[Departed]bool, error) {
	list, err := s.store.ListDeparted(ctx)
	if err != nil {
		return nil, fmt.Errorf("follow keys: %w", err)
	}
	departed := make(map[Departed]bool, len(list))
	for _, d := range list {
		departed[d] = true
	}
	return departed, nil
}

// look reads what no revision tells of: who has lost a role in a way that was not
// counted, and when other processes' clients have used keys that end by going unused.
func (s *Service) look(ctx context.Context) error {
	if s.keys.anyEndWithCreator() {
		s.keys.following.Lock()
		departed, err := s.readDeparted(ctx)
		if err == nil {
			s.keys.take(changes{departed: departed})
		}
		s.keys.following.Unlock()
		if err != nil {
			return err
		}
	}
	if !s.keys.anyEndUnused() {
		return nil
	}
	now, since := s.now(), time.Time{}
	if !s.looked.IsZero() {
		since = s.looked.Add(-lookEvery) // what was used then may have been saved later
	}
	used, err := s.store.UsesSince(ctx, since)
	if err != nil {
		return fmt.Errorf("read last use of keys: %w", err)
	}
	s.keys.markSaved(used)
	s.looked = now
	return nil
}

// takeOverSoon takes our own change over at once. The change is saved: should this fail,
// Run catches up, and a secret that is shown only once must not be lost for it.
func (s *Service) takeOverSoon(ctx context.Context) { _ = s.follow(ctx) }

func (s *Service) touch(ctx context.Context) error {
	if err := s.prove(ctx); err != nil {
		return err
	}
	used := s.keys.listUsed()
	if len(used) == 0 {
		return nil
	}
	if err := s.store.TouchKeys(ctx, used); err != nil {
		return fmt.Errorf("save last use of keys: %w", err)
	}
	s.keys.markSaved(used)
	return nil
}

// prove saves which secrets were used for the first time.
func (s *Service) prove(ctx context.Context) error {
	list := s.keys.listUnproved()
	if len(list) == 0 {
		return nil
	}
	used := make(map[string][]string)
	for _, o := range list {
		used[o.entry.key.ID] = append(used[o.entry.key.ID], hex.EncodeToString(o.hash[:]))
	}
	if err := s.store.ProveSecrets(ctx, used); err != nil {
		s.keys.proving.Lock()
		s.keys.proved = append(s.keys.proved, list...)
		s.keys.proving.Unlock()
		return fmt.Errorf("save first use of keys: %w", err)
	}
	return nil
}

func (s *Service) hash(secret string) string {
	sum := s.secrets.Sum(secret)
	return hex.EncodeToString(sum[:])
}
