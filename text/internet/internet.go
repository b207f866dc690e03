// Package internet tells what belongs to the Internet from what belongs to a machine or a
// private network, by addresses and names of hosts.
package internet

import (
	"net/netip"
	"slices"
	"strings"
)

// IsPublic reports whether an address belongs to the Internet.
func IsPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.Zone() == "" && ip.IsGlobalUnicast() && !ip.IsPrivate() &&
		!slices.ContainsFunc(reserved(), func(n netip.Prefix) bool { return n.Contains(ip) })
}

// IsPublicHost reports whether a host in lower case may be public: an address of the
// Internet, or a name that does not belong to a private network by its form. What a name
// leads to has to be checked with [IsPublic] when it is contacted.
func IsPublicHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return IsPublic(ip)
	}
	if strings.ContainsFunc(host, changesInTransit) {
		return false
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if len(labels) < 2 || last == "" || last[0] >= '0' && last[0] <= '9' { // 2852039166, 0x7f.1: disguised addresses
		return false
	}
	return !slices.Contains([]string{"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "svc"}, last)
}

// changesInTransit reports whether a character of a host's name becomes another one in a
// request. Such a name cannot be checked here; it must be written in ASCII, as it is
// sent.
func changesInTransit(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-._", r))
}

// PlainHost returns a host in the form for comparison: in lower case, without the brackets
// of an address and the root's dot.
func PlainHost(host string) string { return strings.Trim(strings.ToLower(host), "[].") }

// reserved are networks that are not public, besides those that [netip] knows: of a
// carrier's customers, for tests and documents, for future use, and those that stand for an
// address of version 4.
func reserved() []netip.Prefix {
	var list []netip.Prefix
	for _, text := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10"} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}
