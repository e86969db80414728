package access

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/fault"
)

// index holds every key that is not revoked in memory, so that no request reads the store
// for one, known or not. What is not in here does not exist.
type index struct {
	following sync.Mutex   // one follower at a time; guards what it knows
	revision  int64        // of keys and policies
	people    int64        // revision
	seen      atomic.Int64 // revision, for those who do not follow

	mu       sync.RWMutex // guards what follows
	byHash   map[[32]byte]*opener
	byID     map[string]*entry
	policies map[string]*Policy
	departed map[Departed]bool

	proving sync.Mutex // guards proved
	proved  []*opener  // used for the first time, which the store does not know yet
	news    chan struct{}
}

// entry is a key with all that decides whether it opens. It is replaced, not changed.
type entry struct {
	key         Key
	who         Principal
	nets        [2][]netip.Prefix // of the key and of the policy: an address is in both; none: any
	ends        time.Time         // zero: never
	idle        time.Duration     // 0: for ever
	secrets     []*opener         // the newest first
	used, saved atomic.Int64      // Unix milliseconds; saved is what the store knows
	holds       *holds            // what is being answered for the key, whatever entry it has
}

// opener is a secret of an entry.
type opener struct {
	entry *entry
	hash  [32]byte
	until int64 // Unix milliseconds; when it ends once the newest was used
	used  atomic.Bool
}

func newIndex() *index {
	return &index{
		byHash: make(map[[32]byte]*opener), byID: make(map[string]*entry),
		policies: make(map[string]*Policy), departed: make(map[Departed]bool), news: make(chan struct{}, 1),
	}
}

// Pass is a key that was let in: by which secret, and where its client is.
type Pass struct {
	by   *opener
	from string
}

// Admit finds the principal behind the text of a key that a client at an address has sent. Every failure is the
// same InvalidAPIKey, so that no client learns which keys exist, but for a key that is not to be used from there:
// that is PermissionDenied, and the principal is told as well.
func (s *Service) Admit(secret, from string) (Principal, Pass, error) {
	if !isWellFormed(secret) {
		return Principal{}, Pass{}, errInvalidKey()
	}
	sum := s.secrets.Sum(secret)
	s.keys.mu.RLock()
	o := s.keys.byHash[sum]
	s.keys.mu.RUnlock()
	now := s.now()
	if o == nil || !o.opens(now) || o.entry.isUnused(now) {
		return Principal{}, Pass{}, errInvalidKey()
	}
	e := o.entry
	if err := e.check(from); err != nil {
		return e.who, Pass{}, err
	}
	e.note(now)
	if !o.used.Load() && o.used.CompareAndSwap(false, true) {
		s.keys.prove(o)
	}
	return e.who, Pass{by: o, from: from}, nil
}

func errInvalidKey() *fault.Error {
	return fault.New(fault.InvalidAPIKey, "The API key is not valid.")
}

// note takes down that the key is being used.
func (e *entry) note(now time.Time) {
	// A write that changes nothing would still move the cache line between cores.
	if ms := now.UnixMilli(); ms-e.used.Load() >= 1000 {
		e.used.Store(ms)
	}
}

// opens reports whether a secret opens its key: whether the key has not ended, and
// the secret neither.
func (o *opener) opens(now time.Time) bool {
	e := o.entry
	if e.key.Suspended || (!e.ends.IsZero() && !now.Before(e.ends)) {
		return false
	}
	return o == e.secrets[0] || opensStill(e.secrets[0].used.Load(), o.until, now)
}

// endsAt is when a secret will end by the clock; zero: never.
func (o *opener) endsAt() time.Time {
	end := o.entry.ends
	if o != o.entry.secrets[0] && o.entry.secrets[0].used.Load() {
		if by := time.UnixMilli(o.until); end.IsZero() || by.Before(end) {
			end = by
		}
	}
	return end
}

// isUnused reports whether the key has ended because it was not used for too long.
func (e *entry) isUnused(now time.Time) bool {
	return e.idle > 0 && idleSince(now, e.idle, e.key.CreatedAt, time.UnixMilli(e.used.Load()))
}

// check says why a key that is known does not open from an address.
func (e *entry) check(from string) error {
	if p := e.key.Policy; p != nil && len(p.Environments) > 0 && !slices.Contains(p.Environments, e.key.Environment) {
		return fault.New(fault.PermissionDenied, "The policy of this workspace allows keys for %s only.", texts(p.Environments, " and "))
	}
	if e.nets[0] == nil && e.nets[1] == nil {
		return nil
	}
	at, err := netip.ParseAddr(from)
	at = at.Unmap().WithZone("")
	for _, nets := range e.nets {
		if nets != nil && (err != nil || !slices.ContainsFunc(nets, func(p netip.Prefix) bool { return p.Contains(at) })) {
			return fault.New(fault.PermissionDenied, "This key may not be used from the address %s.", from).With("address", from)
		}
	}
	return nil
}

// prove remembers that a secret was used for the first time. Where it is the newest
// the older ones may have ended by that.
func (x *index) prove(o *opener) {
	x.proving.Lock()
	x.proved = append(x.proved, o)
	x.proving.Unlock()
	select {
	case x.news <- struct{}{}:
	default: // it is on its way
	}
	if o == o.entry.secrets[0] && len(o.entry.secrets) > 1 {
		o.entry.holds.check()
	}
}

// changes is what follows from the store.
type changes struct {
	keys     []Key
	policies []PolicyOf
	departed map[Departed]bool // nil: as before
}

