package route

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/fault"
)

// board is where servers leave what they know, as a database does, and a clock.
type board struct {
	now    time.Time
	states map[breakerName]State
}

// servers are routers on one board, and an upstream that fails for all of them while it does.
type server struct {
	*Router

	t       *testing.T
	board   *board
	failing *error
}

func newServers(t *testing.T, names ...string) (*board, *error, []*server) {
	t.Helper()
	b := &board{now: time.UnixMilli(1e12), states: make(map[breakerName]State)}
	failing := new(error)
	var list []*server
	for _, name := range names {
		var pauses []time.Duration
		s := &server{Router: patient(&pauses), t: t, board: b, failing: failing}
		s.Router.now = func() time.Time { return b.now }
		s.Share(name)
		list = append(list, s)
	}
	return b, failing, list
}

// talk is a round of every server.
func (b *board) talk(servers ...*server) {
	for _, s := range servers {
		for _, told := range s.News() {
			m := breakerName{address{told.Provider, told.Model}, told.Caller}
			if delete(b.states, m); !told.Well() {
				b.states[m] = told
			}
		}
		for _, claim := range s.WantedBreakers() {
			m := breakerName{address{claim.Provider, claim.Model}, claim.Caller}
			if now := b.states[m]; now.Trier == "" || !b.now.Before(now.TryBy) {
				now.Trier, now.TryBy = claim.Trier, claim.TryBy
				b.states[m] = now
			}
		}
		s.Hear(slices.Collect(maps.Values(b.states)))
	}
}

// ask reports whether a request reached the upstream, and what the client heard.
func (s *server) ask(caller string) (reached bool, err error) {
	s.t.Helper()
	_, err = s.Do(s.t.Context(), caller, model(0, "a"), func(context.Context, catalog.Target) error {
		reached = true
		return *s.failing
	})
	return reached, err
}

func (s *server) wantReached(caller string, want bool) {
	s.t.Helper()
	if reached, err := s.ask(caller); reached != want {
		s.t.Errorf("%s: a request of %s reached the upstream: %v (%v)", s.circuits.news.node, caller, reached, err)
	}
}

func TestABreakerThatOpensIsOpenOnAllServers(t *testing.T) {
	t.Parallel()
	b, failing, s := newServers(t, "one", "two", "three")
	*failing = down
	for range failuresToOpen {
		s[0].wantReached("w", true)
	}
	b.talk(s...)
	b.talk(s...)
	s[0].wantReached("w", false)
	s[1].wantReached("w", false)
	s[2].wantReached("w", false)
	s[1].wantReached("another", true) // it may have been the caller's own fault
	*failing = nil
	b.now = b.now.Add(openFor)
	s[1].wantReached("w", false) // the server that opened it tries
	s[0].wantReached("w", true)
	b.talk(s...)
	b.talk(s...)
	for _, each := range s {
		each.wantReached("w", true)
	}
	if len(b.states) != 0 {
		t.Errorf("of a target that is well is kept: %v", b.states)
	}
}

func TestAProviderThatCannotBeReachedIsLeftAloneByAllServers(t *testing.T) {
	t.Parallel()
	b, failing, s := newServers(t, "one", "two")
	*failing = refused
	for range failuresToOpen {
		s[0].wantReached("w", true)
	}
	b.talk(s...)
	s[1].wantReached("w", false)
	s[1].wantReached("another", false)
}

// TestOneServerTries has the server that opened a breaker fall silent: one of the others
// takes over, and when its trial fails, any of them.
func TestOneServerTries(t *testing.T) {
	t.Parallel()
	b, failing, s := newServers(t, "one", "two", "three")
	*failing = refused
	for range failuresToOpen {
		s[0].wantReached("w", true)
	}
	b.talk(s...)
	others := s[1:]
	b.now = b.now.Add(openFor + firstChance)
	tries := func() (n int) {
		for range 2 {
			for _, each := range others {
				if reached, _ := each.ask("w"); reached {
					n++
				}
			}
			b.talk(others...)
			b.talk(others...)
		}
		return n
	}
	if n := tries(); n != 1 {
		t.Errorf("%d trials, want one", n)
	}
	b.now = b.now.Add(openFor)
	*failing = nil
	if n := tries(); n != 1 {
		t.Errorf("%d trials after one that failed, want one", n)
	}
	s[1].wantReached("w", true)
	s[2].wantReached("w", true)
}

