package generation

import "sync"

// hub wakes those who wait for a task to change.
type hub struct {
	mu   sync.Mutex // guards all
	wait map[string]map[chan struct{}]bool
}

// subscribe gives a channel that is filled whenever the task changes, until leave
// is called.
func (h *hub) subscribe(id string) (changed <-chan struct{}, leave func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wait == nil {
		h.wait = make(map[string]map[chan struct{}]bool)
	}
	if h.wait[id] == nil {
		h.wait[id] = make(map[chan struct{}]bool)
	}
	h.wait[id][c] = true
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.wait[id], c)
		if len(h.wait[id]) == 0 {
			delete(h.wait, id)
		}
	}
}

func (h *hub) wake(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.wait[id] {
		select {
		case c <- struct{}{}:
		default: // it has not looked at the last change yet
		}
	}
}
