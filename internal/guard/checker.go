package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	mostVerdicts = 1024             // hosts that are remembered
	verdictLife  = 30 * time.Second // a name may lead elsewhere soon
)

// Checker says of addresses from callers whether they lead where Caller would go,
// for upstreams that fetch them themselves. It is safe for concurrent use.
type Checker struct {
	dialer *dialer
	now    func() time.Time

	mu    sync.Mutex // guards known
	known map[string]verdict
}

type verdict struct {
	until   time.Time
	refused *Refused // nil: it may be fetched
}

// NewChecker makes one with the same options that Caller takes.
func NewChecker(o Options) *Checker {
	return &Checker{dialer: newDialer(o), now: time.Now, known: make(map[string]verdict)}
}

// Check refuses what Caller would refuse, with a *Refused. A name that cannot be
// resolved here is refused only if it is one of an inner network: who fetches it
// will not find it either.
func (c *Checker) Check(ctx context.Context, raw string) error {
	u, err := CheckURL(raw)
	if err != nil {
		return err
	}
	host := u.Hostname()
	if refused, known := c.recall(host); known {
		if refused != nil {
			return refused
		}
		return nil
	}
	refused, err := c.judge(ctx, host)
	if err != nil {
		return err
	}
	c.mu.Lock()
	if len(c.known) >= mostVerdicts {
		clear(c.known)
	}
	c.known[host] = verdict{c.now().Add(verdictLife), refused}
	c.mu.Unlock()
	if refused != nil {
		return refused
	}
	return nil
}

func (c *Checker) recall(host string) (*Refused, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.known[host]
	return v.refused, ok && c.now().Before(v.until)
}

// judge resolves a host and looks at where it leads.
func (c *Checker) judge(ctx context.Context, host string) (*Refused, error) {
	bounded, cancel := context.WithTimeout(ctx, c.dialer.connect())
	defer cancel()
	_, err := c.dialer.pin(bounded, net.JoinHostPort(host, "80"))
	if refused, ok := errors.AsType[*Refused](err); ok {
		return refused, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && inner(host) {
		return &Refused{Host: host, Reason: notPublic}, nil
	}
	return nil, nil
}

// inner reports whether a name is one that only inner networks have.
func inner(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	if !strings.Contains(host, ".") {
		return true
	}
	inside := []string{".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp", ".private", ".home.arpa", ".svc", ".consul", ".docker"}
	return slices.ContainsFunc(inside, func(end string) bool { return strings.HasSuffix(host, end) })
}
