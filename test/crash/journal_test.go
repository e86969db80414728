package crash

import (
	"testing"

	"stele/test/rig"
)

// journal counts how often the sandbox accepted each key.
type journal func(t testing.TB) map[string]int

func openJournal(t testing.TB, h *rig.House, databaseURL string) journal {
	t.Helper()
	db := h.Books(t, databaseURL)
	return func(t testing.TB) map[string]int {
		t.Helper()
		rows, err := db.Query(`SELECT key, COUNT(*) FROM sandbox_journal GROUP BY key`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		counts := make(map[string]int)
		for rows.Next() {
			var key string
			var n int
			if err := rows.Scan(&key, &n); err != nil {
				t.Fatal(err)
			}
			counts[key] = n
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return counts
	}
}
