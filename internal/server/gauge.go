package server

import "sync"

// gauge counts open requests and tells when there are none.
type gauge struct {
	mu      sync.Mutex // guards what follows
	n       int64
	waiting []chan struct{}
}

func (g *gauge) enter() {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
}

func (g *gauge) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n--
	if g.n == 0 {
		for _, c := range g.waiting {
			close(c)
		}
		g.waiting = nil
	}
}

func (g *gauge) count() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n
}

// empty is closed at the first moment from now on at which nothing is open.
func (g *gauge) empty() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := make(chan struct{})
	if g.n == 0 {
		close(c)
	} else {
		g.waiting = append(g.waiting, c)
	}
	return c
}
