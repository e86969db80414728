package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/replay"
	"stele/internal/store"
)

// piecesComeBack saves an answer piece by piece, takes its claim away, and forgets it.
func piecesComeBack(t *testing.T, s *store.Store) {
	must(t, s.Beat(t.Context(), "node_1", noon))
	first := claimed(t, s, claim("k", "node_1"))
	pieces := []replay.Piece{{Place: 0, At: noon}, {Place: 1, At: noon, Body: []byte("{}")}, {Place: 2, At: noon, Body: []byte("a\x00\xff")}}
	for _, p := range pieces {
		must(t, s.AppendPiece(t.Context(), first, p))
	}
	for from := range len(pieces) + 1 {
		got, err := s.Pieces(t.Context(), first.ID, int64(from))
		if diff := cmp.Diff(pieces[from:], got, cmp.Transformer("text", func(b []byte) string { return string(b) })); err != nil || diff != "" && len(got)+from != len(pieces) {
			t.Errorf("from %d: %v\n%s", from, err, diff)
		}
	}
	second, mine, err := s.Claim(t.Context(), claim("k", "node_2"), yesterday, noon.Add(time.Minute))
	if !mine || err != nil {
		t.Fatal(mine, err)
	}
	if err := s.AppendPiece(t.Context(), first, replay.Piece{Place: 3, At: noon}); !errors.Is(err, replay.ErrLost) {
		t.Errorf("a piece of a lost claim: %v", err)
	}
	second.Answer = replay.Answer{Status: 200, Type: "text/event-stream", Header: `{"A":"b"}`, Body: []byte("b"), Pieces: 3, Ending: replay.Cut}
	must(t, s.FinishClaim(t.Context(), second))
	got, mine, err := s.Claim(t.Context(), claim("k", "node_2"), yesterday, noon)
	if diff := cmp.Diff(second, got); mine || err != nil || diff != "" {
		t.Errorf("the answer: %v, %v\n%s", mine, err, diff)
	}
	if err := s.AppendPiece(t.Context(), second, replay.Piece{Place: 3, At: noon}); !errors.Is(err, replay.ErrLost) {
		t.Errorf("a piece of an answer that has ended: %v", err)
	}
	if _, err := s.DeleteClaimsBefore(t.Context(), noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if left, err := s.Pieces(t.Context(), first.ID, 0); err != nil || len(left) > 0 {
		t.Errorf("%d pieces are left, %v", len(left), err)
	}
}
