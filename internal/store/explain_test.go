package store

import (
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/meter"
)

// TestEachPieceIsAnsweredInTheOrderOfItsIndex asks SQLite how it would answer: no row
// is read that the index could leave out, and nothing is sorted.
func TestEachPieceIsAnsweredInTheOrderOfItsIndex(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	for index, q := range map[string]meter.Search{
		"requests_by_workspace (workspace=? AND (at,id)<(?,?))": {},
		"requests_by_code (workspace=? AND code=? AND (at,id)<": {Code: "x", Class: 5, Key: "k"},
		"requests_failed (workspace=? AND (at,id)<(?,?))":       {Class: 5, Key: "x"},
		"requests_refused (workspace=? AND (at,id)<(?,?))":      {Class: 4, Stream: "yes"},
		"requests_by_user (workspace=? AND end_user=? AND (at,": {User: "ann", Class: 5, Tag: "team=a", Key: "k"},
	} {
		by, rest := splitSearch(q)
		by.add("workspace = ?", "a")
		by.addCursor("<", access.Cursor{At: time.Now(), ID: "x"})
		for _, add := range rest {
			add(by)
		}
		rows, err := s.read.QueryContext(t.Context(), `EXPLAIN QUERY PLAN SELECT `+requestColumns+s.fromRequests(by)+inOrder+`50`, by.args...)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var a, b, c int
			var step string
			if err := rows.Scan(&a, &b, &c, &step); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, step)
		}
		if err := rows.Err(); err != nil || len(plan) != 1 || !strings.Contains(plan[0], index) {
			t.Errorf("%+v: %q, want %s, %v", q, plan, index, err)
		}
	}
}
