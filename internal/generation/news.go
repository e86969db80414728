package generation

import (
	"sync"
	"time"
)

// newsPerSecond is how often progress is written, over all tasks. One workspace has
// half of it.
const newsPerSecond = 400

// news bounds how often progress is written. Clients look at few of many tasks: with
// thousands of them open, a write at each look would take the database from those
// that begin and end.
type news struct {
	mu      sync.Mutex // guards all below
	second  int64
	written int
	by      map[string]int // of them, by workspace
}

// room reports whether there is room for one more of a workspace in this second, and
// takes it.
func (n *news) room(workspace string, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if second := now.Unix(); second != n.second {
		n.second, n.written, n.by = second, 0, make(map[string]int)
	}
	if n.written >= newsPerSecond || n.by[workspace] >= newsPerSecond/2 {
		return false
	}
	n.written++
	n.by[workspace]++
	return true
}