func TestServersThatHearNothingTryAllTheSame(t *testing.T) {
	t.Parallel()
	b, failing, s := newServers(t, "one", "two")
	*failing = refused
	for range failuresToOpen {
		s[0].wantReached("w", true)
	}
	b.talk(s...)
	*failing = nil
	b.now = b.now.Add(openFor + firstChance)
	s[1].wantReached("w", false)
	b.now = b.now.Add(unclaimed)
	s[1].wantReached("w", true)
}

// TestAServerThatIsServedKnowsBetter has one server lose its network: the others go on.
func TestAServerThatIsServedKnowsBetter(t *testing.T) {
	t.Parallel()
	b, failing, s := newServers(t, "cut off", "well")
	*failing = refused
	for range failuresToOpen {
		s[0].wantReached("w", true)
	}
	*failing = nil
	b.now = b.now.Add(time.Millisecond)
	s[1].wantReached("w", true) // before it heard
	b.talk(s...)
	s[1].wantReached("w", true)
	s[0].wantReached("w", false)
}

func TestAProviderThatAsksForPatienceIsLeftAloneByAllServers(t *testing.T) {
	t.Parallel()
	b, failing, s := newServers(t, "one", "two")
	patience := func(d time.Duration) error {
		return &fault.Error{Code: fault.RateLimited, Message: "slow down", RetryAfter: d}
	}
	*failing = patience(longestPause) // which a request waits for itself
	s[0].wantReached("w", true)
	b.talk(s...)
	s[1].wantReached("w", true)

	*failing = patience(30 * time.Second)
	s[0].wantReached("w", true)
	b.talk(s...)
	b.now = b.now.Add(10 * time.Second)
	reached, err := s[1].ask("w")
	if e := fault.From(err); reached || e.Code != fault.RateLimited || e.RetryAfter != 20*time.Second || e.Spent {
		t.Errorf("the other server: reached %v, %+v", reached, e)
	}
	s[1].wantReached("another", true) // it was told the same: now it counts for everybody
	s[1].wantReached("third", false)
	b.talk(s[1], s[0])
	s[0].wantReached("third", false)

	*failing = nil
	b.now = b.now.Add(30 * time.Second)
	b.talk(s...)
	for _, caller := range []string{"w", "another", "third"} {
		s[0].wantReached(caller, true)
		s[1].wantReached(caller, true)
	}
}

func TestAnotherAccountBeginsAnewOnAllServers(t *testing.T) {
	t.Parallel()
	b, failing, s := newServers(t, "one", "two")
	*failing = refused
	for range failuresToOpen {
		s[0].wantReached("w", true)
	}
	b.talk(s...)
	*failing = nil
	s[1].Forget("a")
	s[1].wantReached("w", true)
	b.talk(s[1], s[0])
	s[0].wantReached("w", true)
	if len(b.states) != 0 {
		t.Errorf("of an account that is gone is kept: %v", b.states)
	}
}

func TestNamesThatNoDatabaseTakesStayHere(t *testing.T) {
	t.Parallel()
	_, _, s := newServers(t, "one")
	for _, name := range []string{"nul\x00", "\xff", string(make([]byte, longestShared+1))} {
		m := model(0, "a")
		m.Targets[0].Model = name
		for range failuresToOpen {
			var asked []string
			_, _ = s[0].Do(t.Context(), "w", m, script(&asked, refused))
		}
	}
	if told := s[0].News(); len(told) != 0 {
		t.Errorf("told: %q", told)
	}
}
