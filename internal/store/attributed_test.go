package store

import (
	"fmt"
	"testing"
	"time"

	"stele/internal/meter"
)

// Usage is added up by end user and by each tag; a day tells so many apart, and the
// rest is one group, so that nothing is left out.
func TestUsageIsAddedUpByEndUserAndTag(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		var list []meter.Record
		for i := range mostNames + 50 {
			r := record(1)
			r.User, r.Nano = fmt.Sprint("user-", i), 10
			if i < 5 {
				r.Tags = "team=a,feature=x=y"
			} else if i < 7 {
				r.Tags = "team=b"
			}
			list = append(list, r)
		}
		list = append(list, record(1)) // for no person or tag
		for len(list) > 0 {            // as journals do it
			n := min(len(list), 100)
			if err := s.InsertRecords(t.Context(), list[:n]); err != nil {
				t.Fatal(err)
			}
			list = list[n:]
		}
		day := record(1).At.UTC().Truncate(24 * time.Hour)
		of := meter.Slice{Workspace: "default", From: day, Until: day.AddDate(0, 0, 1)}
		groups := func(by meter.Split) map[string]meter.Figures {
			t.Helper()
			list, err := s.UsageGroups(t.Context(), of, by, meter.Cost, 10_000)
			if err != nil {
				t.Fatal(err)
			}
			found := make(map[string]meter.Figures)
			for _, g := range list {
				found[g.Name] = g.Figures
			}
			return found
		}
		users := groups(meter.ByUser)
		if len(users) != mostNames+1 || users[meter.OtherModels].Requests != 50 || users["user-0"].Nano != 10 {
			t.Errorf("%d groups, others %+v, user-0 %+v", len(users), users[meter.OtherModels], users["user-0"])
		}
		if teams := groups(meter.ByTag("team")); len(teams) != 2 || teams["a"].Requests != 5 || teams["b"].Nano != 20 {
			t.Errorf("teams %+v", teams)
		}
		if features := groups(meter.ByTag("feature")); len(features) != 1 || features["x=y"].Requests != 5 {
			t.Errorf("features %+v", features)
		}
		days, err := s.UsageDays(t.Context(), of, meter.ByTag("team"), []string{"a"})
		if err != nil || len(days) != 1 || days[0].Requests != 5 {
			t.Errorf("days %+v, %v", days, err)
		}
		// Another process reads what the day tells apart already.
		s.names = names{}
		r := record(1)
		r.User = "late"
		if err := s.InsertRecords(t.Context(), []meter.Record{r}); err != nil {
			t.Fatal(err)
		}
		if again := groups(meter.ByUser); again[meter.OtherModels].Requests != 51 {
			t.Errorf("others %+v", again[meter.OtherModels])
		}
	})
}
