package store

import (
	"fmt"
	"testing"
)

// TestAStatementIsUsedWhileItsRowsAreRead asks the same again before the first
// answer was read to its end.
func TestAStatementIsUsedWhileItsRowsAreRead(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	tx, err := s.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	const text = `SELECT value FROM json_each($1)`
	for range 3 {
		rows, err := tx.QueryContext(t.Context(), text, `[1,2,3]`)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for rows.Next() {
			var outer, inner int
			if err := rows.Scan(&outer); err != nil {
				t.Fatal(err)
			}
			if err := tx.QueryRowContext(t.Context(), text, fmt.Sprintf(`[%d]`, 10*outer)).Scan(&inner); err != nil {
				t.Fatal(err)
			}
			sum += outer + inner
		}
		if err := rows.Err(); err != nil || sum != 66 {
			t.Errorf("the sum is %d, %v", sum, err)
		}
		_ = rows.Close()
	}
}

func TestMoreStatementsThanAreRemembered(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	for round := range 2 {
		for n := range 2 * mostStatements {
			var got int
			if err := s.write.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT %d + $1`, n), round).Scan(&got); err != nil || got != n+round {
				t.Fatalf("%d + %d = %d, %v", n, round, got, err)
			}
		}
	}
	if err := s.write.QueryRowContext(t.Context(), `SELECT nothing`).Scan(new(int)); err == nil {
		t.Error("a wrong statement was run")
	}
	if err := s.write.QueryRowContext(t.Context(), `SELECT 1 WHERE json($1) = ''`, `{`).Scan(new(int)); err == nil {
		t.Error("a wrong argument was taken")
	}
	if err := s.write.QueryRowContext(t.Context(), `SELECT 1 WHERE json($1) = '[]'`, `[]`).Scan(new(int)); err != nil {
		t.Errorf("after a wrong argument: %v", err)
	}
}
