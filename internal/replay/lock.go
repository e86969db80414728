package replay

import (
	"context"
	"time"

	"stele/internal/fault"
	"stele/internal/pause"
)

// Lock is a request's time with its key, or, where Answer is set, what it is to be
// answered with. A lock ends with Finish, Free or Leave, whichever is first; Leave
// is made to be deferred.
type Lock struct {
	Answer *Answer // of an earlier request; then there is nothing to do or to end
	ID     string  // for what the request makes
	Again  bool    // another took the key up before and never ended: what it made may be there, under ID

	service *Service
	scope   Scope
	work    *work
	claim   Claim
	until   time.Time // how long it waits for others
}

// Begin takes the scope of a lock up in the store, and waits there for other processes.
func (l *Lock) Begin(ctx context.Context) (*Lock, error) {
	s, asked := l.service, l.claim
	for {
		now := s.Now()
		silent := now.Add(-deadAfter)
		if s.Alone {
			silent = now
		}
		asked.Since = now
		c, ok, err := s.Store.Claim(ctx, asked, now.Add(-Kept), silent)
		l.claim = c
		switch {
		case err != nil:
			l.Leave()
			return nil, err
		case ok:
			l.ID, l.Again = c.ID, c.Tries > 1
			return l, nil
		case c.Fingerprint != asked.Fingerprint:
			l.Leave()
			return nil, refuseConflict()
		case c.Answer.Status != 0:
			l.work.answer = c.Answer
			l.Leave()
			return &Lock{Answer: &c.Answer}, nil
		}
		if err = pause.For(ctx, lookAt); err == nil && time.Now().After(l.until) {
			err = inProgress()
		}
		if err != nil {
			l.Leave()
			return nil, err
		}
	}
}

// Claim is what is to be saved, with an answer, in the transaction of what the request
// makes. Where a claim stands already, neither must be saved.
func (l *Lock) Claim(a Answer) Claim {
	c := l.claim
	c.Answer = a
	return c
}

// EndSaved ends a lock whose claim was saved.
func (l *Lock) EndSaved(a Answer) {
	l.work.answer = a
	l.Leave()
}

// DoOnce makes what a lock is for, unless that was made in an earlier lock which never
// ended, or by another process while this one was slow. Find looks for it under the
// lock's ID, and fails with GenerationNotFound where there is none.
func DoOnce[T any](l *Lock, find, order func(id string) (T, error)) (T, error) {
	if l.Again {
		if found, err := find(l.ID); err == nil || fault.From(err).Code != fault.GenerationNotFound {
			return found, err
		}
	}
	made, err := order(l.ID)
	if err != nil && fault.From(err).Unsure() {
		if found, lost := find(l.ID); lost == nil {
			return found, nil
		}
	}
	return made, err
}

// Finish keeps the answer and ends the lock. After an error the answer may be
// given all the same: the next client gets a lock with the same id, and finds what
// was made. ErrLost says that this has happened already.
func (l *Lock) Finish(ctx context.Context, a Answer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	l.claim.Answer = a
	err := l.service.Store.FinishClaim(ctx, l.claim)
	if err == nil {
		l.work.answer = a
	}
	l.Leave()
	return err
}

// Free ends the lock as if the key had never been used. It is for requests that
// surely have made nothing.
func (l *Lock) Free(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	err := l.service.Store.FreeClaim(ctx, l.claim)
	l.Leave()
	return err
}

// Leave ends the lock without an answer. Who comes next gets a lock with the same
// id. It does nothing to a lock that has ended.
func (l *Lock) Leave() {
	if l.work == nil {
		return
	}
	s := l.service
	s.mu.Lock()
	delete(s.busy, l.scope)
	s.mu.Unlock()
	close(l.work.done)
	l.work = nil
}
