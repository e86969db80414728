package access

import (
	"context"
	"slices"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

// Key is an API key as it is kept: everything but its secret.
type Key struct {
	ID          string
	Name        string
	Workspace   string
	Environment Environment
	Sandbox     bool
	Scope       Scope
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	RevokedAt   time.Time // zero: not revoked
	LastUsedAt  time.Time // zero: never used

	Hash     string    // keyed hash of the secret, hexadecimal
	OldHash  string    // of the secret before the last rotation, "" where it has ended
	OldUntil time.Time // when the old secret ends
	Revision int64     // counts up over all keys with every change
}

// Status is active, expired or revoked.
func (k *Key) Status(now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked"
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		return "expired"
	}
	return "active"
}

// NewKey is what CreateKey is asked for.
type NewKey struct {
	Name        string
	Workspace   string // "" means the caller's
	Environment Environment
	Sandbox     bool
	Scope       Scope
	Lifetime    time.Duration // 0: never expires
}

// KeyStore keeps keys. Every change raises the revision and writes its audit
// entry in the same transaction.
type KeyStore interface {
	InsertKey(ctx context.Context, k Key, e Entry) error
	UpdateKey(ctx context.Context, id string, change func(*Key) (Entry, error)) (Key, error)
	Keys(ctx context.Context, workspace string) ([]Key, error) // "" means all; newest first
	KeysSince(ctx context.Context, revision int64) ([]Key, error)
	KeyRevision(ctx context.Context) (int64, error)
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}

// CreateKey makes a key and returns it with its secret, which is not kept and
// cannot be shown again.
func (s *Service) CreateKey(ctx context.Context, who Principal, n NewKey) (Key, string, error) {
	if n.Workspace == "" {
		n.Workspace = who.Workspace
	}
	if !who.may(Member, n.Workspace) {
		return Key{}, "", errNotKeys()
	}
	if n.Environment == "" {
		n.Environment = Development
	}
	if err := n.check(); err != nil {
		return Key{}, "", err
	}
	now := s.now()
	secret := newSecret(n.Environment)
	k := Key{
		ID: uid.New("key"), Name: n.Name, Workspace: n.Workspace, Environment: n.Environment,
		Sandbox: n.Sandbox, Scope: n.Scope, CreatedAt: now, Hash: s.hash(secret),
	}
	if n.Lifetime > 0 {
		k.ExpiresAt = now.Add(n.Lifetime)
	}
	if err := s.store.InsertKey(ctx, k, s.entry(who, "key.create", k)); err != nil {
		return Key{}, "", err
	}
	s.soon(ctx)
	return k, secret, nil
}

// Keys lists the keys of a workspace, newest first; "" means every workspace
// that who may see.
func (s *Service) Keys(ctx context.Context, who Principal, workspace string) ([]Key, error) {
	if workspace == "" && !who.Admin {
		workspace = who.Workspace
	}
	if workspace != "" {
		if !who.may(Viewer, workspace) {
			return nil, errNotKeys()
		}
	}
	return s.store.Keys(ctx, workspace)
}

// RotateKey gives the key a new secret. The one before works until grace has
// passed; one that was already in its grace ends at once.
func (s *Service) RotateKey(ctx context.Context, who Principal, id string, grace time.Duration) (Key, string, error) {
	if grace < 0 {
		return Key{}, "", fault.New(fault.InvalidParameter, "A grace period cannot be negative.").With("field", "grace")
	}
	now := s.now()
	var secret string
	k, err := s.change(ctx, who, id, func(k *Key) (Entry, error) {
		if status := k.Status(now); status != "active" {
			return Entry{}, fault.New(fault.InvalidParameter, "The key is %s: make a new one instead of rotating it.", status).With("field", "id")
		}
		secret = newSecret(k.Environment)
		k.OldHash, k.OldUntil = "", time.Time{}
		if grace > 0 {
			k.OldHash, k.OldUntil = k.Hash, now.Add(grace)
		}
		k.Hash = s.hash(secret)
		return s.entry(who, "key.rotate", *k), nil
	})
	if err != nil {
		return Key{}, "", err
	}
	return k, secret, nil
}

// RevokeKey ends the key and both its secrets. Revoking twice changes nothing.
func (s *Service) RevokeKey(ctx context.Context, who Principal, id string) (Key, error) {
	return s.change(ctx, who, id, func(k *Key) (Entry, error) {
		if !k.RevokedAt.IsZero() {
			return Entry{}, nil
		}
		k.RevokedAt = s.now()
		k.OldHash, k.OldUntil = "", time.Time{}
		return s.entry(who, "key.revoke", *k), nil
	})
}

func (s *Service) change(ctx context.Context, who Principal, id string, change func(*Key) (Entry, error)) (Key, error) {
	k, err := s.store.UpdateKey(ctx, id, func(k *Key) (Entry, error) {
		if !who.may(Viewer, k.Workspace) {
			return Entry{}, ErrNotFound // another workspace's key is no different from none
		}
		if !who.may(Member, k.Workspace) {
			return Entry{}, errNotKeys()
		}
		return change(k)
	})
	if err != nil {
		return Key{}, err
	}
	s.soon(ctx)
	return k, nil
}

func errNotKeys() *fault.Error {
	return fault.New(fault.PermissionDenied, "You may not manage the keys of this workspace.")
}

func (n *NewKey) check() error {
	n.Name = strings.TrimSpace(n.Name)
	if n.Name == "" || len(n.Name) > 200 {
		return fault.New(fault.InvalidParameter, "A key needs a name of up to 200 characters.").With("field", "name")
	}
	if err := checkWorkspace(n.Workspace); err != nil {
		return err
	}
	if n.Environment != Development && n.Environment != Production {
		return fault.New(fault.InvalidParameter, "The environment is development or production, not %q.", n.Environment).With("field", "environment")
	}
	if n.Lifetime < 0 {
		return fault.New(fault.InvalidParameter, "A key cannot expire in the past.").With("field", "expires")
	}
	for _, g := range n.Scope.Groups {
		if !slices.Contains(Groups(), g) {
			return fault.New(fault.InvalidParameter, "There is no scope %q: choose from chat, models, files, media, apps.", g).With("field", "scope")
		}
	}
	for _, glob := range n.Scope.Models {
		if glob == "" || strings.ContainsAny(glob, " \t\r\n") {
			return fault.New(fault.InvalidParameter, "A model pattern is a model id in which * stands for any characters: %q is not.", glob).With("field", "models")
		}
	}
	return nil
}
