package access

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/label"
	"stele/internal/uid"
)

// Key is an API key as it is kept: everything but its secrets.
type Key struct {
	ID          string
	Name        string
	Workspace   string
	Environment Environment
	Sandbox     bool
	Scope       Scope
	Creator     string // id of the person who made it, or command-line; "" where that is not known
	CreatorName string // the person's address at that time; the store fills it in
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	RevokedAt   time.Time // zero: not revoked
	LastUsedAt  time.Time // zero: never used
	Idle        time.Duration
	CIDRs       []string // where it may be used from, in normal form; none: anywhere

	Secrets  []Secret // the newest first
	Revision int64    // counts up over all keys with every change

	// Policy and Suspended are the workspace's doing, no part of the key itself: the
	// service fills them in, the store leaves them alone.
	Policy    *Policy
	Suspended bool // it ended with the person who made it
}

const (
	leastIdle = time.Minute
	// idleSlack is how much longer than promised an unused key works: other servers
	// learn of a use only after a while, and must not refuse a key for that.
	idleSlack = 30 * time.Second
)

// End is when the key expires, by itself or by its workspace's policy; zero: never.
func (k *Key) End() time.Time {
	end := k.ExpiresAt
	if k.Policy != nil && k.Policy.LifeMS > 0 {
		if by := k.CreatedAt.Add(k.Policy.Life()); end.IsZero() || by.Before(end) {
			end = by
		}
	}
	return end
}

// IdleAfter is how long the key may go unused; 0: for ever.
func (k *Key) IdleAfter() time.Duration {
	idle := k.Idle
	if k.Policy != nil && k.Policy.IdleMS > 0 && (idle == 0 || k.Policy.Idle() < idle) {
		idle = k.Policy.Idle()
	}
	return idle
}

// Status is active, expired, idle, suspended or revoked.
func (k *Key) Status(now time.Time) string {
	switch end := k.End(); {
	case !k.RevokedAt.IsZero():
		return "revoked"
	case !end.IsZero() && !now.Before(end):
		return "expired"
	case k.Suspended:
		return "suspended"
	case idleSince(now, k.IdleAfter(), k.CreatedAt, k.LastUsedAt):
		return "idle"
	}
	return "active"
}

func idleSince(now time.Time, idle time.Duration, made, used time.Time) bool {
	if used.Before(made) {
		used = made
	}
	return idle > 0 && now.Sub(used) > idle+idleSlack
}

// NewKey is what CreateKey is asked for.
type NewKey struct {
	Name        string
	Workspace   string // "" means the caller's
	Environment Environment
	Sandbox     bool
	Scope       Scope
	Lifetime    time.Duration // 0: as long as the policy lets it
	Idle        time.Duration // ends when unused for so long; 0: as the policy says
	CIDRs       []string
}

// KeyStore keeps keys. Every change raises the revision and writes its audit
// entry in the same transaction.
type KeyStore interface {
	InsertKey(ctx context.Context, k Key, e Entry) error
	UpdateKey(ctx context.Context, id string, change func(*Key) (Entry, error)) (Key, error)
	FindKeys(ctx context.Context, f KeyFilter) ([]Key, error) // newest first
	// KeyNames are the names of the keys of a workspace that were made last, by their ids.
	KeyNames(ctx context.Context, workspace string, most int) (map[string]string, error)
	// KeysSince lists the keys that changed after a revision; after 0 those that are not revoked.
	KeysSince(ctx context.Context, revision int64) ([]Key, error)
	// Revisions are those of the latest change of any key and of any person.
	Revisions(ctx context.Context) (keys, people int64, err error)
	TouchKeys(ctx context.Context, used map[string]time.Time) error
	// UsesSince tells when keys were used last that were used after a time.
	UsesSince(ctx context.Context, since time.Time) (map[string]time.Time, error)
	// ProveSecrets notes that secrets, by their hashes, have been used. It raises the
	// revision and writes no entry. What is not there any more is passed over.
	ProveSecrets(ctx context.Context, used map[string][]string) error
	FollowerStore
}

