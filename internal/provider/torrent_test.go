package provider

import (
	"io"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/catalog"
)

// trickle is an upstream that takes its time for each piece.
type trickle struct{ takes time.Duration }

func (r trickle) Read(b []byte) (int, error) {
	time.Sleep(r.takes)
	return len(b), nil
}

// read reads pieces of a stream that is long already, each with some work after it, and says how long that took.
func read(t *testing.T, upstream, work time.Duration) time.Duration {
	t.Helper()
	limits := catalog.Timeouts{FirstByte: time.Hour, Gap: time.Hour, Total: time.Hour}
	s := &torrent{Reader: trickle{upstream}, dog: watch(t.Context(), limits), bytes: torrentBytes}
	defer s.dog.stop()
	defer s.leave()
	began := time.Now()
	for range 1000 {
		if _, err := io.ReadFull(s, make([]byte, 16)); err != nil {
			t.Error(err)
		}
		time.Sleep(work)
	}
	return time.Since(began)
}

//nolint:paralleltest // torrents are counted over the process
func TestTorrentsTakeHalfOfTheProcessor(t *testing.T) {
	half := max(1, runtime.GOMAXPROCS(0)/2)
	synctest.Test(t, func(t *testing.T) {
		if took := read(t, 0, time.Millisecond); took != time.Second {
			t.Errorf("one alone took %v for a second of work", took)
		}
		const each = 6 // of them for each half of a processor
		done := make(chan time.Duration)
		for range each * half {
			go func() { done <- read(t, 0, time.Millisecond) }()
		}
		synctest.Wait()
		if took := read(t, 10*time.Millisecond, time.Millisecond); took > 11100*time.Millisecond {
			t.Errorf("a stream at the pace of a model took %v beside torrents, for 11 s", took)
		}
		for range each * half {
			if took := <-done; took < (each-1)*time.Second || took > (each+2)*time.Second {
				t.Errorf("one of %d took %v for a second of work", each*half, took)
			}
		}
	})
	if n := torrents.Load(); n != 0 {
		t.Errorf("%d are counted still", n)
	}
}
