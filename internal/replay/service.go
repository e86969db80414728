package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	// Unsent is told which claims say that an upstream is asked although nothing was sent yet; nil: none.
	Unsent Unsent
}

// Unsent is a list that outlives the process: a claim's id is put down before the claim says that
// an upstream is asked, and struck off before it is. After an error of Strike nothing may be sent.
type Unsent interface {
	Put(claim string)
	Strike(claim string) error
}

// Service gives each key to one request at a time. It is safe for concurrent use.
type Service struct {
	Options

	mu         sync.Mutex // guards what follows
	busy       map[Scope]*work
	recordings map[Scope]*recording
	stopping   bool

	recorders sync.WaitGroup
}

// work is a scope that this process is busy with.
type work struct {
	fingerprint string
	done        chan struct{}
	answer      Answer // after done; its status is 0 when the next in line has to try
}

// New makes a service.
func New(o Options) *Service {
	return &Service{Options: o, busy: make(map[Scope]*work), recordings: make(map[Scope]*recording)}
}

// Request is a request that carries a key.
type Request struct {
	Scope
	Fingerprint string
	ID          string // for what it will make, unless an earlier one has reserved another
}

// Fingerprint is what tells requests apart by what they ask for.
func Fingerprint(asked ...string) string {
	sum := sha256.New()
	for _, text := range asked {
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Begin gives a request its lock, or the answer of the one before it. While
// another is at it, in this process or elsewhere, it waits for that one's answer
// for some seconds. Its errors are for clients. The caller must end its lock.
func (s *Service) Begin(ctx context.Context, r Request) (*Lock, error) {
	lock, err := s.Enter(ctx, r)
	if err != nil || lock.Answer != nil {
		return lock, err
	}
	return lock.Begin(ctx)
}

// Enter is Begin as far as this process goes: nothing is saved yet. The caller either
// saves the lock's claim with what it makes and ends the lock with EndSaved, or begins it.
func (s *Service) Enter(ctx context.Context, r Request) (*Lock, error) {
	until := time.Now().Add(patience)
	for {
		mine, other := s.enter(r)
		if other == nil {
			claim := Claim{Scope: r.Scope, Fingerprint: r.Fingerprint, ID: r.ID, Owner: s.Node, Tries: 1, Since: s.Now()}
			return &Lock{ID: r.ID, service: s, scope: r.Scope, work: mine, claim: claim, until: until}, nil
		}
		if other.fingerprint != r.Fingerprint {
			return nil, refuseConflict()
		}
		select {
		case <-other.done:
			if other.answer.Status != 0 {
				return &Lock{Answer: &other.answer}, nil
			}
		case <-time.After(time.Until(until)):
			return nil, inProgress()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// ForgetUnsent has the next client ask for what a process that is dead marked as asked and never
// sent, as its list of the unsent says. Claims that others took up since are left alone.
func (s *Service) ForgetUnsent(ctx context.Context, owner string, claims []string) error {
	if len(claims) == 0 {
		return nil
	}
	return s.Store.ForgetAsked(ctx, owner, claims)
}

// Sweep forgets answers that are not replayed any more, and says how many.
func (s *Service) Sweep(ctx context.Context) (int64, error) {
	return s.Store.DeleteClaimsBefore(ctx, s.Now().Add(-Kept))
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

func refuseConflict() error {
	return fault.New(fault.IdempotencyConflict, "This Idempotency-Key was used for another request: take a new one.").
		Field("Idempotency-Key")
}

func inProgress() error {
	return fault.New(fault.IdempotencyInProgress, "The first request with this Idempotency-Key is still being answered.").
		Field("Idempotency-Key").After(time.Second)
}
