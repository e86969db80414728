package store

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestRecordsThatTheDiskDoesNotTakeWait has the journal's file fail under it, and then
// the database as well.
func TestRecordsThatTheDiskDoesNotTakeWait(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		j, err := OpenJournal(s, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		keep := func() {
			r := record(0)
			if err := j.Keep(&r); err != nil {
				t.Fatal(err)
			}
		}
		keep()
		_ = j.page.file.Close() // from here on it takes nothing and syncs nothing
		keep()
		keep()
		if len(j.waiting) != 2 || j.Full() {
			t.Errorf("%d wait, full %v", len(j.waiting), j.Full())
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := j.Flush(over); err == nil {
			t.Error("a database that takes nothing gave no error")
		}
		if len(j.waiting) != 3 {
			t.Errorf("%d wait: the disk may not have the first", len(j.waiting))
		}
		if err := j.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := s.Records(t.Context(), "default", 10)
		if err != nil || len(got) != 3 || len(j.waiting) != 0 {
			t.Errorf("%d records, %d wait, %v", len(got), len(j.waiting), err)
		}
	})
}

func TestAJournalInMemoryIsFullOnce(t *testing.T) {
	t.Parallel()
	j := &Journal{folder: filepath.Join(t.TempDir(), "missing")}
	for range 2 * mostWaiting {
		r := record(0)
		if err := j.Keep(&r); err != nil {
			t.Fatal(err)
		}
	}
	r := record(0)
	if err := j.Keep(&r); err == nil || !j.Full() {
		t.Errorf("one more: %v, full %v", err, j.Full())
	}
}

// TestRecordsAreSyncedTogether lets a clock run: what was written is synced within
// 50 ms, by one sync.
func TestRecordsAreSyncedTogether(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		j := &Journal{folder: folder, written: make(chan struct{}, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		go j.runSync(ctx, slog.New(slog.DiscardHandler))
		for range 10 {
			r := record(0)
			if err := j.Keep(&r); err != nil {
				t.Fatal(err)
			}
			if dirty, _, _ := lookAtPage(j); !dirty {
				t.Error("a record was synced at once")
			}
		}
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		if dirty, named, broken := lookAtPage(j); dirty || !named || broken != nil {
			t.Errorf("after 50 ms: dirty %v, named %v, %v", dirty, named, broken)
		}
		cancel()
		synctest.Wait()
		j.endPage()
	})
}

func lookAtPage(j *Journal) (dirty, named bool, broken error) {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.page.dirty, j.page.named, j.page.broken
}
