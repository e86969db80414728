package page

import (
	"testing"

	"stele/internal/limit"
)

func TestABarShowsHowMuchOfALimitIsGone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name        string
		amount      int64
		balance     limit.Balance
		tone, share string
		pieces      int
	}{
		{"nothing yet", 100, limit.Balance{}, "good", "0%", 0},
		{"half", 100, limit.Balance{Settled: 50}, "good", "50%", 1},
		{"half, and some held", 100, limit.Balance{Settled: 50, Held: 10}, "good", "50%", 2},
		{"past the last but one threshold", 100, limit.Balance{Settled: 70, Doubt: 15}, "warn", "85%", 2},
		{"more than all", 100, limit.Balance{Settled: 130}, "bad", "130%", 1},
		{"of nothing", 0, limit.Balance{}, "bad", "100%", 1},
		{"of nothing, with something in doubt", 0, limit.Balance{Doubt: 7}, "bad", "100%", 1},
	} {
		l := &limit.Limit{Measure: limit.Requests, Amount: row.amount, Marks: []int{80, 100}}
		bar := new(Frame).LimitBar(limit.Standing{Limit: l, Balance: row.balance}, nil)
		if bar.Tone != row.tone || bar.Share != row.share || len(bar.Pieces()) != row.pieces {
			t.Errorf("%s: got %s, %s, %v", row.name, bar.Tone, bar.Share, bar.Pieces())
		}
	}
}
