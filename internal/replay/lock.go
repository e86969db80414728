package replay

import (
	"context"
	"time"

	"stele/internal/fault"
	"stele/internal/pause"
)

// Turn is a request's time with its key, or, where Answer is set, what it is to be
// answered with. A turn ends with Finish, Free or Leave, whichever is first; Leave
// is made to be deferred.
type Turn struct {
	Answer *Answer // of an earlier request; then there is nothing to do or to end
	ID     string  // for what the request makes
	Again  bool    // another took the key up before and never ended: what it made may be there, under ID

	service *Service
	scope   Scope
	work    *work
	claim   Claim
	until   time.Time // how long it waits for others
}

// Begin takes the scope of a turn up in the store, and waits there for other processes.
func (t *Turn) Begin(ctx context.Context) (*Turn, error) {
	s, asked := t.service, t.claim
	for {
		now := s.Now()
		silent := now.Add(-deadAfter)
		if s.Alone {
			silent = now
		}
		asked.Since = now
		c, ok, err := s.Store.Claim(ctx, asked, now.Add(-Kept), silent)
		t.claim = c
		switch {
		case err != nil:
			t.Leave()
			return nil, err
		case ok:
			t.ID, t.Again = c.ID, c.Turn > 1
			return t, nil
		case c.Fingerprint != asked.Fingerprint:
			t.Leave()
			return nil, refuseConflict()
		case c.Answer.Status != 0:
			t.work.answer = c.Answer
			t.Leave()
			return &Turn{Answer: &c.Answer}, nil
		}
		if err = pause.For(ctx, lookAt); err == nil && time.Now().After(t.until) {
			err = inProgress()
		}
		if err != nil {
			t.Leave()
			return nil, err
		}
	}
}

// Claim is what is to be saved, with an answer, in the transaction of what the request
// makes. Where a claim stands already, neither must be saved.
func (t *Turn) Claim(a Answer) Claim {
	c := t.claim
	c.Answer = a
	return c
}

// EndSaved ends a turn whose claim was saved.
func (t *Turn) EndSaved(a Answer) {
	t.work.answer = a
	t.Leave()
}

// DoOnce makes what a turn is for, unless that was made in an earlier turn which never
// ended, or by another process while this one was slow. Find looks for it under the
// turn's ID, and fails with the code missing where there is none.
func DoOnce[T any](t *Turn, missing fault.Code, find, order func(id string) (T, error)) (T, error) {
	if t.Again {
		if found, err := find(t.ID); err == nil || fault.From(err).Code != missing {
			return found, err
		}
	}
	made, err := order(t.ID)
	if err != nil && fault.From(err).Unsure() {
		if found, lost := find(t.ID); lost == nil {
			return found, nil
		}
	}
	return made, err
}

// Finish keeps the answer and ends the turn. After an error the answer may be
// given all the same: the next client gets a turn with the same id, and finds what
// was made. ErrLost says that this has happened already.
func (t *Turn) Finish(ctx context.Context, a Answer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	t.claim.Answer = a
	err := t.service.Store.FinishClaim(ctx, t.claim)
	if err == nil {
		t.work.answer = a
	}
	t.Leave()
	return err
}

// Free ends the turn as if the key had never been used. It is for requests that
// surely have made nothing.
func (t *Turn) Free(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	err := t.service.Store.FreeClaim(ctx, t.claim)
	t.Leave()
	return err
}

// Leave ends the turn without an answer. Who comes next gets a turn with the same
// id. It does nothing to a turn that has ended.
func (t *Turn) Leave() {
	if t.work == nil {
		return
	}
	s := t.service
	s.mu.Lock()
	delete(s.busy, t.scope)
	s.mu.Unlock()
	close(t.work.done)
	t.work = nil
}
