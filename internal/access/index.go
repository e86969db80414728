package access

import (
	"encoding/hex"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/fault"
)

// index holds every key in memory, so that no request reads the store for one,
// known or not. What is not in here does not exist.
type index struct {
	following sync.Mutex // one follower at a time; guards revision
	revision  int64

	mu     sync.RWMutex // guards the maps
	byHash map[[32]byte]*entry
	byID   map[string]*entry
}

type entry struct {
	key         Key
	who         Principal
	hash, old   [32]byte
	used, saved atomic.Int64 // Unix milliseconds; saved is what the store knows
}

func newIndex() *index {
	return &index{byHash: make(map[[32]byte]*entry), byID: make(map[string]*entry)}
}

// ByKey finds the principal behind the text of a key. Every failure is the same
// InvalidAPIKey, so that nobody learns which keys exist.
func (s *Service) ByKey(secret string) (Principal, error) {
	if !wellFormed(secret) {
		return Principal{}, errInvalidKey()
	}
	sum := s.secrets.Sum(secret)
	s.keys.mu.RLock()
	e := s.keys.byHash[sum]
	s.keys.mu.RUnlock()
	now := s.now()
	if e == nil || e.key.Status(now) != "active" || (sum != e.hash && !now.Before(e.key.OldUntil)) {
		return Principal{}, errInvalidKey()
	}
	// A write that changes nothing would still move the cache line between cores.
	if ms := now.UnixMilli(); ms-e.used.Load() >= 1000 {
		e.used.Store(ms)
	}
	return e.who, nil
}

func errInvalidKey() *fault.Error {
	return fault.New(fault.InvalidAPIKey, "The API key is not valid.")
}

// take puts changed keys in the place of what was known of them.
func (x *index) take(changed []Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range changed {
		e := &entry{key: k, who: Principal{
			Workspace: k.Workspace, Key: k.ID, Environment: k.Environment, Sandbox: k.Sandbox, Scope: k.Scope,
		}}
		if before := x.byID[k.ID]; before != nil {
			delete(x.byHash, before.hash)
			delete(x.byHash, before.old)
			e.used.Store(before.used.Load())
			e.saved.Store(before.saved.Load())
		}
		x.byID[k.ID] = e // a revoked one too: its last use may not be saved yet
		if !k.RevokedAt.IsZero() {
			continue
		}
		if _, err := hex.Decode(e.hash[:], []byte(k.Hash)); err == nil && k.Hash != "" {
			x.byHash[e.hash] = e
		}
		if _, err := hex.Decode(e.old[:], []byte(k.OldHash)); err == nil && k.OldHash != "" {
			x.byHash[e.old] = e
		}
	}
}

// used lists the keys whose last use the store does not know yet.
func (x *index) used() map[string]time.Time {
	x.mu.RLock()
	defer x.mu.RUnlock()
	used := make(map[string]time.Time)
	for id, e := range x.byID {
		if ms := e.used.Load(); ms > e.saved.Load() {
			used[id] = time.UnixMilli(ms).UTC()
		}
	}
	return used
}

// saved records that the store knows these uses.
func (x *index) saved(used map[string]time.Time) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for id, at := range used {
		if e := x.byID[id]; e != nil {
			e.saved.Store(at.UnixMilli())
		}
	}
}
