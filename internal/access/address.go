package access

import (
	"net/mail"
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"stele/internal/fault"
)

// normalEmail is an address as it is kept: two people's addresses never become
// one. Letters of other alphabets that turn into Latin ones when they are folded
// (the Kelvin sign, full-width letters, ligatures) are refused.
func normalEmail(email string) (string, error) {
	refusal := fault.New(fault.InvalidParameter, "%q is not an e-mail address.", cut(email, 300)).Field("email")
	email = strings.TrimSpace(email)
	if len(email) > 320 {
		return "", refusal
	}
	a, err := mail.ParseAddress(email)
	if err != nil || a.Name != "" || len(a.Address) > 254 || norm.NFKC.String(a.Address) != a.Address {
		return "", refusal
	}
	var b strings.Builder
	for _, r := range a.Address {
		lower := unicode.ToLower(r)
		if r == unicode.ReplacementChar || unicode.IsControl(r) || !unicode.IsGraphic(r) || r > unicode.MaxASCII && lower <= unicode.MaxASCII {
			return "", refusal
		}
		b.WriteRune(lower)
	}
	if normal := b.String(); norm.NFKC.String(normal) == normal {
		return normal, nil
	}
	return "", refusal
}

// networks are the places an address stands for: one that a single customer of a
// provider has (a /64 of IPv6, where each device has as many addresses as it
// likes), and for IPv6 the /48 that a whole site has.
func networks(remote string) (network, site string) {
	addr, err := netip.ParseAddr(remote)
	if err != nil {
		return "unknown", ""
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String(), ""
	}
	return prefix(addr, 64), prefix(addr, 48)
}

func prefix(addr netip.Addr, bits int) string {
	p, err := addr.Prefix(bits)
	if err != nil {
		return addr.String()
	}
	return p.String()
}
