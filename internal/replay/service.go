package replay

import (
	"context"
	"sync"
	"time"

	"stele/internal/fault"
)

const (
	// Kept is how long an answer is replayed.
	Kept = 24 * time.Hour

	patience = 10 * time.Second       // how long a twin waits for the first to be answered
	lookAt   = 150 * time.Millisecond // how often a twin looks what another process has done
	// deadAfter is how long a process may be silent before its claims are taken up.
	// It is short because a mistake costs nothing: both make the thing under one id,
	// and only one can save it.
	deadAfter = 6 * time.Second
	saving    = 10 * time.Second // a claim's end, whatever became of the client
)

// Options are what a service stands on.
type Options struct {
	Store Store
	Node  string // the name this process beats under
	Alone bool   // no other process works on the store: whatever it left is ours at once
	Now   func() time.Time
}

// Service gives each key to one request at a time. It is safe for concurrent use.
type Service struct {
	Options

	mu   sync.Mutex // guards busy
	busy map[Scope]*work
}

// work is a scope that this process is busy with.
type work struct {
	fingerprint string
	done        chan struct{}
	answer      Answer // after done; its status is 0 when somebody else has to try
}

// New makes a service.
func New(o Options) *Service {
	return &Service{Options: o, busy: make(map[Scope]*work)}
}

// Request is a request that carries a key.
type Request struct {
	Scope
	Fingerprint string
	ID          string // for what it will make, unless an earlier one has reserved another
}

// Begin gives a request its turn, or the answer of the one before it. While
// another is at it, in this process or elsewhere, it waits for that one's answer
// for some seconds. Its errors are for clients. Whoever gets a turn must end it.
func (s *Service) Begin(ctx context.Context, r Request) (*Turn, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		mine, other := s.enter(r)
		if other == nil {
			return s.claim(ctx, r, mine, timer.C)
		}
		if other.fingerprint != r.Fingerprint {
			return nil, conflict()
		}
		select {
		case <-other.done:
			if other.answer.Status != 0 {
				return &Turn{Answer: &other.answer}, nil
			}
		case <-timer.C:
			return nil, inProgress()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Sweep forgets answers that are not replayed any more, and says how many.
func (s *Service) Sweep(ctx context.Context) (int64, error) {
	return s.Store.DeleteClaimsBefore(ctx, s.Now().Add(-Kept))
}

// claim takes the scope up in the store, and waits there for other processes.
func (s *Service) claim(ctx context.Context, r Request, mine *work, tired <-chan time.Time) (*Turn, error) {
	turn := &Turn{service: s, scope: r.Scope, work: mine}
	for {
		now := s.Now()
		silent := now.Add(-deadAfter)
		if s.Alone {
			silent = now
		}
		c, ok, err := s.Store.Claim(ctx, Claim{Scope: r.Scope, Fingerprint: r.Fingerprint, ID: r.ID, Owner: s.Node, Since: now}, now.Add(-Kept), silent)
		turn.claim = c
		switch {
		case err != nil:
			turn.Leave()
			return nil, err
		case ok:
			turn.ID, turn.Again = c.ID, c.Turn > 1
			return turn, nil
		case c.Fingerprint != r.Fingerprint:
			turn.Leave()
			return nil, conflict()
		case c.Answer.Status != 0:
			mine.answer = c.Answer
			turn.Leave()
			return &Turn{Answer: &c.Answer}, nil
		}
		select {
		case <-time.After(lookAt):
		case <-tired:
			turn.Leave()
			return nil, inProgress()
		case <-ctx.Done():
			turn.Leave()
			return nil, context.Cause(ctx)
		}
	}
}

// enter marks the scope as this process's, or gives what it is busy with there.
func (s *Service) enter(r Request) (mine, other *work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.busy[r.Scope]; other != nil {
		return nil, other
	}
	mine = &work{fingerprint: r.Fingerprint, done: make(chan struct{})}
	s.busy[r.Scope] = mine
	return mine, nil
}

// Counts reports whether a status is an answer that is kept. Any other one says
// that nothing was decided, and leaves the key as if it had never been used.
func Counts(status int) bool {
	return (status >= 200 && status < 300) || status == 400 || status == 404 || status == 415 || status == 422
}

func conflict() error {
	return fault.New(fault.IdempotencyConflict, "This Idempotency-Key was used for another request: take a new one.").
		With("field", "Idempotency-Key")
}

func inProgress() error {
	return fault.New(fault.IdempotencyInProgress, "The first request with this Idempotency-Key is still being answered.").
		With("field", "Idempotency-Key").After(time.Second)
}
