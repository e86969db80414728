// Package route tries the targets of a model until one serves: order, retries,
// breakers. It must not know what is tried.
package route

import (
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	failuresToOpen = 5
	openFor        = 10 * time.Second
	mostBreakers   = 4096 // names of models may be the clients' own
)

// breakers keeps a breaker for each target, so that one that is down costs
// nobody a wait.
type breakers struct {
	mu sync.Mutex // guards by
	by map[address]*gobreaker.TwoStepCircuitBreaker[struct{}]
}

// address tells targets apart.
type address struct{ provider, model string }

func (b *breakers) of(target address) *gobreaker.TwoStepCircuitBreaker[struct{}] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by == nil {
		b.by = make(map[address]*gobreaker.TwoStepCircuitBreaker[struct{}])
	}
	breaker := b.by[target]
	if breaker == nil {
		b.tidy()
		breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
			Name: target.provider + "/" + target.model, MaxRequests: 1, Timeout: openFor,
			ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresToOpen },
		})
		b.by[target] = breaker
	}
	return breaker
}

// tidy lets go of breakers that hold nobody back once there are many.
func (b *breakers) tidy() {
	if len(b.by) < mostBreakers {
		return
	}
	for target, breaker := range b.by {
		if breaker.State() == gobreaker.StateClosed && breaker.Counts().ConsecutiveFailures == 0 {
			delete(b.by, target)
		}
	}
}
