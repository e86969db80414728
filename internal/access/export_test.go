package access

import "context"

// Look is what Run does now and then.
func (s *Service) Look(ctx context.Context) error { return s.look(ctx) }

// CheckPresent is what Run does with every look at the keys.
func (s *Service) CheckPresent(ctx context.Context) error { return s.checkPresent(ctx) }

// Holding counts the requests that are being answered for keys.
func (s *Service) Holding() (n int) {
	s.keys.mu.RLock()
	defer s.keys.mu.RUnlock()
	for _, e := range s.keys.byID {
		for h := e.holds.first; h != nil; h = h.next {
			n++
		}
	}
	return n
}

// Touch is what Run does every few seconds.
func (s *Service) Touch(ctx context.Context) error { return s.touch(ctx) }

// Known counts the keys that are held in memory.
func (s *Service) Known() int {
	s.keys.mu.RLock()
	defer s.keys.mu.RUnlock()
	return len(s.keys.byID)
}
