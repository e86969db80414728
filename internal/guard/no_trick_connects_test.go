package guard_test

import (
	"net/url"
	"testing"

	"stele/internal/guard"
)

// eachTrick runs f for every trick with a trap of its own, and looks into the
// trap afterwards.
func eachTrick(t *testing.T, f func(t *testing.T, tr trick, port string)) {
	t.Helper()
	if len(tricks) < 60 {
		t.Fatalf("only %d tricks", len(tricks))
	}
	for _, tr := range tricks {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			trap := newTrap(t)
			defer trap.untouched(t)
			f(t, tr, trap.port)
		})
	}
}

func TestNoTrickConnects(t *testing.T) {
	t.Parallel()
	eachTrick(t, func(t *testing.T, tr trick, port string) {
		t.Helper()
		u, err := guard.CheckURL(tr.aimed(port))
		if err == nil {
			_, err = fetch(t, guard.Caller(tr.options()), u.String())
		}
		mustRefuse(t, err)
	})
}

func TestNoTrickConnectsWithoutCheckURL(t *testing.T) {
	t.Parallel()
	eachTrick(t, func(t *testing.T, tr trick, port string) {
		t.Helper()
		_, err := fetch(t, guard.Caller(tr.options()), tr.aimed(port))
		if err == nil {
			t.Error("no error")
		}
		tr.mustFail(t, err)
	})
}

func TestNoTrickConnectsThroughARedirect(t *testing.T) {
	t.Parallel()
	eachTrick(t, func(t *testing.T, tr trick, port string) {
		t.Helper()
		s := serveNeighbour(t, redirectTo(tr.aimed(port)))
		got, err := fetch(t, guard.Caller(tr.options()), s.URL+"/go")
		if err == nil && got.Request.URL.Host != s.Listener.Addr().String() {
			t.Errorf("went to %s", got.Request.URL)
		}
		tr.mustFail(t, err)
	})
}

func TestNoTrickConnectsThroughAProxy(t *testing.T) {
	t.Parallel()
	eachTrick(t, func(t *testing.T, tr trick, port string) {
		t.Helper()
		p := newProxy(t)
		o := tr.options()
		o.Proxy = func(*url.URL) (*url.URL, error) { return p.url, nil }
		_, err := fetch(t, guard.Caller(o), tr.aimed(port))
		if err == nil {
			t.Error("no error")
		}
		tr.mustFail(t, err)
		if asked := p.asked(); len(asked) > 0 {
			t.Errorf("the proxy was asked for %v", asked)
		}
	})
}

// mustFail fails t unless err is a refusal. URLs that are not well formed may
// fail in net/http before guard sees them, or be a path when redirected to.
func (tr trick) mustFail(t *testing.T, err error) {
	t.Helper()
	if _, bad := guard.CheckURL(tr.aimed("80")); bad == nil {
		mustRefuse(t, err)
	}
}

// Without the guard these tricks do connect: the trap would have seen them.
func TestTrapCatches(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "0.0.0.0", "[::ffff:7f00:1]", "[::1]"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			trap := newTrap(t)
			if host == "[::1]" && !trap.v6 {
				t.Skip("no IPv6 here")
			}
			_, err := fetch(t, guard.Operator(guard.Options{}), "http://"+host+":"+trap.port+"/")
			if len(trap.visitors) != 1 {
				t.Errorf("%d visitors, %v", len(trap.visitors), err)
			}
		})
	}
}