// CreateKey makes a key and returns it with its secret, which is not kept and
// cannot be shown again.
func (s *Service) CreateKey(ctx context.Context, who Principal, n NewKey) (Key, string, error) {
	n.Workspace = cmp.Or(n.Workspace, who.Workspace)
	if !who.may(Member, n.Workspace) {
		return Key{}, "", errNotKeys()
	}
	n.Environment = cmp.Or(n.Environment, Development)
	if n.Lifetime < 0 {
		return Key{}, "", fault.New(fault.InvalidParameter, "A key cannot expire in the past.").Field("expires")
	}
	now := s.now()
	secret := newSecret(n.Environment)
	k := Key{
		ID: uid.New("key"), Name: n.Name, Workspace: n.Workspace, Environment: n.Environment, Sandbox: n.Sandbox,
		Scope: Scope{Groups: n.Scope.Groups, Models: n.Scope.Models}, Idle: n.Idle, CIDRs: n.CIDRs,
		Creator: who.User, CreatedAt: now, Secrets: []Secret{{Hash: s.hash(secret)}},
	}
	if n.Lifetime > 0 {
		k.ExpiresAt = now.Add(n.Lifetime)
	}
	if err := k.check(); err != nil {
		return Key{}, "", err
	}
	policy, err := s.policyFor(ctx, k.Workspace)
	if err != nil {
		return Key{}, "", err
	}
	if err := policy.checkKey(&k); err != nil {
		return Key{}, "", err
	}
	if err := s.keys.checkRoom(&k); err != nil {
		return Key{}, "", err
	}
	if s.hasRoom != nil {
		if err := s.hasRoom(ctx, k.Workspace); err != nil {
			return Key{}, "", err
		}
	}
	if err := s.store.InsertKey(ctx, k, s.entry(who, "key.create", k)); err != nil {
		return Key{}, "", err
	}
	s.takeOverSoon(ctx)
	k.Policy = policy
	return k, secret, nil
}

// policyFor reads the policy that a change of a key must keep to; nil for none.
func (s *Service) policyFor(ctx context.Context, workspace string) (*Policy, error) {
	p, err := s.store.Policy(ctx, workspace)
	if err == ErrNotFound { //nolint:errorlint // the workspace is made with its first key
		return nil, nil
	}
	return &p, err
}

// KeyFilter selects keys. A zero field selects all.
type KeyFilter struct {
	Workspace string
	ID        string
	Text      string // a part of the name, or the id
	Before    Cursor // only keys made before this one
	Limit     int
}

// Keys lists the keys of a workspace, newest first; "" means every workspace
// that who may see.
func (s *Service) Keys(ctx context.Context, who Principal, workspace string) ([]Key, error) {
	return s.FindKeys(ctx, who, KeyFilter{Workspace: workspace})
}

// FindKeys lists some of them.
func (s *Service) FindKeys(ctx context.Context, who Principal, f KeyFilter) ([]Key, error) {
	var err error
	if f.Workspace, err = who.keysOf(f.Workspace); err != nil {
		return nil, err
	}
	keys, err := s.store.FindKeys(ctx, f)
	for i := range keys {
		s.keys.complete(&keys[i])
	}
	return keys, err
}

// Key is one of the keys that who may see.
func (s *Service) Key(ctx context.Context, who Principal, id string) (Key, error) {
	keys, err := s.FindKeys(ctx, who, KeyFilter{ID: id})
	switch {
	case err != nil:
		return Key{}, err
	case len(keys) == 0 || keys[0].ID != id: // "" is no key's
		return Key{}, ErrNotFound
	}
	return keys[0], nil
}

