package access

import (
	"context"
	"slices"
	"time"

	"stele/internal/fault"
)

// Secret is one of the texts that open a key, as it is kept.
type Secret struct {
	Hash  string `json:"hash"`            // keyed hash, hexadecimal
	Until int64  `json:"until,omitempty"` // Unix milliseconds: when it ends, once a newer one has been used; 0 for the newest
	Used  bool   `json:"used,omitempty"`  // it has opened the key
}

// mostOlder is how many secrets a key has beside its newest.
const mostOlder = 5

// WorkingSecrets are the secrets that open the key, the newest first. Those before the
// newest go on until that was used once, and after that until their grace ends: an
// answer that was lost on its way has shut no client out.
func (k *Key) WorkingSecrets(now time.Time) []Secret {
	if k.Status(now) != "active" {
		return nil
	}
	return workingSecrets(k.Secrets, now)
}

func workingSecrets(secrets []Secret, now time.Time) []Secret {
	if len(secrets) == 0 {
		return nil
	}
	list := secrets[:1:1]
	for _, old := range secrets[1:] {
		if opensStill(secrets[0].Used, old.Until, now) {
			list = append(list, old)
		}
	}
	return list
}

// opensStill reports whether a secret before the newest opens its key: until that was used, and then to its own end.
func opensStill(newestUsed bool, until int64, now time.Time) bool {
	return !newestUsed || now.UnixMilli() < until
}

// Rotation says what becomes of the secrets that a key has.
type Rotation struct {
	Grace  time.Duration // how long they work on after the rotation, once the new one was used
	AtOnce bool          // they end now, whether the new one was used or not
}

// RotateKey gives the key a new secret. Every secret that works goes on working
// until the new one was used once, and from then on until its grace ends.
func (s *Service) RotateKey(ctx context.Context, who Principal, id string, r Rotation) (Key, string, error) {
	if r.Grace < 0 {
		return Key{}, "", fault.New(fault.InvalidParameter, "A grace period cannot be negative.").Field("grace")
	}
	if r.AtOnce && r.Grace > 0 {
		return Key{}, "", fault.New(fault.InvalidParameter, "A secret that ends at once has no grace period.").Field("grace")
	}
	if err := s.touch(ctx); err != nil { // which secrets were used decides which have ended
		return Key{}, "", err
	}
	now := s.now()
	var secret string
	k, err := s.change(ctx, who, id, func(k *Key) (Entry, error) {
		if status := k.Status(now); status != "active" {
			return Entry{}, fault.New(fault.InvalidParameter, "The key is %s: make a new one instead of rotating it.", status).Field("id")
		}
		secret = newSecret(k.Environment)
		k.Secrets = addSecret(k.Secrets, Secret{Hash: s.hash(secret)}, r, now)
		return s.entry(who, "key.rotate", *k), nil
	})
	if err != nil {
		return Key{}, "", err
	}
	return k, secret, nil
}

// addSecret puts a new secret before those that still work. Too many lose the oldest
// that was never used, else the oldest.
func addSecret(secrets []Secret, next Secret, r Rotation, now time.Time) []Secret {
	if r.AtOnce {
		return []Secret{next}
	}
	older := slices.Clone(workingSecrets(secrets, now))
	if len(older) > 0 {
		older[0].Until = now.Add(r.Grace).UnixMilli()
	}
	for len(older) > mostOlder {
		at := len(older) - 1
		for i := at; i >= 0; i-- {
			if !older[i].Used {
				at = i
				break
			}
		}
		older = slices.Delete(older, at, at+1)
	}
	return append([]Secret{next}, older...)
}
