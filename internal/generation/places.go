package generation

import (
	"sync"
	"time"
)

// places are for calls to one provider that a job waits for. Jobs are few: those
// that find no place are told when to come back, and the jobs of other providers
// go on.
type places struct {
	most int

	mu      sync.Mutex // guards all below
	taken   int
	crowded int // who found no place lately
}

// take gives a place until give is called, or says when to ask again: the later
// the longer the line.
func (p *places) take() (bool, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.most {
		p.crowded++
		return false, min(time.Duration(1+p.crowded/p.most)*firstWait, longestGap/2)
	}
	p.taken++
	p.crowded = max(0, p.crowded-1)
	return true, 0
}

func (p *places) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
}
