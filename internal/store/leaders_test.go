package store

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/meter"
)

// Who led weeks that are over is noted, once. A page of many weeks has the same
// names with the same figures as in all their days.
func TestThoseWhoUsedTheMostAreFoundAmongLeaders(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		const weeks, users = 5, 290                           // a week more than is always read, and more sums in each than are read quickly
		now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC) // a Wednesday
		random := rand.New(rand.NewPCG(1, 2))
		for day := range weeks * 7 {
			var list []meter.Record
			for user := range users {
				r := record(0)
				r.ID, r.At = fmt.Sprintf("use_%03d_%03d", day, user), now.AddDate(0, 0, -day)
				r.Key = fmt.Sprintf("key_%03d", user)
				r.User, r.Environment = fmt.Sprintf("user-%03d", user), []string{"production", "development"}[user%2]
				r.Nano = random.Int64N(1000) * int64(1+user%50)
				r.Output = random.Int64N(1000) * int64(1+user%40)
				list = append(list, r)
			}
			if err := s.InsertRecords(t.Context(), list); err != nil {
				t.Fatal(err)
			}
		}
		of := meter.Slice{Workspace: "default", From: now.Truncate(24*time.Hour).AddDate(0, 0, -weeks*7+1), Until: now.Truncate(24*time.Hour).AddDate(0, 0, 1)}
		ask := func() (all [][]meter.Group) {
			for _, environment := range []string{"", "production"} {
				for _, most := range []meter.Measure{meter.Cost, meter.Tokens} {
					for _, by := range []meter.Split{meter.ByUser, meter.ByKey} {
						of.Environment = environment
						groups, err := s.UsageGroups(t.Context(), of, by, most, 20)
						if err != nil || len(groups) != 20 {
							t.Fatal(len(groups), err)
						}
						all = append(all, groups)
					}
				}
			}
			return all
		}
		before := ask()
		if n, err := s.NoteLeaders(t.Context(), now); err != nil || n != 2*(weeks-1) { // of end users and of keys; the first and the last are not whole
			t.Fatalf("%d weeks, %v", n, err)
		}
		if n, err := s.NoteLeaders(t.Context(), now.Add(time.Hour)); err != nil || n != 0 {
			t.Errorf("again %d weeks, %v", n, err)
		}
		for _, by := range []meter.Split{meter.ByUser, meter.ByKey} {
			if names, err := s.findLeaders(t.Context(), of, by, meter.Cost, 20); err != nil || len(names) != 20 {
				t.Errorf("%d names lead, %v", len(names), err)
			}
		}
		if diff := cmp.Diff(before, ask()); diff != "" {
			t.Errorf("what is found differs (-before +after):\n%s", diff)
		}
		if n, err := s.DeleteUsageBefore(t.Context(), now.AddDate(1, 0, 0)); err != nil || n == 0 {
			t.Fatal(n, err)
		}
		if left, err := s.texts(t.Context(), `SELECT name FROM usage_leaders`); err != nil || len(left) != 0 {
			t.Errorf("%d leaders are left, %v", len(left), err)
		}
	})
}
