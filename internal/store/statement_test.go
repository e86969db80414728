package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/meter"
	"stele/internal/uid"
)

// TestAStatementAddsUpToItsRows fills a month and its neighbours with requests at random
// and compares each line with the rows that it is about.
func TestAStatementAddsUpToItsRows(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		from := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
		random := rand.New(rand.NewPCG(7, 7))
		var records, within []meter.Record
		for range 600 {
			r := meter.Record{
				ID: uid.New("use"), At: from.Add(time.Duration(random.Int64N(int64(40*24*time.Hour))) - 5*24*time.Hour), Workspace: "acme", Status: 200,
				Provider: "p", Target: "t", Model: fmt.Sprint("model-", random.IntN(5)), Key: fmt.Sprint("key_", random.IntN(3)), Nano: random.Int64N(1e9), Priced: true,
				PriceSource: catalog.FromBook, Input: random.Int64N(1000),
			}
			if random.IntN(4) > 0 {
				r.Person = fmt.Sprint("usr_", random.IntN(3))
			}
			if random.IntN(3) > 0 {
				r.Tags = fmt.Sprintf("team=%d,feature=x=y", random.IntN(4))
			}
			if random.IntN(9) == 0 {
				r.Nano, r.Priced, r.PriceSource = 0, false, catalog.Unpriced
			}
			if random.IntN(50) == 0 {
				r.Workspace = "other"
			}
			records = append(records, r)
			if r.Workspace == "acme" && !r.At.Before(from) && r.At.Before(from.AddDate(0, 1, 0)) {
				within = append(within, r)
			}
		}
		if err := s.InsertRecords(t.Context(), records); err != nil {
			t.Fatal(err)
		}
		got, err := s.Statement(t.Context(), "acme", from, from.AddDate(0, 1, 0))
		if err != nil {
			t.Fatal(err)
		}
		want := meter.Figures{}
		for i := range within {
			want.Add(within[i].Figures())
		}
		if got.Total != want || want.Unpriced == 0 {
			t.Errorf("all: %+v, want %+v", got.Total, want)
		}
		var splits []meter.Split
		for _, section := range got.Sections {
			splits = append(splits, section.By)
			checkSection(t, &section, within)
		}
		if want := []meter.Split{meter.ByModel, meter.ByKey, meter.ByPerson, "tag:feature", "tag:team"}; !slices.Equal(splits, want) {
			t.Errorf("sections %q", splits)
		}
	})
}

// checkSection adds the rows up anew, by what a section is told apart by.
func checkSection(t *testing.T, section *meter.Section, rows []meter.Record) {
	t.Helper()
	sums, rest := make(map[string]meter.Figures), meter.Figures{}
	for i := range rows {
		r := &rows[i]
		name, ok := r.Model, true
		switch tag := section.By.Tag(); {
		case section.By == meter.ByKey:
			name = r.Key
		case section.By == meter.ByPerson:
			name, ok = r.Person, r.Person != ""
		case tag != "":
			ok = false
			for by, value := range eachTag(r) {
				if by == section.By {
					name, ok = value, true
				}
			}
		}
		if !ok {
			rest.Add(r.Figures())
			continue
		}
		sum := sums[name]
		sum.Add(r.Figures())
		sums[name] = sum
	}
	if len(sums) != len(section.Groups) || section.Rest != rest {
		t.Errorf("%s: %d lines and %+v, want %d and %+v", section.By, len(section.Groups), section.Rest, len(sums), rest)
	}
	for _, g := range section.Groups {
		if sums[g.Name] != g.Figures {
			t.Errorf("%s %s: %+v, want %+v", section.By, g.Name, g.Figures, sums[g.Name])
		}
	}
}

