package guard_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"

	"stele/internal/guard"
)

// closedRanges are given with first and last address.
var closedRanges = [][2]string{
	{"0.0.0.0", "0.255.255.255"},
	{"10.0.0.0", "10.255.255.255"},
	{"100.64.0.0", "100.127.255.255"},
	{"127.0.0.0", "127.255.255.255"},
	{"169.254.0.0", "169.254.255.255"},
	{"172.16.0.0", "172.31.255.255"},
	{"192.0.0.0", "192.0.0.255"},
	{"192.0.2.0", "192.0.2.255"},
	{"192.88.99.0", "192.88.99.255"},
	{"192.168.0.0", "192.168.255.255"},
	{"198.18.0.0", "198.19.255.255"},
	{"198.51.100.0", "198.51.100.255"},
	{"203.0.113.0", "203.0.113.255"},
	{"224.0.0.0", "239.255.255.255"},
	{"240.0.0.0", "255.255.255.255"},
	{"::", "::1"},
	{"::2", "::ffff:ffff"},
	{"::ffff:10.0.0.0", "::ffff:10.255.255.255"},
	{"::ffff:0:0:0", "::ffff:0:ffff:ffff"},
	{"64:ff9b::10.0.0.0", "64:ff9b::10.255.255.255"},
	{"64:ff9b::127.0.0.0", "64:ff9b::127.255.255.255"},
	{"64:ff9b::1:0:0", "64:ff9b::ffff:ffff:ffff:ffff"},
	{"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"},
	{"100::", "100::ffff:ffff:ffff:ffff"},
	{"1000::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
}

// openAddresses are the internet, many of them next door to a closed range.
var openAddresses = []string{
	"1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
	"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
	"192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
	"198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2000::1",
	"2001:200::", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::", "2003::", "2606:4700:4700::1111", "3fff:1000::",
}

// firstAsked fetches from a name with this address through a proxy that connects
// to nothing, and gives what the proxy was asked for.
func firstAsked(t *testing.T, addr string) (target string, err error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target = r.Host
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer s.Close() // waits for the handler
	u, _ := url.Parse(s.URL)
	_, err = fetch(t, guard.Caller(guard.Options{
		Resolve: answers(addr),
		Proxy:   func(*url.URL) (*url.URL, error) { return u, nil },
	}), "http://name.example/")
	return target, err
}

func TestClosedRangesAreRefused(t *testing.T) {
	t.Parallel()
	for _, r := range closedRanges {
		for _, addr := range r {
			t.Run(addr, func(t *testing.T) {
				t.Parallel()
				target, err := firstAsked(t, addr)
				refused, ok := errors.AsType[*guard.Refused](err)
				if target != "" || !ok || refused.Host != "name.example" || refused.Addr != netip.MustParseAddr(addr) {
					t.Errorf("asked for %q, got %v", target, err)
				}
			})
		}
	}
}

func TestInternetIsOpen(t *testing.T) {
	t.Parallel()
	for _, addr := range openAddresses {
		t.Run(addr, func(t *testing.T) {
			t.Parallel()
			target, _ := firstAsked(t, addr)
			if want := netip.AddrPortFrom(netip.MustParseAddr(addr).Unmap(), 80).String(); target != want {
				t.Errorf("the proxy was asked for %q, want %q", target, want)
			}
		})
	}
}