// keysOf is the workspace whose keys who may see, of which "" is all that there are.
func (who Principal) keysOf(workspace string) (string, error) {
	if workspace == "" && !who.Admin {
		workspace = who.Workspace
	}
	if workspace != "" && !who.may(Viewer, workspace) {
		return "", errNotKeys()
	}
	return workspace, nil
}

// RevokeKey ends the key and all its secrets. Revoking twice changes nothing.
func (s *Service) RevokeKey(ctx context.Context, who Principal, id string) (Key, error) {
	return s.change(ctx, who, id, func(k *Key) (Entry, error) {
		if !k.RevokedAt.IsZero() {
			return Entry{}, nil
		}
		k.RevokedAt = s.now()
		k.Secrets = k.Secrets[:1]
		return s.entry(who, "key.revoke", *k), nil
	})
}

// MayChange reports whether who may edit, rotate and revoke the key: members their
// own, owners all of their workspace.
func (p Principal) MayChange(k *Key) bool {
	return p.may(Owner, k.Workspace) || (p.may(Member, k.Workspace) && k.Creator == p.User)
}

func (s *Service) change(ctx context.Context, who Principal, id string, change func(*Key) (Entry, error)) (Key, error) {
	k, err := s.store.UpdateKey(ctx, id, func(k *Key) (Entry, error) {
		if !who.may(Viewer, k.Workspace) {
			return Entry{}, ErrNotFound // another workspace's key is no different from none
		}
		if !who.may(Member, k.Workspace) {
			return Entry{}, errNotKeys()
		}
		if !who.MayChange(k) {
			return Entry{}, fault.New(fault.PermissionDenied, "Members change the keys they made; this one needs an owner of the workspace.")
		}
		s.keys.complete(k)
		return change(k)
	})
	if err != nil {
		return Key{}, err
	}
	s.takeOverSoon(ctx)
	return k, nil
}

func errNotKeys() *fault.Error {
	return fault.New(fault.PermissionDenied, "You may not manage the keys of this workspace.")
}

// check says what is wrong with a key, and puts it in normal form.
func (k *Key) check() error {
	k.Name = strings.TrimSpace(k.Name)
	if k.Name == "" || !label.IsLine(k.Name, 200) {
		return fault.New(fault.InvalidParameter, "A key needs a name of up to 200 printable characters.").Field("name")
	}
	err := cmp.Or(checkWorkspace(k.Workspace), checkEnvironment(k.Environment), checkGroups(k.Scope.Groups), checkModels(k.Scope.Models), checkIdle(k.Idle))
	if err == nil {
		k.CIDRs, err = normalCIDRs(k.CIDRs)
	}
	return err
}

func checkEnvironment(e Environment) error {
	if e != Development && e != Production {
		return fault.New(fault.InvalidParameter, "The environment is development or production, not %q.", e).Field("environment")
	}
	return nil
}

func checkGroups(groups []Group) error {
	for _, g := range groups {
		if !slices.Contains(Groups(), g) {
			return fault.New(fault.InvalidParameter, "There is no scope %q: choose from chat, models, files, media, apps.", g).Field("scope")
		}
	}
	return nil
}

const (
	mostGlobs   = 200
	longestGlob = 256 // as a model's id
)

func checkModels(globs []string) error {
	return checkGlobs(globs, "models", "A model pattern is a model id in which * stands for any characters")
}

func checkGlobs(globs []string, field, rule string) error {
	if len(globs) > mostGlobs {
		return fault.New(fault.InvalidParameter, "There can be up to %d patterns.", mostGlobs).Field(field)
	}
	for _, glob := range globs {
		if glob == "" || len(glob) > longestGlob || strings.ContainsFunc(glob, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xfffd }) {
			return fault.New(fault.InvalidParameter, rule+": %.100q is not.", glob).Field(field)
		}
	}
	return nil
}

func checkIdle(d time.Duration) error {
	if d != 0 && d < leastIdle {
		return fault.New(fault.InvalidParameter, "A key may go unused for a minute at least, or for ever.").Field("idle_expires")
	}
	return nil
}
