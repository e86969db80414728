package guard_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/guard"
)

// rebinding answers with the neighbour the first time and with the trap from
// then on, like a name server with a time to live of zero.
func rebinding(asked *atomic.Int32) func(context.Context, string) ([]netip.Addr, error) {
	return func(ctx context.Context, host string) ([]netip.Addr, error) {
		if asked.Add(1) == 1 {
			return answers("127.0.0.2")(ctx, host)
		}
		return answers("127.0.0.1")(ctx, host)
	}
}

func TestRebindingReachesOnlyWhatWasChecked(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	defer trap.untouched(t)
	s := serveNeighbour(t, http.HandlerFunc(hello))
	var asked atomic.Int32
	c := guard.Caller(guard.Options{AllowPrivate: []netip.Prefix{neighbour}, Resolve: rebinding(&asked)})

	host := "rebind.example:" + port(s)
	got, err := fetch(t, c, "http://"+host+"/")
	if err != nil || got.body != "hello "+host || asked.Load() != 1 {
		t.Fatalf("got %q, %v after %d look-ups", got.body, err, asked.Load())
	}
	// The connection is kept, and with it the address that was checked.
	got, err = fetch(t, c, "http://"+host+"/")
	if err != nil || got.body != "hello "+host || asked.Load() != 1 {
		t.Fatalf("again: got %q, %v after %d look-ups", got.body, err, asked.Load())
	}
	c.CloseIdleConnections()
	_, err = fetch(t, c, "http://"+host+"/")
	mustRefuse(t, err)
}

func TestRebindingBetweenRedirectsIsRefused(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	defer trap.untouched(t)
	s := serveNeighbour(t, redirectTo("http://rebind.example:"+trap.port+"/"))
	var asked atomic.Int32
	c := guard.Caller(guard.Options{AllowPrivate: []netip.Prefix{neighbour}, Resolve: rebinding(&asked)})
	_, err := fetch(t, c, "http://rebind.example:"+port(s)+"/go")
	mustRefuse(t, err)
}

func TestAllowedPrefixConnects(t *testing.T) {
	t.Parallel()
	s := serveNeighbour(t, http.HandlerFunc(hello))
	for _, host := range []string{"127.0.0.2", "[::ffff:127.0.0.2]", "Inner.Example."} {
		c := guard.Caller(guard.Options{AllowPrivate: []netip.Prefix{neighbour}, Resolve: answers("127.0.0.2")})
		got, err := fetch(t, c, "http://"+host+":"+port(s)+"/")
		if err != nil || !strings.HasPrefix(got.body, "hello ") || strings.ToLower(got.body) != got.body {
			t.Errorf("%s: got %q, %v", host, got.body, err)
		}
	}
}

func TestCallerSpeaksHTTP2WithAPrivateAuthority(t *testing.T) {
	t.Parallel()
	s := unstarted(t, http.HandlerFunc(hello))
	s.EnableHTTP2 = true
	s.StartTLS()
	o := guard.Options{AllowPrivate: []netip.Prefix{neighbour}, Resolve: answers("127.0.0.2")}
	if _, err := fetch(t, guard.Caller(o), "https://example.com:"+port(s)+"/"); err == nil {
		t.Error("trusted a certificate that nobody signed")
	}
	o.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	got, err := fetch(t, guard.Caller(o), "https://example.com:"+port(s)+"/")
	if err != nil || got.ProtoMajor != 2 {
		t.Errorf("got %v, %v, want an answer over HTTP/2", got, err)
	}
}

func TestNextAddressIsTriedWhenOneIsDown(t *testing.T) {
	t.Parallel()
	s := serveNeighbour(t, http.HandlerFunc(hello))
	c := guard.Caller(guard.Options{
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Resolve:      answers("127.0.0.3", "127.0.0.2"), // nothing listens on .3
	})
	if _, err := fetch(t, c, "http://two.example:"+port(s)+"/"); err != nil {
		t.Error(err)
	}
}

func TestRefusalTellsNothingOfTheInside(t *testing.T) {
	t.Parallel()
	c := guard.Caller(guard.Options{Resolve: answers("10.1.2.3")})
	_, err := fetch(t, c, "http://inside.example/")
	refused, ok := errors.AsType[*guard.Refused](err)
	if !ok {
		t.Fatalf("got %v, want a *guard.Refused", err)
	}
	if text := err.Error(); strings.Contains(text, "10.1.2.3") || !strings.Contains(text, "inside.example") {
		t.Errorf("says %q", text)
	}
	if refused.Addr != netip.MustParseAddr("10.1.2.3") {
		t.Errorf("refused %v", refused.Addr)
	}
}

func TestResolverFailureIsNoRefusal(t *testing.T) {
	t.Parallel()
	down := errors.New("name server is down")
	for _, fails := range []error{down, nil} { // nil: an answer without addresses
		c := guard.Caller(guard.Options{Resolve: func(context.Context, string) ([]netip.Addr, error) { return nil, fails }})
		_, err := fetch(t, c, "http://down.example/")
		if _, ok := errors.AsType[*guard.Refused](err); ok || err == nil || fails != nil && !errors.Is(err, fails) {
			t.Errorf("got %v", err)
		}
	}
}

func TestConnectTimeCoversResolving(t *testing.T) {
	t.Parallel()
	c := guard.Caller(guard.Options{
		Connect: time.Millisecond,
		Resolve: func(ctx context.Context, _ string) ([]netip.Addr, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	if _, err := fetch(t, c, "http://slow.example/"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
