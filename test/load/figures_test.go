package load

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// delays are times that something took.
type delays struct {
	mu   sync.Mutex // guards list
	list []time.Duration
}

func (d *delays) add(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, took)
}

// part is the delay that so many of a hundred do not exceed.
func (d *delays) part(percent float64) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) == 0 {
		return 0
	}
	slices.Sort(d.list)
	return d.list[min(len(d.list)-1, int(float64(len(d.list))*percent/100))]
}

func (d *delays) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, longest %s", d.part(50), d.part(99), d.part(100))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
