package guard

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxURL = 8192

// CheckURL checks a URL from a caller without touching the network and returns
// it in canonical form: lower-case host, no trailing dot, addresses in their
// usual spelling. The result has scheme http or https, a host, no credentials,
// and CheckURL accepts it unchanged. The error is always a *Refused.
//
// An accepted URL may still lead to a private address: only Caller knows.
func CheckURL(raw string) (*url.URL, error) {
	if strings.ContainsFunc(raw, treacherous) {
		return nil, &Refused{Reason: badRune}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, &Refused{Reason: notAURL} // the parser's own words repeat the whole URL
	}
	u, err = canonical(u)
	if err != nil {
		return nil, err
	}
	if len(u.String()) > maxURL {
		return nil, &Refused{Host: u.Hostname(), Reason: tooLong}
	}
	return u, nil
}

// CheckPublic is CheckURL that refuses at once what can be seen to lead to an
// address that is neither public nor allowed. A name may still do so.
func CheckPublic(raw string, allowPrivate []netip.Prefix) (*url.URL, error) {
	u, err := CheckURL(raw)
	if err != nil {
		return nil, err
	}
	a, err := netip.ParseAddr(u.Hostname())
	literal := err == nil
	local := u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost")
	if local {
		a = netip.IPv6Loopback()
		if within(allowPrivate, netip.AddrFrom4([4]byte{127, 0, 0, 1})) {
			a = netip.AddrFrom4([4]byte{127, 0, 0, 1})
		}
	}
	if (literal || local) && !public(a) && !within(allowPrivate, a) {
		return nil, &Refused{Host: u.Hostname(), Addr: a, Reason: notPublic}
	}
	return u, nil
}

// treacherous are the runes on which URL parsers disagree, or that people cannot
// see: what we check must be what every other reader reads.
func treacherous(r rune) bool {
	return r == '\\' || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// canonical is CheckURL for a URL that is parsed already. It leaves u alone.
func canonical(u *url.URL) (*url.URL, error) {
	refuse := func(reason string) (*url.URL, error) {
		return nil, &Refused{Host: u.Hostname(), Reason: reason}
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return refuse(badScheme)
	}
	if u.User != nil {
		return refuse(credentials)
	}
	if u.Opaque != "" || u.Hostname() == "" {
		return refuse(noHost)
	}
	host, reason := canonicalHost(u.Hostname(), strings.HasPrefix(u.Host, "["))
	if reason != "" {
		return refuse(reason)
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return refuse(badPort)
		}
		host += ":" + strconv.FormatUint(n, 10)
	}
	out := *u
	out.Host = host
	return &out, nil
}

// canonicalHost gives the one spelling of host, or the reason to refuse it.
func canonicalHost(host string, bracketed bool) (canon, reason string) {
	if bracketed {
		return canonicalIPv6(host)
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > 253 {
		return "", badHost
	}
	var last string
	for last = range strings.SplitSeq(host, ".") {
		// ASCII only, and before ToLower: IDNA would turn ① and １ into digits
		// and 。 into a dot, ToLower turns the Kelvin sign into a k.
		if last == "" || len(last) > 63 || strings.ContainsFunc(last, notInLabel) {
			return "", badHost
		}
	}
	if !numeric(last) {
		return strings.ToLower(host), ""
	}
	// 127.1, 0177.0.0.1, 0x7f000001 and 2130706433 are 127.0.0.1 to inet_aton and
	// to every browser, and something else to others. No client needs them.
	a, err := netip.ParseAddr(host)
	if err != nil {
		return "", oddNumber
	}
	return a.String(), ""
}

func canonicalIPv6(host string) (canon, reason string) {
	a, err := netip.ParseAddr(host)
	if err != nil || !a.Is6() {
		return "", badHost
	}
	if a.Zone() != "" {
		return "", oddNumber // a zone names one of our own interfaces
	}
	if a = a.Unmap(); a.Is4() {
		return a.String(), ""
	}
	return "[" + a.String() + "]", ""
}

func notInLabel(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
}

// numeric is the URL standard's test for the last label of an IPv4 address
// (https://url.spec.whatwg.org/#ends-in-a-number-checker). No top-level domain
// passes it.
func numeric(label string) bool {
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	return strings.HasPrefix(strings.ToLower(label), "0x") && strings.Trim(label[2:], "0123456789abcdefABCDEF") == ""
}
