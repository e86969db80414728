package relay

import (
	"context"
	"errors"
	"time"

	"stele/internal/pause"
)

const (
	patience   = 5 * time.Second // for a database that is away for a moment
	impatience = time.Second     // for one that was away already
	again      = 20 * time.Millisecond
)

// saving is a turn on its way to the database.
type saving struct {
	vault *Vault
	done  chan struct{}
}

// save begins to write a turn for the other servers. It is nil where none needs it.
func (v *Vault) save(ctx context.Context, workspace string, t *turn) *saving {
	if v.rows == nil || !t.isSigned() || len(t.keys()) == 0 {
		return nil
	}
	const lost = "thoughts of a turn are known to this server only"
	rows, err := v.rowsOf(workspace, t)
	if err != nil {
		v.warn(ctx, lost, workspace, err)
		return nil
	}
	size := int64(len(rows[0].Sealed))
	if v.pending.Add(size) > mostPending {
		v.pending.Add(-size)
		v.warn(ctx, lost, workspace, errors.New("the database does not keep up"))
		return nil
	}
	s := &saving{v, make(chan struct{})}
	ctx = context.WithoutCancel(ctx) // who leaves may come back
	go func() {
		err := v.insist(ctx, func(ctx context.Context) error { return v.rows.KeepTurns(ctx, rows) })
		v.pending.Add(-size)
		close(s.done)
		if err != nil {
			v.warn(ctx, lost, workspace, err)
			return
		}
		if v.grow(workspace, size) {
			if err := v.rows.TrimTurns(ctx, workspace, mostOfWorkspace); err != nil {
				v.warn(ctx, "thoughts of old turns not deleted", workspace, err)
			}
		}
	}()
	return s
}

// wait returns when the turn is saved, or as long as an answer may be held up for it.
func (s *saving) wait() {
	if s == nil {
		return
	}
	timer := time.NewTimer(s.vault.patience())
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
	}
}

// grow counts what was written for a workspace, and reports whether it is time to look how
// much that is by now.
func (v *Vault) grow(workspace string, size int64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.grown[workspace] += size; v.grown[workspace] < mostOfWorkspace/16 {
		return false
	}
	delete(v.grown, workspace)
	return true
}

func (v *Vault) patience() time.Duration {
	if v.away.Load() {
		return impatience
	}
	return patience
}

// insist asks the database, and asks again as long as there is patience. Once it was
// away it is asked once, so that answers are not held up, until it is there again.
func (v *Vault) insist(ctx context.Context, do func(context.Context) error) error {
	was := v.away.Load()
	bounded, cancel := context.WithTimeout(ctx, v.patience())
	defer cancel()
	for {
		err := do(bounded)
		if err == nil {
			v.away.Store(false)
			return nil
		}
		if !was && pause.For(bounded, again) == nil {
			continue
		}
		if ctx.Err() == nil {
			v.away.Store(true)
		}
		return err
	}
}
