package provider

import (
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"stele/internal/pause"
)

// No model speaks a megabyte faster than it can be read. An upstream that does would have
// the processor read it, frame by frame, and other callers wait: from there on all such
// streams together take half of the processor, and rest for the other half.
const (
	torrentBytes = 1 << 20
	mostWork     = 2 * time.Millisecond // that is counted between two reads: the rest of it a client took
	leastRest    = time.Millisecond
	mostRest     = time.Second
	mostCredit   = 100 * time.Millisecond
)

// torrents is how many streams are beyond torrentBytes now. The processor is the process's,
// and so is this.
var torrents atomic.Int64

// torrent is the body of a streamed answer.
type torrent struct {
	io.Reader
	dog   *watchdog
	bytes int64
	back  time.Time     // when the last read returned
	owed  time.Duration // of rest; less than 0: that much was taken before
	state atomic.Int32
}

const (
	calm = iota
	counted
	over
)

// Read reads, after the rest that the work on what was read before calls for. Waiting for
// the upstream is rest as well, so that a stream at the pace of a model has none to take.
func (t *torrent) Read(b []byte) (n int, err error) {
	if t.bytes < torrentBytes {
		n, err = t.Reader.Read(b)
		t.bytes += int64(n)
		return n, err
	}
	if t.state.CompareAndSwap(calm, counted) {
		torrents.Add(1)
		t.back = time.Now()
	}
	start := time.Now()
	many, half := torrents.Load(), int64(max(1, runtime.GOMAXPROCS(0)/2))
	t.owed += min(start.Sub(t.back), mostWork) * time.Duration(max(0, many-half)) / time.Duration(half)
	if t.owed >= leastRest {
		if err := pause.For(t.dog.ctx, min(t.owed, mostRest)); err != nil {
			return 0, err
		}
		t.dog.feed() // the silence was ours
	}
	n, err = t.Reader.Read(b)
	t.back = time.Now()
	t.owed = max(-mostCredit, t.owed-t.back.Sub(start))
	return n, err
}

// leave says that the stream has ended. It may be called twice, and beside Read.
func (t *torrent) leave() {
	if t.state.Swap(over) == counted {
		torrents.Add(-1)
	}
}
