package config

import (
	"net/netip"

	"stele/internal/manifest"
)

// Networks are address ranges.
type Networks []netip.Prefix

// UnmarshalManifest reads a list of CIDRs and single addresses.
func (ns *Networks) UnmarshalManifest(n *manifest.Node) {
	out := Networks{}
	for _, item := range n.Items() {
		var text string
		item.Decode(&text)
		prefix, why := parseNetwork(text)
		if why != "" {
			item.Report("%s", why)
			continue
		}
		out = append(out, prefix)
	}
	*ns = out
}

func parseNetwork(text string) (prefix netip.Prefix, why string) {
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), ""
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return prefix, "expected an address such as 10.1.2.3 or a range such as 10.0.0.0/8"
	}
	if prefix != prefix.Masked() {
		return prefix, "the address has bits beyond its range; write " + prefix.Masked().String()
	}
	return prefix, ""
}
