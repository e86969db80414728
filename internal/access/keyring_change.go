package access

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"stele/internal/seal"
)

// MasterState says which master keys open an installation.
type MasterState struct {
	Using string   // fingerprint of the one that was used here
	To    string   // of the one that a change under way goes to; "" where there is none
	Opens []string // of all that open it now
}

// State says which master keys open the installation.
func (k *Keyring) State() MasterState {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := MasterState{Using: k.using, To: k.kept.To}
	s.Opens = slices.Sorted(maps.Keys(k.kept.Wraps))
	return s
}

// Begin lets a new master key open the installation beside the one in use, and
// makes new keys for whatever is sealed and signed from now on. Old signatures
// count for links longer. Begun again with the same key it does nothing.
func (k *Keyring) Begin(ctx context.Context, next *seal.Master, links time.Duration, now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.follow(ctx); err != nil {
		return err
	}
	if k.kept.To == next.Fingerprint() {
		return nil
	}
	current, err := k.master(k.using)
	if err != nil {
		return err
	}
	return k.swap(ctx, wrapFor(k.WithNewKeys(now.Add(links)), next.Fingerprint(), current, next))
}

// Finish ends a change: only the new master key opens the installation from now
// on. Everything must have been sealed anew before.
func (k *Keyring) Finish(ctx context.Context, now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.follow(ctx); err != nil {
		return err
	}
	if k.kept.To == "" {
		return nil
	}
	next, err := k.master(k.kept.To)
	if err != nil {
		return err
	}
	if err := k.swap(ctx, wrapFor(k.WithoutFormer(now), "", next)); err != nil {
		return err
	}
	return k.store.Set(ctx, settingMaster, next.Fingerprint())
}

// Lagging lists the servers that run and do not have the master key at hand that a
// change goes to.
func (k *Keyring) Lagging(ctx context.Context, since time.Time) ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	holders, err := k.store.MasterHolders(ctx, since)
	if err != nil {
		return nil, err
	}
	var list []string
	for node, fingerprint := range holders {
		if fingerprint != k.kept.To {
			list = append(list, node)
		}
	}
	slices.Sort(list)
	return list, nil
}

func (k *Keyring) master(fingerprint string) (*seal.Master, error) {
	list, err := k.masters()
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.Fingerprint() == fingerprint {
			return m, nil
		}
	}
	return nil, errOtherMaster
}

func (k *Keyring) swap(ctx context.Context, next string) error {
	saved, err := k.store.SwapSetting(ctx, settingRing, k.text, next)
	if err != nil {
		return err
	}
	if !saved {
		return errors.New("another process is changing the master key: try again")
	}
	return k.take(next)
}
