package generation

import (
	"sync"
	"time"
)

// progressPerSecond is how often progress is written, over all tasks. One workspace has
// half of it.
const progressPerSecond = 400

// progressLimiter bounds how often progress is written. Clients look at few of many tasks: with
// thousands of them open, a write at each look would take the database from those
// that begin and end.
type progressLimiter struct {
	mu      sync.Mutex // guards all below
	second  int64
	written int
	by      map[string]int // of them, by workspace
}

// allow reports whether there is room for one more of a workspace in this second, and
// takes it.
func (l *progressLimiter) allow(workspace string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if second := now.Unix(); second != l.second {
		l.second, l.written, l.by = second, 0, make(map[string]int)
	}
	if l.written >= progressPerSecond || l.by[workspace] >= progressPerSecond/2 {
		return false
	}
	l.written++
	l.by[workspace]++
	return true
}
