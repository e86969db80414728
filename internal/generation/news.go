package generation

import (
	"sync"
	"time"
)

// newsPerSecond is how often progress is written, over all tasks.
const newsPerSecond = 200

// news bounds how often progress is written. Clients look at few of many tasks: with
// thousands of them open, a write at each look would take the database from those
// that begin and end.
type news struct {
	mu      sync.Mutex // guards all below
	second  int64
	written int
}

// room reports whether there is room for one more in this second, and takes it.
func (n *news) room(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if second := now.Unix(); second != n.second {
		n.second, n.written = second, 0
	}
	n.written++
	return n.written <= newsPerSecond
}
