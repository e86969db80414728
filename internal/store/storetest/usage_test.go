package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/meter"
	"stele/internal/store"
	"stele/internal/uid"
)

// runUsage runs the suite for requests and what they used.
func runUsage(t *testing.T, open func(t *testing.T) *store.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, *store.Store)
	}{
		{"RequestsAreFoundByEachOfTheirFacts", requestsFound},
		{"RequestsOfOtherWorkspacesAreNotThere", requestsApart},
		{"AnyIDLeadsToItsRecord", requestsByID},
		{"UsageIsAddedUpByDayAndGroup", usageAddedUp},
		{"DaysOutliveTheirRequests", usageOutlives},
		{"RowsDaysAndGroupsAreRatedAgainTogether", requestsRerated},
		{"BodiesKeepWithinTheirBudget", bodiesBudget},
		{"ModelsThatAreMissingAreCountedAndForgotten", missingModels},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

var midday = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// used is a request that was served n minutes before midday.
func used(n int, change ...func(*meter.Record)) meter.Record {
	r := meter.Record{
		ID: uid.New("use"), At: midday.Add(-time.Duration(n) * time.Minute), Request: fmt.Sprint("req_", n), Workspace: "default", Key: "key_1",
		Environment: "development", Route: "POST /x", Dialect: "openai", Model: "fast", Provider: "p", Target: "gpt", Status: 200, Tries: 1,
		Input: 10, CacheRead: 1, CacheWrite: 2, Output: 5, Reasoning: 3, Nano: 1000, Priced: true, Rates: "3 - - 15", Took: time.Second,
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

// names are the request ids of a page, in its order.
func names(f meter.Found) string {
	var list []string
	for _, r := range f.Records {
		list = append(list, strings.TrimPrefix(r.Request, "req_"))
	}
	return strings.Join(list, " ")
}

func requestsFound(t *testing.T, s *store.Store) {
	all := []meter.Record{
		used(1), used(2, func(r *meter.Record) { r.Key = "" }), used(3, func(r *meter.Record) { r.Key = "key_2" }),
		used(4, func(r *meter.Record) { r.Model = "slow" }), used(5, func(r *meter.Record) { r.Provider = "q" }),
		used(6, func(r *meter.Record) { r.Dialect = "gemini" }), used(7, func(r *meter.Record) { r.Stream = true }),
		used(8, func(r *meter.Record) { r.Status, r.Code = 429, "rate_limited" }),
		used(9, func(r *meter.Record) {
			r.Status, r.Code, r.Tries, r.Model = 502, "upstream_error", 2, "slow"
			r.Path = meter.Trail([]meter.Try{{Provider: "p", Target: "gpt", Code: "unavailable", Took: time.Second}, {Provider: "q", Target: "x"}})
		}),
	}
	must(t, s.InsertRecords(t.Context(), all))
	for _, test := range []struct {
		q    meter.Search
		want string
	}{
		{meter.Search{}, "1 2 3 4 5 6 7 8 9"},
		{meter.Search{Key: "key_2"}, "3"},
		{meter.Search{Key: meter.NoKey}, "2"},
		{meter.Search{Model: "slow"}, "4 9"},
		{meter.Search{Provider: "q"}, "5"},
		{meter.Search{Dialect: "gemini"}, "6"},
		{meter.Search{Stream: "yes"}, "7"},
		{meter.Search{Stream: "no", Class: 4}, "8"},
		{meter.Search{Class: 2, Model: "slow"}, "4"},
		{meter.Search{Class: 5}, "9"},
		{meter.Search{Class: 5, Model: "slow", Key: "key_1", Provider: "p"}, "9"},
		{meter.Search{Class: 4, Model: "slow"}, ""},
		{meter.Search{Code: "rate_limited"}, "8"},
		{meter.Search{Code: "rate_limited", Class: 5}, ""},
		{meter.Search{From: all[2].At, Until: all[0].At}, "2 3"},
		{meter.Search{ID: "req_4"}, "4"},
		{meter.Search{ID: all[4].ID}, "5"},
		{meter.Search{ID: "req_none"}, ""},
	} {
		test.q.Workspace = "default"
		got, err := s.SearchRecords(t.Context(), test.q, 20)
		if err != nil || names(got) != test.want || !got.Next.IsZero() {
			t.Errorf("%+v: found %q, want %q, next %+v, %v", test.q, names(got), test.want, got.Next, err)
		}
	}
	for by, want := range map[meter.Split]string{meter.ByModel: "fast slow", meter.ByKey: "key_1 key_2", meter.ByProvider: "p q"} {
		if names, err := s.RecordNames(t.Context(), "default", by, 9); err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %q, want %q, %v", by, names, want, err)
		}
	}
	if names, err := s.RecordNames(t.Context(), "other", meter.ByModel, 9); err != nil || len(names) > 0 {
		t.Errorf("%q %v", names, err)
	}
	got, err := s.Record(t.Context(), "default", all[8].ID)
	if diff := cmp.Diff(all[8], got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if tries := got.Trail(); len(tries) != 2 || tries[0].Code != "unavailable" || tries[0].Took != time.Second || tries[1].Provider != "q" {
		t.Errorf("tries %+v", tries)
	}
}

func requestsByID(t *testing.T, s *store.Store) {
	request, made := uid.New("req"), uid.New("gen")
	own := used(1, func(r *meter.Record) { r.Request, r.ID = request, uid.New("use") })
	task := used(2, func(r *meter.Record) { r.Request, r.ID = made, "use"+made[3:] })
	theirs := []meter.Record{
		used(3, func(r *meter.Record) { r.Request = "b5a1e6a2-7d0c-4f5e-9f3b-1c2d3e4f5a6b" }),
		used(4, func(r *meter.Record) { r.Request = "b5a1e6a2-7d0c-4f5e-9f3b-1c2d3e4f5a6b" }), used(5, func(r *meter.Record) { r.Request = strings.Repeat("x", 30) }),
	}
	must(t, s.InsertRecords(t.Context(), append(theirs, own, task)))
	for id, want := range map[string]int{
		request: 1, own.ID: 1, made: 1, task.ID: 1, theirs[0].Request: 2, theirs[2].Request: 1, theirs[0].ID: 1, uid.New("req"): 0, uid.New("gen"): 0, "none": 0, "req_x": 0,
	} {
		if got, err := s.SearchRecords(t.Context(), meter.Search{Workspace: "default", ID: id}, 10); err != nil || len(got.Records) != want {
			t.Errorf("%s leads to %d records, want %d, %v", id, len(got.Records), want, err)
		}
		if got, err := s.SearchRecords(t.Context(), meter.Search{Workspace: "other", ID: id}, 10); err != nil || len(got.Records) != 0 {
			t.Errorf("%s leads another workspace to %d records, %v", id, len(got.Records), err)
		}
	}
}

// requestsPaged has more requests than one question looks through, and some at the same moment. It
// stands beside runUsage because it is long: who calls it may leave it out.
func requestsPaged(t *testing.T, s *store.Store) {
	t.Helper()
	const many, rare = 12_000, 11_990
	var batch []meter.Record
	for n := range many {
		batch = append(batch, used(n/3, func(r *meter.Record) {
			r.Request = fmt.Sprint("req_", n)
			if n%3 == 1 || n == rare {
				r.Key = "key_2"
			}
			if n%3 == 2 || n == rare {
				r.Provider = "q"
			}
			if n == rare {
				r.Dialect = "gemini"
			}
		}))
	}
	for part := range slices.Chunk(batch, 2000) {
		must(t, s.InsertRecords(t.Context(), part))
	}
	seen := make(map[string]bool)
	q := meter.Search{Workspace: "default", Model: "fast"}
	for range 20 {
		page, err := s.SearchRecords(t.Context(), q, 100)
		if err != nil || len(page.Records) != 100 || page.Next.IsZero() {
			t.Fatalf("%d requests, next %+v, %v", len(page.Records), page.Next, err)
		}
		for _, r := range page.Records {
			seen[r.ID] = true
		}
		q.After = page.Next
	}
	if len(seen) != 2000 {
		t.Errorf("twenty pages of a hundred show %d requests", len(seen))
	}
	page, err := s.SearchRecords(t.Context(), meter.Search{Workspace: "default", Dialect: "gemini"}, 100)
	if err != nil || len(page.Records) != 1 || page.Records[0].Request != fmt.Sprint("req_", rare) || !page.Next.IsZero() {
		t.Errorf("the rare one is not found at once: %q, next %+v, %v", names(page), page.Next, err)
	}
	q = meter.Search{Workspace: "default", Key: "key_2", Provider: "q"} // every hour has both, but one request
	for questions := 1; ; questions++ {
		page, err := s.SearchRecords(t.Context(), q, 100)
		must(t, err)
		if len(page.Records) == 1 && page.Records[0].Request == fmt.Sprint("req_", rare) {
			if questions != 3 {
				t.Errorf("it took %d questions to find the rare one, want 3", questions)
			}
			return
		}
		if page.Next.IsZero() || len(page.Records) > 0 {
			t.Fatalf("question %d finds %q", questions, names(page))
		}
		q.After = page.Next
	}
}

func requestsApart(t *testing.T, s *store.Store) {
	other := used(1, func(r *meter.Record) { r.Workspace, r.Request = "other", "req_same" })
	must(t, s.InsertRecords(t.Context(), []meter.Record{other}))
	must(t, s.InsertBodies(t.Context(), []meter.Bodies{{Record: other.ID, Workspace: "other", At: midday}}, 1000))
	for _, q := range []meter.Search{{}, {ID: "req_same"}, {ID: other.ID}, {Key: "key_1"}, {Model: "fast"}} {
		q.Workspace = "default"
		if got, err := s.SearchRecords(t.Context(), q, 10); err != nil || len(got.Records) > 0 {
			t.Errorf("%+v: %v %v", q, got.Records, err)
		}
	}
	if _, err := s.Record(t.Context(), "default", other.ID); !errors.Is(err, access.ErrNotFound) {
		t.Error(err)
	}
	if _, err := s.Bodies(t.Context(), "default", other.ID); !errors.Is(err, access.ErrNotFound) {
		t.Error(err)
	}
	total, err := s.UsageTotal(t.Context(), meter.Slice{Workspace: "default", From: midday.AddDate(0, 0, -9), Until: midday.AddDate(0, 0, 9)})
	if err != nil || total != (meter.Figures{}) {
		t.Errorf("%+v %v", total, err)
	}
}

func usageAddedUp(t *testing.T, s *store.Store) {
	const day = 24 * 60
	must(t, s.InsertRecords(t.Context(), []meter.Record{
		used(0), used(1), used(2, func(r *meter.Record) { r.Model, r.Nano, r.Key, r.Environment = "slow", 9000, "", "" }),
		used(day, func(r *meter.Record) { r.Status, r.Provider = 500, "q" }), used(3 * day),
	}))
	midnight := midday.Truncate(24 * time.Hour)
	of := meter.Slice{Workspace: "default", From: midnight.AddDate(0, 0, -2), Until: midnight.AddDate(0, 0, 1)}
	total, err := s.UsageTotal(t.Context(), of)
	want := meter.Figures{
		Requests: 4, Failed: 1, Input: 40, CacheRead: 4, CacheWrite: 8, Output: 20, Reasoning: 12, Nano: 12000, Took: 4 * time.Second,
	}
	if err != nil || total != want || total.Tokens() != 84 {
		t.Errorf("%+v, want %+v, %v", total, want, err)
	}
	for _, test := range []struct {
		of   meter.Slice
		by   meter.Split
		most meter.Measure
		want string
	}{
		{of, meter.ByModel, meter.Requests, "fast 3, slow 1"},
		{of, meter.ByModel, meter.Cost, "slow 1, fast 3"},
		{of, meter.ByKey, meter.Tokens, "key_1 3,  1"},
		{of, meter.ByProvider, meter.Requests, "p 3, q 1"},
		{of, meter.ByStatus, meter.Requests, "200 3, 500 1"},
		{of, meter.ByEnvironment, meter.Requests, "development 3,  1"},
		{meter.Slice{Workspace: "default", From: of.From, Until: of.Until, Key: meter.NoKey}, meter.ByModel, meter.Requests, "slow 1"},
		{meter.Slice{Workspace: "default", From: of.From, Until: of.Until, Provider: "q", Model: "fast", Environment: "development"}, meter.ByStatus, meter.Cost, "500 1"},
	} {
		groups, err := s.UsageGroups(t.Context(), test.of, test.by, test.most, 50)
		var got []string
		for _, g := range groups {
			got = append(got, fmt.Sprint(g.Name, " ", g.Requests))
		}
		if strings.Join(got, ", ") != test.want || err != nil {
			t.Errorf("%s by %s: %q, want %q, %v", test.by, test.most, got, test.want, err)
		}
	}
	if groups, err := s.UsageGroups(t.Context(), of, meter.ByModel, meter.Requests, 1); err != nil || len(groups) != 1 {
		t.Errorf("%+v %v", groups, err)
	}
	whole, err := s.UsageDays(t.Context(), of, "", nil)
	if err != nil || len(whole) != 2 || whole[0].Requests != 1 || whole[0].Failed != 1 || !whole[1].At.Equal(midnight) || whole[1].Requests != 3 {
		t.Errorf("days %+v %v", whole, err)
	}
	apart, err := s.UsageDays(t.Context(), of, meter.ByModel, []string{"slow", "none such"})
	if err != nil || len(apart) != 1 || apart[0].Name != "slow" || apart[0].Nano != 9000 {
		t.Errorf("days %+v %v", apart, err)
	}
}

func usageOutlives(t *testing.T, s *store.Store) {
	must(t, s.InsertRecords(t.Context(), []meter.Record{used(0), used(90), used(5000)}))
	of := meter.Slice{Workspace: "default", From: midday.AddDate(0, 0, -30), Until: midday.AddDate(0, 0, 1)}
	before, err := s.UsageTotal(t.Context(), of)
	must(t, err)
	if _, err := s.DeleteRecordsBefore(t.Context(), midday.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	left, err := s.SearchRecords(t.Context(), meter.Search{Workspace: "default"}, 10)
	after, err2 := s.UsageTotal(t.Context(), of)
	if err := errors.Join(err, err2); err != nil || len(left.Records) != 0 || after != before || after.Requests != 3 {
		t.Errorf("%d requests left, %+v, before %+v, %v", len(left.Records), after, before, err)
	}
}

func bodiesBudget(t *testing.T, s *store.Store) {
	quiet := meter.Bodies{Record: "use_quiet", Workspace: "quiet", At: midday.Add(-time.Hour), Request: meter.Body{Text: "q", Size: 1}}
	must(t, s.InsertBodies(t.Context(), []meter.Bodies{quiet}, 250))
	body := func(n int) meter.Bodies {
		return meter.Bodies{
			Record: fmt.Sprint("use_", n), Workspace: "default", At: midday.Add(time.Duration(n) * time.Second),
			Request: meter.Body{Text: strings.Repeat("q", 60), Size: 60}, Reply: meter.Body{Text: strings.Repeat("ä", 20), Size: 4000},
		}
	}
	for n := range 5 {
		must(t, s.InsertBodies(t.Context(), []meter.Bodies{body(n), body(n)}, 250))
	}
	for n := range 5 {
		got, err := s.Bodies(t.Context(), "default", fmt.Sprint("use_", n))
		if kept := n >= 3; kept != (err == nil) || kept && cmp.Diff(body(n), got) != "" {
			t.Errorf("body %d: %+v %v", n, got, err)
		}
	}
	if _, err := s.Bodies(t.Context(), "quiet", "use_quiet"); err != nil {
		t.Errorf("a workspace drove out what another said: %v", err)
	}
	if n, err := s.DeleteBodiesBefore(t.Context(), midday.Add(4*time.Second)); n != 2 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
}
