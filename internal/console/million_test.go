//go:build torture

package console_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/limit"
	"stele/internal/meter"
	"stele/internal/store"
	"stele/internal/store/storetest"
)

// TestAMillionRequestsKeepNoPageWaiting fills SQLite with a million requests of ninety
// days and PostgreSQL with ten million, has 100,000 end users a day with a limit each,
// and looks at the pages that show them, with every filter: nineteen of twenty looks
// take less than 300 ms. STELE_TEST_REQUESTS is another number than a million.
//
//nolint:paralleltest // it measures
func TestAMillionRequestsKeepNoPageWaiting(t *testing.T) {
	n := 1_000_000
	if text := os.Getenv("STELE_TEST_REQUESTS"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			databaseURL, folder := storetest.Place(t, engine)
			s, err := store.Open(t.Context(), databaseURL, folder)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			h := crowdedHouse(t, s)
			began := time.Now()
			storetest.Busy(t, s, n, h.Clock())
			if engine == "postgres" {
				storetest.Multiply(t, s.Writer(), n, 10)
			}
			gather(t, h, s)
			if engine == "postgres" { // as its own housekeeping does sooner or later
				if _, err := s.Writer().ExecContext(t.Context(), `VACUUM ANALYZE`); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("filled in %s", time.Since(began).Round(time.Second))
			for _, path := range slices.Concat(millionPages(t, h, s), crowdPages(t, h, s), yearPages()) {
				if p95 := look(t, h, path); p95 > 300*time.Millisecond {
					t.Errorf("%s takes %s at p95", path, p95)
				}
			}
			look(t, h, yearFile)
		})
	}
}

// crowdedHouse is a house that shows what a store has.
func crowdedHouse(t *testing.T, s *store.Store) *consoletest.House {
	t.Helper()
	return consoletest.OpenSignedIn(t, consoletest.WithLimits, func(h *consoletest.House, o *console.Options) {
		o.Usage, o.Requests, o.Bills = s, s, s
		o.Limits = &limit.Manager{Shelf: s, Now: h.Clock}
	})
}

// gather gives each of a crowd a limit a day, beside others, and a year of usage.
func gather(t *testing.T, h *consoletest.House, s *store.Store) {
	t.Helper()
	storetest.YearOfUsage(t, s.Writer())
	if n, err := s.NoteLeaders(t.Context(), h.Clock()); err != nil || n == 0 {
		t.Fatal(n, err)
	}
	manager := &limit.Manager{Shelf: s, Now: h.Clock}
	for _, l := range []limit.Limit{
		{Name: "each end user", Subject: []limit.Selector{{By: limit.ByUser, Value: limit.Each}}, Measure: limit.Dollars, Window: limit.Day, Amount: 1_000_000_000},
		{Name: "untouched", Measure: limit.Dollars, Window: limit.Month, Amount: 1_000_000_000},
	} {
		l.Workspace = "default"
		made, err := manager.Create(t.Context(), access.CommandLine("default"), l)
		if err != nil {
			t.Fatal(err)
		}
		if len(made.Subject) > 0 {
			storetest.AddCounters(t, s.Writer(), made.ID, made.Workspace, 10, h.Clock())
		}
	}
}

const ownYear = "/console/usage?range=own&from=2025-11-17&to=2026-11-15&"

// yearFile is a file of a whole year by what has very many names. It is looked at and not
// judged: it reads up to a million sums.
const yearFile = "/console/usage/csv?range=own&from=2025-11-17&to=2026-11-15&by=user"

// yearPages are the addresses of a whole year by what may have very many names.
func yearPages() []string {
	return []string{
		ownYear + "by=user", ownYear + "by=user&show=cost", ownYear + "by=user&environment=production", ownYear + "by=tag:feature",
		ownYear + "by=user&show=tokens", ownYear + "by=key&environment=production", ownYear + "by=model&model=acme/model-02",
		ownYear + "by=key&key=key_03", ownYear + "key=key_03&model=acme/model-02",
	}
}

