package replay_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/fault"
	"stele/internal/replay"
)

// single is a store of one claim, for tests in which only time passes.
type single struct {
	mu    sync.Mutex // guards claim
	claim replay.Claim
}

func (s *single) Claim(_ context.Context, c replay.Claim, _, _ time.Time) (replay.Claim, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claim.Tries > 0 {
		return s.claim, false, nil
	}
	s.claim = c
	s.claim.Tries = 1
	return s.claim, true, nil
}

func (s *single) FinishClaim(_ context.Context, c replay.Claim) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claim = c
	return nil
}

func (*single) FreeClaim(context.Context, replay.Claim) error { return nil }

func (*single) AppendPiece(context.Context, replay.Claim, replay.Piece) error { return nil }

func (*single) Pieces(context.Context, string, int64) ([]replay.Piece, error) { return nil, nil }

func (*single) ForgetAsked(context.Context, string, []string) error { return nil }

func (*single) DeleteClaimsBefore(context.Context, time.Time) (int64, error) { return 0, nil }

func TestTwinsWaitSomeSecondsAndNoLonger(t *testing.T) {
	t.Parallel()
	for name, elsewhere := range map[string]bool{"in this process": false, "in another": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &single{}
				one := replay.New(replay.Options{Store: store, Node: "one", Now: time.Now})
				two := one
				if elsewhere {
					two = replay.New(replay.Options{Store: store, Node: "two", Now: time.Now})
				}
				first := lock(t, one, request("k"))
				began := time.Now()
				_, err := two.Begin(t.Context(), request("k"))
				if e := fault.From(err); e == nil || e.Code != fault.IdempotencyInProgress || e.RetryAfter != time.Second {
					t.Errorf("%v", err)
				}
				if waited := time.Since(began); waited < 9*time.Second || waited > 11*time.Second {
					t.Errorf("waited %s", waited)
				}
				time.AfterFunc(9*time.Second, func() {
					if err := first.Finish(t.Context(), created); err != nil {
						t.Error(err)
					}
				})
				began = time.Now()
				if got := begin(t, two, request("k")); got.Answer == nil {
					t.Errorf("%+v", got)
				}
				if waited := time.Since(began); waited > 9200*time.Millisecond {
					t.Errorf("the answer was seen after %s", waited)
				}
			})
		})
	}
}
