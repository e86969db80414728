package guard

import (
	"net/netip"
	"slices"
)

// internet6 is all of IPv6 that is given out for use on the internet. Whatever
// lies outside is closed without being listed: loopback, IPv4-compatible and
// -translated, 64:ff9b:1::/48, 100::/64, 5f00::/16, fc00::/7, fe80::/10,
// fec0::/10, ff00::/8, and what is not invented yet.
var internet6 = netip.MustParsePrefix("2000::/3")

// nat64 carries an IPv4 address in its last four bytes (RFC 6052). A network
// with IPv6 only sees the whole IPv4 internet through it, so it cannot be closed;
// what counts is the address inside.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// closed is what the rest holds that is not globally reachable: IANA's
// special-purpose registries, and the tunnels (6to4, Teredo) that wrap an
// address that was not checked.
var closed = prefixes(
	"0.0.0.0/8",       // this host; Linux takes 0.0.0.0 for 127.0.0.1
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // carrier-grade NAT; Alibaba's metadata is 100.100.100.200
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local; the clouds' metadata is 169.254.169.254
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments; Oracle's metadata is 192.0.0.192
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast
	"2001::/23",       // protocol assignments, Teredo among them
	"2001:db8::/32",   // documentation
	"2002::/16",       // 6to4
	"3fff::/20",       // documentation
)

// public reports whether a is an address on the internet, reachable by any host.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.Is6() && !internet6.Contains(a) {
		return false
	}
	return !within(closed, a)
}

func within(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}
