package store

import (
	"fmt"
	"testing"
	"time"

	"stele/internal/relay"
)

// TestTurnsAreFoundWithoutAnOldPlan reads from the table while it is empty, and when it is not. No
// connection may have kept a plan from before.
func TestTurnsAreFoundWithoutAnOldPlan(t *testing.T) {
	t.Parallel()
	s := openTest(t, "postgres")
	for i := range 20 {
		key := fmt.Sprint("k", i)
		if rows, err := s.KeptTurns(t.Context(), "w", []string{key}, time.Time{}, 1<<20); err != nil || len(rows) != 0 {
			t.Fatalf("%v, %v", rows, err)
		}
		if err := s.KeepTurns(t.Context(), []relay.Row{{Workspace: "w", Key: key, Turn: key, At: time.Now(), Sealed: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
		if rows, err := s.KeptTurns(t.Context(), "w", []string{key}, time.Time{}, 1<<20); err != nil || len(rows) != 1 {
			t.Fatalf("%v, %v", rows, err)
		}
	}
	idle := s.pool.AcquireAllIdle(t.Context())
	if len(idle) == 0 {
		t.Fatal("no connection is left to look at")
	}
	for _, conn := range idle {
		var n int
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE $1`, `%FROM vault_turns%`).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d plans are kept, %v", n, err)
		}
		conn.Release()
	}
}
