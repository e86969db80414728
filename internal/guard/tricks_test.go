package guard_test

import (
	"net/netip"
	"strings"

	"stele/internal/guard"
)

// trick is a URL that tries to reach the trap. PORT is the trap's port. Names
// resolve to answers, or to 127.0.0.1 where there are none.
type trick struct {
	name    string
	url     string
	answers []string
}

// tricks are the known ways to spell or to hide a private address.
var tricks = []trick{
	// Plain.
	{"loopback", "http://127.0.0.1:PORT/", nil},
	{"loopback, https", "https://127.0.0.1:PORT/", nil},
	{"loopback, elsewhere in its block", "http://127.9.8.7:PORT/", nil},
	{"loopback, last of its block", "http://127.255.255.254:PORT/", nil},
	{"this host", "http://0.0.0.0:PORT/", nil},
	{"this network", "http://0.1.2.3:PORT/", nil},
	{"upper-case scheme", "HTTP://127.0.0.1:PORT/", nil},
	{"port with zeros", "http://127.0.0.1:00PORT/", nil},
	{"metadata", "http://169.254.169.254/latest/meta-data/", nil},
	{"metadata, Alibaba", "http://100.100.100.200/latest/meta-data/", nil},
	{"metadata, Oracle", "http://192.0.0.192/latest/meta-data/", nil},
	{"metadata, AWS over IPv6", "http://[fd00:ec2::254]/latest/meta-data/", nil},
	{"broadcast", "http://255.255.255.255:PORT/", nil},
	{"multicast", "http://224.0.0.1:PORT/", nil},

	// Numbers.
	{"decimal", "http://2130706433:PORT/", nil},
	{"decimal, metadata", "http://2852039166/", nil},
	{"decimal, overflowing", "http://6425673729:PORT/", nil},
	{"decimal zero", "http://0:PORT/", nil},
	{"hex", "http://0x7f000001:PORT/", nil},
	{"hex, upper case", "http://0X7F000001:PORT/", nil},
	{"hex, padded", "http://0x000000007f000001:PORT/", nil},
	{"hex, nothing after the x", "http://127.0.0.0x:PORT/", nil},
	{"octal", "http://017700000001:PORT/", nil},
	{"dotted octal", "http://0177.0.0.1:PORT/", nil},
	{"dotted octal, padded", "http://00000177.00.00.01:PORT/", nil},
	{"dotted hex", "http://0x7f.0x0.0x0.0x1:PORT/", nil},
	{"two parts", "http://127.1:PORT/", nil},
	{"three parts", "http://127.0.1:PORT/", nil},
	{"two parts, big second", "http://127.65793:PORT/", nil},
	{"hex and decimal", "http://0x7f.1:PORT/", nil},
	{"octal and hex", "http://0177.0.0.0x1:PORT/", nil},
	{"leading zeros", "http://127.000.000.001:PORT/", nil},
	{"overflowing octet", "http://383.256.0.1:PORT/", nil},
	{"five parts", "http://127.0.0.0.1:PORT/", nil},
	{"trailing dot", "http://127.0.0.1.:PORT/", nil},
	{"two trailing dots", "http://127.0.0.1..:PORT/", nil},
	{"trailing dot after decimal", "http://2130706433.:PORT/", nil},
	{"empty label", "http://127..0.1:PORT/", nil},
	{"negative", "http://-2130706433:PORT/", nil},

	// Unicode and escapes.
	{"full-width digits", "http://１２７.０.０.１:PORT/", nil},
	{"ideographic full stop", "http://127。0。0。1:PORT/", nil},
	{"half-width full stop", "http://127｡0｡0｡1:PORT/", nil},
	{"full-width full stop", "http://127．0．0．1:PORT/", nil},
	{"circled digits", "http://①②⑦.⓪.⓪.①:PORT/", nil},
	{"mathematical digits", "http://𝟙𝟚𝟟.𝟘.𝟘.𝟙:PORT/", nil},
	{"Arabic digits", "http://١٢٧.٠.٠.١:PORT/", nil},
	{"circled letters", "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/", nil},
	{"long s", "http://localhoſt:PORT/", nil},
	{"soft hyphen", "http://local\u00adhost:PORT/", nil},
	{"zero-width space", "http://local\u200bhost:PORT/", nil},
	{"escaped digits", "http://%31%32%37.0.0.1:PORT/", nil},
	{"escaped dots", "http://127%2e0%2e0%2e1:PORT/", nil},
	{"escaped full-width digits", "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1:PORT/", nil},
	{"escaped twice", "http://%2531%2532%2537.0.0.1:PORT/", nil},
	{"escaped name", "http://%6c%6f%63alhost:PORT/", nil},
	{"escaped null", "http://127.0.0.1%00.example.com:PORT/", nil},
	{"full-width port", "http://127.0.0.1:８０/", nil},

	// IPv6.
	{"v6 loopback", "http://[::1]:PORT/", nil},
	{"v6 loopback, long", "http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/", nil},
	{"v6 loopback, dotted", "http://[::0.0.0.1]:PORT/", nil},
	{"v6 loopback without brackets", "http://::1:PORT/", nil},
	{"v6 unspecified", "http://[::]:PORT/", nil},
	{"mapped", "http://[::ffff:127.0.0.1]:PORT/", nil},
	{"mapped, hex", "http://[::ffff:7f00:1]:PORT/", nil},
	{"mapped, long", "http://[0:0:0:0:0:FFFF:7F00:0001]:PORT/", nil},
	{"mapped this host", "http://[::ffff:0.0.0.0]:PORT/", nil},
	{"mapped metadata", "http://[::ffff:a9fe:a9fe]/", nil},
	{"compatible", "http://[::127.0.0.1]:PORT/", nil},
	{"translated", "http://[::ffff:0:127.0.0.1]:PORT/", nil},
	{"NAT64", "http://[64:ff9b::127.0.0.1]:PORT/", nil},
	{"NAT64 metadata", "http://[64:ff9b::a9fe:a9fe]/", nil},
	{"NAT64, local use", "http://[64:ff9b:1::127.0.0.1]:PORT/", nil},
	{"6to4", "http://[2002:7f00:1::1]:PORT/", nil},
	{"Teredo", "http://[2001:0:7f00:1::80ff:fffe]:PORT/", nil},
	{"link-local", "http://[fe80::1]:PORT/", nil},
	{"link-local with zone", "http://[fe80::1%25lo]:PORT/", nil},
	{"loopback with zone", "http://[::1%25lo]:PORT/", nil},
	{"mapped with zone", "http://[::ffff:127.0.0.1%25lo]:PORT/", nil},
	{"public with zone", "http://[2606:4700::1111%25lo]:PORT/", nil},
	{"zone not escaped", "http://[::1%lo]:PORT/", nil},
	{"unique local", "http://[fc00::1]:PORT/", nil},
	{"site-local", "http://[fec0::1]:PORT/", nil},
	{"multicast v6", "http://[ff02::1]:PORT/", nil},
	{"v4 in brackets", "http://[127.0.0.1]:PORT/", nil},
	{"future version", "http://[v1.127.0.0.1]:PORT/", nil},

	// Parsers that disagree.
	{"credentials", "http://user:pass@127.0.0.1:PORT/", nil},
	{"credentials that look like the host", "http://example.com@127.0.0.1:PORT/", nil},
	{"credentials with port", "http://example.com:80@127.0.0.1:PORT/", nil},
	{"empty credentials", "http://@127.0.0.1:PORT/", nil},
	{"credentials before a public name", "http://127.0.0.1:PORT@example.com/", nil},
	{"two at signs", "http://a@127.0.0.1:PORT@example.com/", nil},
	{"backslash at", `http://127.0.0.1:PORT\@example.com/`, nil},
	{"at backslash", `http://example.com\@127.0.0.1:PORT/`, nil},
	{"backslashes", `http:\\127.0.0.1:PORT\`, nil},
	{"fragment at", "http://example.com#@127.0.0.1:PORT/", nil},
	{"question at", "http://example.com?@127.0.0.1:PORT/", nil},
	{"semicolon", "http://127.0.0.1;example.com:PORT/", nil},
	{"two ports", "http://127.0.0.1:PORT:80/", nil},
	{"port zero", "http://127.0.0.1:0/", nil},
	{"port too big", "http://127.0.0.1:65616/", nil},
	{"port signed", "http://127.0.0.1:+PORT/", nil},
	{"space in front", " http://127.0.0.1:PORT/", nil},
	{"space in the host", "http://127.0.0.1 :PORT/", nil},
	{"tab in the host", "http://127.0.\t0.1:PORT/", nil},
	{"line end in the host", "http://127.0.0.1:PORT\r\nHost: example.com/", nil},
	{"null in the host", "http://127.0.0.1\x00.example.com:PORT/", nil},
	{"three slashes", "http:///127.0.0.1:PORT/", nil},
	{"no slash", "http:127.0.0.1:PORT/", nil},
	{"no scheme", "//127.0.0.1:PORT/", nil},
	{"only a host", "127.0.0.1:PORT", nil},
	{"gopher", "gopher://127.0.0.1:PORT/_GET", nil},
	{"file", "file://127.0.0.1/etc/passwd", nil},
	{"ftp", "ftp://127.0.0.1:PORT/", nil},
	{"unix", "unix:///var/run/docker.sock", nil},
	{"data", "data:text/plain,hello", nil},
	{"nested scheme", "url:http://127.0.0.1:PORT/", nil},

	// Names.
	{"localhost", "http://localhost:PORT/", nil},
	{"localhost, upper case", "http://LOCALHOST:PORT/", nil},
	{"localhost, trailing dot", "http://localhost.:PORT/", nil},
	{"below localhost", "http://www.localhost:PORT/", nil},
	{"name with the address in it", "http://127.0.0.1.nip.example:PORT/", nil},
	{"hex name", "http://7f000001.rebind.example:PORT/", nil},
	{"punycode", "http://xn--lcalhost-54a.example:PORT/", nil},
	{"underscore", "http://inner_service:PORT/", nil},
	{"metadata name", "http://metadata.google.internal/", []string{"169.254.169.254"}},
	{"name of this host", "http://zero.example:PORT/", []string{"0.0.0.0"}},
	{"name of v6 loopback", "http://six.example:PORT/", []string{"::1"}},
	{"name of mapped", "http://mapped.example:PORT/", []string{"::ffff:127.0.0.1"}},
	{"name of compatible", "http://compatible.example:PORT/", []string{"::127.0.0.1"}},
	{"name of NAT64", "http://nat64.example:PORT/", []string{"64:ff9b::127.0.0.1"}},
	{"name of link-local with zone", "http://zone.example:PORT/", []string{"fe80::1%lo"}},
	{"name of 6to4", "http://6to4.example:PORT/", []string{"2002:7f00:1::1"}},
	{"public, then private", "http://both.example:PORT/", []string{"93.184.215.14", "127.0.0.1"}},
	{"private, then public", "http://both.example:PORT/", []string{"127.0.0.1", "93.184.215.14"}},
	{"public v6, private v4", "http://both.example:PORT/", []string{"2606:2800:21f:cb07::1", "127.0.0.1"}},
	{"private after many", "http://many.example:PORT/", []string{"1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "1.1.1.5", "::1"}},
}

func (tr trick) aimed(port string) string { return strings.ReplaceAll(tr.url, "PORT", port) }

func (tr trick) options() guard.Options {
	if tr.answers == nil {
		tr.answers = []string{"127.0.0.1"}
	}
	return guard.Options{AllowPrivate: []netip.Prefix{neighbour}, Resolve: answers(tr.answers...)}
}
