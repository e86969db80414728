package fair

import (
	"math"
	"sync"
	"time"
)

// Rate counts what each tenant did lately. What it counts fades: after span about a
// third of it is left.
type Rate struct {
	span time.Duration

	mu sync.Mutex // guards by
	by map[string]level
}

type level struct {
	n  float64
	at time.Time // when n was right
}

// manyRates is how many tenants are remembered before those that have become quiet are
// forgotten.
const manyRates = 1024

// NewRate makes a rate over a span of time.
func NewRate(span time.Duration) *Rate { return &Rate{span: span, by: make(map[string]level)} }

// Add counts one more of a tenant and gives how many that are lately.
func (r *Rate) Add(tenant string, now time.Time) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.by) >= manyRates {
		for name, l := range r.by {
			if r.fade(l, now) < 1 {
				delete(r.by, name)
			}
		}
	}
	n := r.fade(r.by[tenant], now) + 1
	r.by[tenant] = level{n, now}
	return n
}

// Until is how long it takes until a tenant that does nothing more has no more than most
// lately; 0 where that is so now.
func (r *Rate) Until(tenant string, most float64, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.fade(r.by[tenant], now)
	if n <= most {
		return 0
	}
	return time.Millisecond + time.Duration(float64(r.span)*math.Log(n/most))
}

func (r *Rate) fade(l level, now time.Time) float64 {
	return l.n * math.Exp(-float64(now.Sub(l.at))/float64(r.span))
}