// crowdPages are the addresses of what is about end users and limits.
func crowdPages(t *testing.T, h *consoletest.House, s *store.Store) []string {
	t.Helper()
	list, err := s.Limits(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	midnight := h.Clock().UTC().Truncate(24 * time.Hour)
	const requests = "/console/requests?"
	pages := []string{
		"/console/limits", "/console/credits", "/console/unsettled", "/console/money", "/console/money/reconcile", "/console/keys",
		"/console/usage?range=today&by=user", "/console/usage?range=30d&by=user&show=tokens", "/console/usage?range=90d&by=user",
		ownYear, ownYear + "by=status", "/console/usage/statement",
		requests + "user=user-00007", requests + "user=user-99999", requests + "user=user-00007&class=4", requests + "user=user-00007&time=hour",
	}
	for _, l := range list {
		pages = append(pages, "/console/limits/"+l.ID, "/console/limits/"+l.ID+"?until="+strconv.FormatInt(midnight.AddDate(0, 0, -9).UnixMilli(), 10))
	}
	return pages
}

// millionPages are the addresses to look at; the deep ones begin two thirds back.
func millionPages(t *testing.T, h *consoletest.House, s *store.Store) []string {
	t.Helper()
	deep, err := s.SearchRecords(t.Context(), meter.Search{Workspace: "default", Until: h.Clock().AddDate(0, 0, -60)}, 1)
	if err != nil || len(deep.Records) == 0 {
		t.Fatal(err)
	}
	one := deep.Records[0]
	after := "after=" + strconv.FormatInt(one.At.UnixMilli(), 10) + "." + one.ID
	const requests, usage = "/console/requests?", "/console/usage?range=90d&"
	return []string{
		"/console/", requests, requests + after, requests + "class=2", requests + "class=4", requests + "class=5", requests + "class=5&" + after,
		requests + "code=rate_limited", requests + "code=internal_error", requests + "key=key_03", requests + "key=key_rare", requests + "key=none",
		requests + "key=key_19&" + after, requests + "model=acme/model-02", requests + "model=acme/rare", requests + "model=acme/none",
		requests + "provider=provider-1", requests + "provider=provider-rare", requests + "dialect=anthropic", requests + "dialect=gemini",
		requests + "stream=yes", requests + "time=hour", requests + "time=30d&class=5", requests + "id=" + one.Request, requests + "id=req_none",
		requests + "key=key_03&model=acme/rare&class=2", requests + "model=acme/model-02&dialect=gemini&stream=yes",
		requests + "user=user-00001", requests + "user=user-rare", requests + "user=user-none", requests + "user=user-00001&class=5&model=acme/model-02",
		requests + "tag=team%3Dteam-0", requests + "tag=team%3Drare", requests + "tag=team%3Dnone", requests + "tag=feature%3Df1&dialect=gemini",
		"/console/usage/statement?month=2026-10", "/console/usage/statement/csv?month=2026-10", usage + "by=user&show=cost", usage + "by=tag:team",
		requests + "class=5&dialect=gemini", requests + "key=key_00&provider=provider-4&dialect=anthropic&stream=no",
		"/console/requests/" + one.ID, "/console/requests/csv", "/console/requests/csv?dialect=gemini",
		usage, usage + "by=key&show=cost", usage + "by=provider&show=tokens", usage + "by=status", usage + "by=environment", usage + "key=key_03&model=acme/model-02",
		"/console/usage?range=today", "/console/usage?range=7d", "/console/usage?range=own&from=2026-01-01&to=2026-11-15", "/console/usage/csv?range=90d",
	}
}

// look asks for a page many times and says how long its first byte takes, which is the
// time of the last one too for everything but a file, and what processor time this process
// spends on it: all of it with SQLite, however busy the machine is with other things.
func look(t *testing.T, h *consoletest.House, path string) (p95 time.Duration) {
	t.Helper()
	const looks = 40
	var took []time.Duration
	before := processorTime(t)
	for range looks {
		w := &firstByte{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest(http.MethodGet, path, nil)
		consoletest.AddSession(r, h.Cookie)
		r.Header.Set("Accept", "text/html")
		began := time.Now()
		func() {
			defer func() { _ = recover() }() // a file that was cut off
			h.Serve.ServeHTTP(w, r)
		}()
		if w.Code != http.StatusOK || w.at.IsZero() {
			t.Fatalf("%s: status %d", path, w.Code)
		}
		took = append(took, w.at.Sub(began))
	}
	slices.Sort(took)
	p95 = took[looks*95/100]
	spent := (processorTime(t) - before) / looks
	t.Logf("%8.1f ms %8.1f ms %8.1f ms of processor  %s", took[looks/2].Seconds()*1000, p95.Seconds()*1000, spent.Seconds()*1000, path)
	return p95
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// firstByte notes when the first byte of an answer is there and hangs up on the
// rest of a file.
type firstByte struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (f *firstByte) Write(b []byte) (int, error) {
	if f.at.IsZero() {
		f.at = time.Now()
		return f.ResponseRecorder.Write(b)
	}
	return 0, http.ErrHandlerTimeout
}
