package fleet

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// failuresToOpen is after how many failures in a row a server opens a breaker by itself.
const failuresToOpen = 5

// TestABreakerOpensOnAllServers has targets fail on one server only, until it leaves them
// alone. Another one must do so after fewer failures than it would need itself.
func TestABreakerOpensOnAllServers(t *testing.T) {
	t.Parallel()
	servers := newServers(t, 2)
	one, two := servers[0], servers[1]
	for n := range targets {
		one.On("openai", target(n), upstream.Broken())
	}
	ask := func(r *rig.Front, n int) (reached bool) {
		before := len(one.SentTo("openai", target(n)))
		if h := r.Hear(t, rig.Ask("openai", "m"+strconv.Itoa(n), "hi", false)); h.Status < http.StatusInternalServerError {
			t.Fatalf("a broken upstream: %d %s", h.Status, h.Body)
		}
		return len(one.SentTo("openai", target(n))) > before
	}
	pace := time.NewTicker(300 * time.Millisecond) // asking more often would open the other server's own
	defer pace.Stop()
	// The clock of one breaker runs on while the servers are slow: then the next target is taken.
	for n := range targets {
		for ask(one, n) {
		}
		for range failuresToOpen - 1 {
			if !ask(two, n) {
				return
			}
			<-pace.C
		}
	}
	t.Error("what one server knows of a target is not known to another")
}

// TestAProvidersPatienceCountsOnAllServers has a provider tell one server to come back
// later. It would serve the other one at once, which leaves it alone.
func TestAProvidersPatienceCountsOnAllServers(t *testing.T) {
	t.Parallel()
	servers := newServers(t, 2)
	one, two := servers[0], servers[1]
	const wait = 50 * time.Second
	limited := make(chan struct{}, 1)
	limited <- struct{}{}
	one.On("openai", target(0), func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
		select {
		case <-limited:
			return upstream.RateLimited(wait)(x, usual)
		default:
			return usual
		}
	})
	told := func(h rig.Heard) int {
		after, err := strconv.Atoi(h.Header.Get("Retry-After"))
		if h.Status != http.StatusTooManyRequests || err != nil {
			return 0
		}
		return after
	}
	question := rig.Ask("openai", "m0", "hi", false)
	if h := one.Hear(t, question); told(h) != int(wait.Seconds()) {
		t.Fatalf("%d %s %q", h.Status, h.Body, h.Header.Get("Retry-After"))
	}
	rig.Eventually(t, "the other server leaves the provider alone, too", func() bool {
		before := len(one.SentTo("openai", target(0)))
		after := told(two.Hear(t, question))
		if after > int(wait.Seconds()) {
			t.Fatalf("a client is to wait for %d seconds", after)
		}
		return after > 0 && len(one.SentTo("openai", target(0))) == before
	})
	for _, r := range servers { // other targets of the same provider are asked
		r.Good(t, rig.Ask("openai", "m1", "hi", false))
	}
}

// TestServersAreListed kills one of three: it is listed as silent, and the others go on.
func TestServersAreListed(t *testing.T) {
	t.Parallel()
	servers := newServers(t, 3)
	list := func() (alive, silent int) {
		said := struct {
			Nodes []struct {
				Version, Host string
				Alive         bool
			}
		}{}
		if err := json.Unmarshal([]byte(servers[0].Run(t, "nodes", "--json")), &said); err != nil {
			t.Fatal(err)
		}
		for _, n := range said.Nodes {
			if n.Version == "" || n.Host == "" {
				return 0, 0 // it has not said anything of itself yet
			}
			if n.Alive {
				alive++
			} else {
				silent++
			}
		}
		return alive, silent
	}
	rig.Eventually(t, "three servers are listed", func() bool {
		alive, silent := list()
		return alive == 3 && silent == 0
	})
	servers[1].Kill(t)
	servers[2].Stop(t)
	rig.Eventually(t, "one lives, one is silent and one is gone", func() bool {
		alive, silent := list()
		return alive == 1 && silent == 1
	})
}
