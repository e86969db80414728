package fleet

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// meeting counts the calls that are at an upstream at the same time.
type meeting struct{ open, most, served atomic.Int64 }

func (m *meeting) answer(_ *upstream.Exchange, usual upstream.Reply) upstream.Reply {
	n := m.open.Add(1)
	for seen := m.most.Load(); n > seen && !m.most.CompareAndSwap(seen, n); seen = m.most.Load() {
	}
	<-time.After(20 * time.Millisecond) // as long as a model takes
	m.open.Add(-1)
	m.served.Add(1)
	return usual
}

// await returns when so many more were served.
func (m *meeting) await(t *testing.T, what string, n int64) {
	t.Helper()
	begun := m.served.Load()
	rig.Eventually(t, what, func() bool { return m.served.Load() >= begun+n })
}

// TestServersKeepToABoundTogether has many clients ask three servers for one provider, which
// may be called four times at once. One server is killed: the others get its part.
func TestServersKeepToABoundTogether(t *testing.T) {
	t.Parallel()
	const bound, callers = 4, 6 // callers of each server: more than could be served by it alone
	servers := newServers(t, 3)
	var at meeting
	servers[0].On("openai", target(0), at.answer)
	servers[0].Run(t, "limits", "create", "--name", "provider", "--measure", "concurrent_requests", "--amount", strconv.Itoa(bound), "--of", "provider=openai")

	question := rig.Ask("openai", "m0", "hi", false)
	refused := make([]atomic.Int64, len(servers))
	var ended atomic.Bool
	var all sync.WaitGroup
	defer all.Wait()
	defer ended.Store(true)
	for i, r := range servers {
		for range callers {
			all.Go(func() {
				for !ended.Load() {
					a, err := r.Send(r.RequestFor(t, question))
					switch {
					case err != nil || a.Status == http.StatusOK:
					case a.Status == http.StatusTooManyRequests:
						refused[i].Add(1)
						<-time.After(20 * time.Millisecond)
					default:
						t.Errorf("%d %s", a.Status, a.Body)
						return
					}
				}
			})
		}
	}
	rig.Eventually(t, "every server knows the limit", func() bool {
		return refused[0].Load() > 0 && refused[1].Load() > 0 && refused[2].Load() > 0
	})
	at.await(t, "what began before is served", 100)
	at.most.Store(0)
	at.await(t, "many calls are served", 200)
	servers[1].Kill(t)
	at.await(t, "calls are served after one server was killed", 50)
	before := at.most.Swap(0)
	rig.Eventually(t, "the others have its part", func() bool { return at.most.Load() >= bound })
	at.await(t, "and they go on", 100)
	ended.Store(true)
	all.Wait()
	if after := at.most.Load(); max(before, after) > bound {
		t.Errorf("the provider was called %d and then %d times at once, and may be %d times", before, after, bound)
	}
}
