package store

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/meter"
	"stele/internal/store/storetest"
	"stele/internal/uid"
)

func record(n int) meter.Record {
	return meter.Record{
		ID: uid.New("use"), At: time.Date(2026, 11, 15, 23, 59, 59, 0, time.UTC).Add(time.Duration(n) * time.Second), Request: "req_1",
		Workspace: "default", Key: "key_1", Environment: "development", Route: "POST /x", Dialect: "openai", Model: "fast", Provider: "p",
		Target: "gpt", Stream: true, Status: 200, Tries: 1, Dropped: "a; dropped", Input: 1, CacheRead: 2, CacheWrite: 3, CacheWrite1h: 1,
		Output: 4, Reasoning: 5, Estimated: true, Nano: 7, Priced: true, FirstByte: 5 * time.Millisecond, Took: time.Second,
	}
}

func engines(t *testing.T, run func(*testing.T, *Store)) {
	t.Helper()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			run(t, openTest(t, engine))
		})
	}
}

func TestRecordsSurviveAndAreCountedOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		folder := t.TempDir()
		j, err := OpenJournal(s, folder)
		if err != nil {
			t.Fatal(err)
		}
		want := record(0)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				for range 70 {
					r := record(0)
					if err := j.Keep(&r); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if err := j.Keep(&want); err != nil {
			t.Fatal(err)
		}
		// The process dies: another one finds the files, with half a line at the end of one.
		files, _ := filepath.Glob(filepath.Join(folder, "*"))
		torn, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(torn, `{"id":"use_torn","at":"2026`)
		if err := torn.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := OpenJournal(s, folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.InsertRecords(t.Context(), []meter.Record{want, want}); err != nil { // repeated batches count once
			t.Fatal(err)
		}
		got, err := s.Records(t.Context(), "default", 1000)
		if err != nil || len(got) != 701 {
			t.Fatalf("%d records, %v", len(got), err)
		}
		for _, r := range got {
			if r.ID == want.ID {
				if diff := cmp.Diff(want, r); diff != "" {
					t.Errorf("record changed:\n%s", diff)
				}
			}
		}
		var requests, input, nano int64
		err = s.read.QueryRowContext(t.Context(), `SELECT SUM(requests), SUM(input), SUM(nano) FROM usage_days`).Scan(&requests, &input, &nano)
		if err != nil || requests != 701 || input != 701 || nano != 701*7 {
			t.Errorf("days: %d requests, %d input, %d nano, %v", requests, input, nano, err)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 0 {
			t.Errorf("left in the journal: %v", left)
		}
	})
}

func TestOldRecordsAreForgottenAndDaysStay(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		if err := s.InsertRecords(t.Context(), []meter.Record{record(0), record(1), record(2)}); err != nil {
			t.Fatal(err)
		}
		n, err := s.DeleteRecordsBefore(t.Context(), record(2).At)
		if err != nil || n != 2 {
			t.Errorf("deleted %d, %v", n, err)
		}
		var days int
		if err := s.read.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM usage_days`).Scan(&days); err != nil || days != 2 {
			t.Errorf("%d days, %v", days, err) // one second before midnight, and two after
		}
	})
}

func TestProcessesAddToTheSameDaysAtOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		const writers, batches, models = 4, 5, 20
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range batches {
					var batch []meter.Record
					for m := range models {
						r := record(0)
						r.Model = fmt.Sprint("model ", m)
						batch = append(batch, r)
					}
					if err := s.InsertRecords(t.Context(), batch); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		var days, requests int
		err := s.read.QueryRowContext(t.Context(), `SELECT COUNT(*), SUM(requests) FROM usage_days`).Scan(&days, &requests)
		if err != nil || days != models || requests != writers*batches*models {
			t.Errorf("%d days, %d requests, %v", days, requests, err)
		}
	})
}
