package access

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"stele/internal/fault"
)

// ErrEnded says that a caller lost the right to what was being answered.
var ErrEnded = fmt.Errorf("the caller may not go on: %w", context.Canceled)

// WhyEnded is what the caller of a request is to be told when the right to it was lost
// while it was answered; nil as long as it was not.
func WhyEnded(ctx context.Context) *fault.Error {
	if ctx.Err() == nil {
		return nil
	}
	if e, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok && errors.Is(e, ErrEnded) {
		return e
	}
	return nil
}

// holds are the requests that are being answered for one key.
type holds struct {
	mu    sync.Mutex // guards the list and its members' timers
	first *hold
}

// hold is a request that ends with its key.
type hold struct {
	pass       Pass
	group      Group
	cancel     context.CancelCauseFunc
	index      *index
	now        func() time.Time
	of         *holds
	prev, next *hold
	gone       bool
	timer      *time.Timer // nil: the key does not end by the clock
}

// Hold gives a context that ends when the key does not open the group any more:
// when it is revoked, expires, is edited, or a policy shuts it out. WhyEnded tells. The
// caller calls release when the request is over. No goroutine waits meanwhile.
func (s *Service) Hold(ctx context.Context, pass Pass, group Group) (held context.Context, release func()) {
	e := pass.by.entry
	h := &hold{pass: pass, group: group, index: s.keys, now: s.now, of: e.holds}
	held, h.cancel = context.WithCancelCause(ctx)
	h.of.add(h)
	// A key that changed before the request was on the list, or that ends by the clock.
	if s.keys.opener(pass.by.hash) != pass.by || !e.ends.IsZero() || len(e.secrets) > 1 {
		h.check()
	}
	return held, h.release
}

// opener is what a hash leads to now; nil: nothing.
func (x *index) opener(hash [32]byte) *opener {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.byHash[hash]
}

func (l *holds) add(h *hold) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.next = l.first; h.next != nil {
		h.next.prev = h
	}
	l.first = h
}

func (h *hold) release() {
	h.of.mu.Lock()
	h.gone = true
	if h.prev != nil {
		h.prev.next = h.next
	} else if h.of.first == h {
		h.of.first = h.next
	}
	if h.next != nil {
		h.next.prev = h.prev
	}
	if h.timer != nil {
		h.timer.Stop()
	}
	h.of.mu.Unlock()
	h.cancel(nil)
	if h.pass.by.entry.idle == 0 {
		return
	}
	if o := h.index.opener(h.pass.by.hash); o != nil {
		o.entry.note(h.now()) // it was in use until now
	}
}

// check ends those of the requests whose key does not open any more.
func (l *holds) check() {
	l.mu.Lock()
	var list []*hold
	for h := l.first; h != nil; h = h.next {
		list = append(list, h)
	}
	l.mu.Unlock()
	for _, h := range list {
		h.check()
	}
}

// check ends the request if its key does not open any more, and else comes back
// when that will be so by the clock.
func (h *hold) check() {
	o, now := h.index.opener(h.pass.by.hash), h.now()
	if err := h.judge(o, now); err != nil {
		h.cancel(err)
		return
	}
	at := o.endsAt()
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	switch {
	case h.gone || at.IsZero() && h.timer == nil:
	case at.IsZero():
		h.timer.Stop()
	case h.timer == nil:
		h.timer = time.AfterFunc(at.Sub(now), h.check)
	default:
		h.timer.Reset(at.Sub(now))
	}
}

func (h *hold) judge(o *opener, now time.Time) error {
	if o == nil || !o.opens(now) {
		return errEnded()
	}
	if err := o.entry.check(h.pass.from); err != nil {
		return fault.From(err).Because(ErrEnded)
	}
	if !o.entry.who.Scope.Allows(h.group) {
		return fault.New(fault.PermissionDenied, "This key does not open %q any more.", h.group).With("scope", string(h.group)).Because(ErrEnded)
	}
	return nil
}

func errEnded() *fault.Error {
	return fault.New(fault.InvalidAPIKey, "The API key was revoked or has expired while this request was being answered.").Because(ErrEnded)
}
