package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

// maxDials bounds how many addresses of one name are tried.
const maxDials = 4

// dialer connects Caller's requests: it resolves a name once, checks what comes
// back and dials that and nothing else.
type dialer struct {
	Options
	net net.Dialer
}

func newDialer(o Options) *dialer {
	d := &dialer{Options: o}
	d.net.ControlContext = d.lastLine
	return d
}

// dial connects to hostport for a URL with this scheme, through the proxy if
// there is one for it.
func (d *dialer) dial(ctx context.Context, scheme, hostport string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.connect())
	defer cancel()
	targets, err := d.pin(ctx, hostport)
	if err != nil {
		return nil, err
	}
	var proxy *url.URL
	if d.Proxy != nil {
		if proxy, err = d.Proxy(&url.URL{Scheme: scheme, Host: hostport}); err != nil {
			return nil, fmt.Errorf("choose proxy: %w", err)
		}
	}
	if proxy != nil {
		return first(ctx, targets, tunnel{proxy: proxy, roots: d.RootCAs}.dial)
	}
	return first(ctx, targets, func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		return d.net.DialContext(ctx, "tcp", to.String())
	})
}

// pin resolves hostport to the addresses that may be dialled.
//
// One bad address refuses the name. Dialling only the good ones would be safe
// too, but no honest public name has a private address beside a public one:
// that is how a rebinding attack, or a leak of internal DNS, looks.
func (d *dialer) pin(ctx context.Context, hostport string) ([]netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &Refused{Host: host, Reason: badPort}
	}
	addrs, err := d.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	targets := make([]netip.AddrPort, len(addrs))
	for i, a := range addrs {
		if !d.isAllowed(a) {
			return nil, &Refused{Host: host, Addr: a, Reason: notPublic}
		}
		targets[i] = netip.AddrPortFrom(a.Unmap(), uint16(port))
	}
	return targets[:min(len(targets), maxDials)], nil
}

func (d *dialer) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	resolve := d.Resolve
	if resolve == nil {
		resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	addrs, err := resolve(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("resolve %s: no address", host)
	}
	return addrs, nil
}

func (d *dialer) isAllowed(a netip.Addr) bool {
	return public(a) || within(d.AllowPrivate, a.Unmap())
}

// lastLine sees the address that the system is about to connect to. Should the
// code above ever let a name or a wrong address through, it ends here.
func (d *dialer) lastLine(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !d.isAllowed(to.Addr()) {
		return &Refused{Addr: to.Addr(), Reason: notPublic} // the host is not known here
	}
	return nil
}

// connector opens a connection to one address.
type connector func(ctx context.Context, to netip.AddrPort) (net.Conn, error)

// first returns the first connection that comes about. Each target gets its share
// of the time left, so that a silent one does not starve the next.
func first(ctx context.Context, targets []netip.AddrPort, connect connector) (net.Conn, error) {
	deadline, _ := ctx.Deadline() // dial has set one
	var errs []error
	for i, to := range targets {
		share := time.Until(deadline) / time.Duration(len(targets)-i)
		one, cancel := context.WithTimeout(ctx, share)
		conn, err := connect(one, to)
		cancel()
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}
