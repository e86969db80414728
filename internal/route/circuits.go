package route

import (
	"container/list"
	"sync"
)

const mostCircuits = 4096 // targets; names of models may be the clients' own

// circuits keeps the breakers of each target, so that one that is down costs no caller
// a wait. Targets that were not asked for longest are forgotten.
type circuits struct {
	news news

	mu     sync.Mutex // guards all below
	by     map[address]*list.Element
	recent list.List // of *circuit, the one used last first
}

func (b *circuits) of(target address) *circuit {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.by[target]; e != nil {
		b.recent.MoveToFront(e)
		return e.Value.(*circuit)
	}
	if b.by == nil {
		b.by = make(map[address]*list.Element)
	}
	for b.recent.Len() >= mostCircuits {
		last := b.recent.Back()
		delete(b.by, last.Value.(*circuit).target)
		b.recent.Remove(last)
	}
	c := &circuit{target: target, news: &b.news}
	b.by[target] = b.recent.PushFront(c)
	return c
}

// find is the circuit of a target, nil where there is none.
func (b *circuits) find(target address) *circuit {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.by[target]; e != nil {
		return e.Value.(*circuit)
	}
	return nil
}

// all are those there are: their states are asked for without the lock.
func (b *circuits) all() []*circuit {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*circuit
	for e := b.recent.Front(); e != nil; e = e.Next() {
		list = append(list, e.Value.(*circuit))
	}
	return list
}

// forget lets go of the targets of a provider, on all servers.
func (b *circuits) forget(provider string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for target, e := range b.by {
		if target.provider == provider {
			b.recent.Remove(e)
			delete(b.by, target)
		}
	}
	b.news.forget(provider)
}