// take puts what changed in the place of what was known, and ends what is being
// answered for keys that do not open any more.
func (x *index) take(c changes) {
	for _, e := range x.replace(c) {
		e.holds.check()
	}
}

func (x *index) replace(c changes) (changed []*entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	anew := make(map[string]Key)
	workspaces := make(map[string]bool)
	for i := range c.policies {
		workspaces[c.policies[i].Workspace] = true
		x.policies[c.policies[i].Workspace] = &c.policies[i].Policy
	}
	if c.departed != nil {
		x.departed = c.departed
	}
	if len(workspaces) > 0 || c.departed != nil {
		for id, e := range x.byID {
			if workspaces[e.key.Workspace] || e.key.Suspended != x.suspends(&e.key) {
				anew[id] = e.key
			}
		}
	}
	for _, k := range c.keys {
		anew[k.ID] = k
	}
	for _, k := range anew {
		changed = append(changed, x.put(k))
	}
	return changed
}

// suspends reports whether a key has ended with the person who made it. The caller
// holds mu.
func (x *index) suspends(k *Key) bool {
	p := x.policies[k.Workspace]
	return p != nil && p.EndWithCreator && x.departed[Departed{k.Workspace, k.Creator}]
}

// put makes the entry of a key. The caller holds mu.
func (x *index) put(k Key) *entry {
	k.Policy = x.policies[k.Workspace]
	k.Suspended = x.suspends(&k)
	if !k.RevokedAt.IsZero() { // it opens nothing any more, and there may be many
		k.Scope.Models, k.CIDRs = nil, nil
	}
	e := &entry{key: k, ends: k.End(), idle: k.IdleAfter(), holds: new(holds), who: Principal{
		Workspace: k.Workspace, Key: k.ID, Environment: k.Environment, Sandbox: k.Sandbox, Creator: personOnly(k.Creator),
		Scope: Scope{Groups: k.Scope.Groups, Models: k.Scope.Models, Policy: k.Policy},
	}}
	if k.Sandbox {
		e.who.Scope = e.who.Scope.InSandbox()
	}
	e.nets[0] = parseCIDRs(k.CIDRs)
	if k.Policy != nil {
		e.nets[1] = parseCIDRs(k.Policy.CIDRs)
	}
	if !k.LastUsedAt.IsZero() {
		e.used.Store(k.LastUsedAt.UnixMilli())
		e.saved.Store(k.LastUsedAt.UnixMilli())
	}
	known := make(map[[32]byte]bool)
	if before := x.byID[k.ID]; before != nil {
		for _, o := range before.secrets {
			delete(x.byHash, o.hash)
			known[o.hash] = o.used.Load() // the store may not know yet
		}
		e.holds = before.holds
		e.used.Store(max(e.used.Load(), before.used.Load()))
		e.saved.Store(max(e.saved.Load(), before.saved.Load()))
	}
	x.byID[k.ID] = e
	if !k.RevokedAt.IsZero() {
		x.forget(e)
		return e
	}
	for _, secret := range k.Secrets {
		o := &opener{entry: e, until: secret.Until}
		if _, err := hex.Decode(o.hash[:], []byte(secret.Hash)); err != nil || len(secret.Hash) != 64 {
			continue
		}
		o.used.Store(secret.Used || known[o.hash])
		e.secrets = append(e.secrets, o)
		x.byHash[o.hash] = o
	}
	return e
}

// forget lets a revoked key go once its last use is saved: a person who makes keys may make and
// revoke as many as they like. The caller holds mu.
func (x *index) forget(e *entry) {
	if !e.key.RevokedAt.IsZero() && e.used.Load() <= e.saved.Load() {
		delete(x.byID, e.key.ID)
	}
}

// complete fills in what the workspace makes of a key, and what of its use the
// store does not know yet.
func (x *index) complete(k *Key) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k.Policy, k.Suspended = x.policies[k.Workspace], x.suspends(k)
	if e := x.byID[k.ID]; e != nil {
		if at := time.UnixMilli(e.used.Load()).UTC(); at.After(k.LastUsedAt) && e.used.Load() > 0 {
			k.LastUsedAt = at
		}
		for i := range k.Secrets {
			for _, o := range e.secrets {
				k.Secrets[i].Used = k.Secrets[i].Used || (hex.EncodeToString(o.hash[:]) == k.Secrets[i].Hash && o.used.Load())
			}
		}
	}
}

// listUsed lists the keys whose last use the store does not know yet.
func (x *index) listUsed() map[string]time.Time {
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

// markSaved records that the store knows these uses, whichever process told it.
func (x *index) markSaved(used map[string]time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, at := range used {
		e := x.byID[id]
		if e == nil {
			continue
		}
		ms := at.UnixMilli()
		raise(&e.saved, ms)
		raise(&e.used, ms)
		x.forget(e)
	}
}

func raise(at *atomic.Int64, ms int64) {
	for {
		was := at.Load()
		if was >= ms || at.CompareAndSwap(was, ms) {
			return
		}
	}
}

// anyEndUnused reports whether any key may end by going unused.
func (x *index) anyEndUnused() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, e := range x.byID {
		if e.idle > 0 {
			return true
		}
	}
	return false
}

// anyEndWithCreator reports whether any workspace's keys end with the people who made them.
func (x *index) anyEndWithCreator() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, p := range x.policies {
		if p.EndWithCreator {
			return true
		}
	}
	return false
}

// listUnproved hands out the secrets whose first use the store does not know.
func (x *index) listUnproved() []*opener {
	x.proving.Lock()
	defer x.proving.Unlock()
	list := x.proved
	x.proved = nil
	return list
}