func TestProviderDaysAreOfAllWorkspaces(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		day := time.Date(2026, 10, 5, 0, 0, 0, 0, time.UTC)
		var list []meter.Record
		for i, workspace := range []string{"a", "b", "b"} {
			list = append(list, meter.Record{
				ID: uid.New("use"), At: day.Add(time.Duration(i) * time.Hour), Workspace: workspace, Provider: "openai", Target: "gpt-5", Model: workspace, Status: 200, Nano: 10,
			})
		}
		list[2].Provider = "another"
		if err := s.InsertRecords(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		got, err := s.ProviderDays(t.Context(), "openai", day, day.AddDate(0, 0, 1))
		if err != nil || len(got) != 1 || got[0].Target != "gpt-5" || got[0].Nano != 20 || got[0].Requests != 2 || !got[0].At.Equal(day) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// TestRequestsAreFoundByEndUserAndTag looks with characters that databases read otherwise.
func TestRequestsAreFoundByEndUserAndTag(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		var list []meter.Record
		for i, of := range [][2]string{{"ann", "team=a,feature=x=y"}, {"bob", "team=ab"}, {"ann", ""}, {"", "team=a%"}, {"", "unteam=a"}, {"o'hara", "team=a,team2=b"}} {
			r := record(i)
			r.ID, r.At, r.User, r.Tags, r.Model = uid.New("use"), time.Now().Add(-time.Duration(i)*time.Minute), of[0], of[1], fmt.Sprint(i)
			if i == 2 {
				r.Status, r.Code = 429, "rate_limited"
			}
			list = append(list, r)
		}
		if err := s.InsertRecords(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			q    meter.Search
			want string
		}{
			{meter.Search{User: "ann"}, "[0 2]"}, {meter.Search{User: "ann", Class: 4}, "[2]"}, {meter.Search{User: "ann", Code: "rate_limited"}, "[2]"},
			{meter.Search{User: "ann", Code: "other"}, "[]"}, {meter.Search{User: "o'hara"}, "[5]"}, {meter.Search{User: "an"}, "[]"},
			{meter.Search{Tag: "team=a"}, "[0 5]"}, {meter.Search{Tag: "team=a%"}, "[3]"}, {meter.Search{Tag: "feature=x=y"}, "[0]"}, {meter.Search{Tag: "team=b"}, "[]"},
			{meter.Search{Tag: "team=a", User: "ann"}, "[0]"}, {meter.Search{Tag: "team=a", Model: "5"}, "[5]"}, {meter.Search{User: "ann", Model: "2"}, "[2]"},
		} {
			test.q.Workspace = "default"
			found, err := s.SearchRecords(t.Context(), test.q, 10)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for i := range found.Records {
				got = append(got, found.Records[i].Model)
			}
			if fmt.Sprint(got) != test.want {
				t.Errorf("%+v: %v, want %s", test.q, got, test.want)
			}
		}
	})
}

// TestARowKeepsItsCostAndItsCharge has a workspace that pays more than it costs.
func TestARowKeepsItsCostAndItsCharge(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		_, err := s.UpdatePolicy(t.Context(), "default", func(p *access.Policy) (access.Entry, error) {
			p.ChargeFactor = "1.25"
			return access.Entry{ID: uid.New("aud"), At: time.Now(), Workspace: "default", Action: "workspace.policy"}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		list := []meter.Record{record(1), record(1), record(1)}
		for i := range list {
			list[i].ID, list[i].Nano = uid.New("use"), int64(1001+i)
		}
		list[2].Workspace = "elsewhere"
		if err := s.InsertRecords(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		from := time.Date(list[0].At.UTC().Year(), list[0].At.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
		charge := func(workspace string) (cost, charge int64) {
			t.Helper()
			got, err := s.Statement(t.Context(), workspace, from, from.AddDate(0, 1, 0))
			if err != nil || len(got.Sections) == 0 || got.Sections[0].Rest != (meter.Figures{}) {
				t.Fatal(got, err)
			}
			return got.Total.Nano, got.Total.Charge()
		}
		if cost, charged := charge("default"); cost != 2003 || charged != 1251+1253 { // 1251.25 and 1252.5
			t.Errorf("%d cost, %d charged", cost, charged)
		}
		if cost, charged := charge("elsewhere"); cost != 1003 || charged != 1003 {
			t.Errorf("%d cost, %d charged elsewhere", cost, charged)
		}
		kept, err := s.Record(t.Context(), "default", list[0].ID)
		if err != nil || kept.Nano != 1001 || kept.Markup != 250 {
			t.Errorf("%+v, %v", kept, err)
		}
		n, err := s.Rerate(t.Context(), []meter.Rerated{{Record: kept, Cost: catalog.Cost{Nano: 2000, Known: true}}}, access.Entry{ID: uid.New("aud"), At: time.Now(), Action: "prices.rerate"})
		if cost, charged := charge("default"); n != 1 || err != nil || cost != 3002 || charged != 2500+1253 {
			t.Errorf("%d rated again, %v: %d cost, %d charged", n, err, cost, charged)
		}
	})
}
