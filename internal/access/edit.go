package access

import (
	"context"
	"strings"
	"time"

	"stele/internal/fault"
)

// KeyEdit is what is to be changed of a key. Nil leaves a field as it is.
type KeyEdit struct {
	Name   *string
	Groups *[]Group
	Models *[]string
	// Lifetime counts from now; 0: it expires no more by itself.
	Lifetime *time.Duration
	Idle     *time.Duration
	CIDRs    *[]string
}

// EditKey changes what a key opens and how long it lives. What it opened before and
// does not any more ends within a second, also in the middle of an answer.
func (s *Service) EditKey(ctx context.Context, who Principal, id string, edit KeyEdit) (Key, error) {
	now := s.now()
	return s.change(ctx, who, id, func(k *Key) (Entry, error) {
		if !k.RevokedAt.IsZero() {
			return Entry{}, fault.New(fault.InvalidParameter, "The key is revoked: there is no way back.").Field("id")
		}
		was := k.values()
		if err := edit.apply(k, now); err != nil {
			return Entry{}, err
		}
		if err := k.check(); err != nil {
			return Entry{}, err
		}
		if err := k.Policy.checkKey(k); err != nil {
			return Entry{}, err
		}
		if err := s.keys.checkRoom(k); err != nil {
			return Entry{}, err
		}
		changes := ChangesOf(was, k.values())
		if len(changes) == 0 {
			return Entry{}, nil
		}
		e := s.entry(who, "key.update", *k)
		e.Changes = changes
		return e, nil
	})
}

func (edit *KeyEdit) apply(k *Key, now time.Time) error {
	if edit.Name != nil {
		k.Name = *edit.Name
	}
	if edit.Groups != nil {
		k.Scope.Groups = *edit.Groups
	}
	if edit.Models != nil {
		k.Scope.Models = *edit.Models
	}
	if edit.Idle != nil {
		if k.Idle = *edit.Idle; k.Idle < 0 {
			return checkIdle(k.Idle)
		}
	}
	if edit.CIDRs != nil {
		k.CIDRs = *edit.CIDRs
	}
	if edit.Lifetime == nil {
		return nil
	}
	if *edit.Lifetime < 0 {
		return fault.New(fault.InvalidParameter, "A key cannot expire in the past: revoke it.").Field("expires")
	}
	if k.ExpiresAt = (time.Time{}); *edit.Lifetime > 0 {
		k.ExpiresAt = now.Add(*edit.Lifetime)
	}
	return nil
}

// values are what can be edited of a key, as the audit log tells of it.
func (k *Key) values() [][2]string {
	expires := ""
	if !k.ExpiresAt.IsZero() {
		expires = k.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return [][2]string{
		{"name", k.Name}, {"scopes", texts(k.Scope.Groups, " ")}, {"models", strings.Join(k.Scope.Models, " ")},
		{"expires", expires}, {"idle_expires", lengthText(k.Idle)}, {"cidrs", strings.Join(k.CIDRs, " ")},
	}
}
