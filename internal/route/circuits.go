package route

import (
	"sync"

	"stele/internal/recent"
)

const mostCircuits = 4096 // targets; names of models may be the clients' own

// circuits keeps the breakers of each target, so that one that is down costs no caller
// a wait. Targets that were not asked for longest are forgotten.
type circuits struct {
	news news

	mu sync.Mutex // guards by
	by *recent.Map[address, *circuit]
}

func (b *circuits) of(target address) *circuit {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.by.Use(target)
	if !ok {
		c = &circuit{target: target, news: &b.news}
		b.by.Put(target, c)
	}
	return c
}

// find is the circuit of a target, nil where there is none.
func (b *circuits) find(target address) *circuit {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, _ := b.by.Peek(target)
	return c
}

// all are those there are: their states are asked for without the lock.
func (b *circuits) all() []*circuit {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*circuit
	for _, c := range b.by.All() {
		list = append(list, c)
	}
	return list
}

// forget lets go of the targets of a provider, on all servers.
func (b *circuits) forget(provider string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for target := range b.by.All() {
		if target.provider == provider {
			b.by.Delete(target)
		}
	}
	b.news.forget(provider)
}
