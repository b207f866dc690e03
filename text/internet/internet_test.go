package internet_test

import (
	"net/netip"
	"testing"

	"github.com/satchel-memory/satchel/text/internet"
)

// The tests of package route and of webhooks have the addresses that attackers name.
func TestIsPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.215.14": true, "::ffff:93.184.215.14": true, "2606:4700::1": true, "2606:4700::1%eth0": false,
		"192.0.2.1": false, "192.88.99.1": false, "198.51.100.1": false, "203.0.113.1": false, "100::1": false, "2001:db8::1": false,
		"100.64.0.1": false, "169.254.169.254": false, "::ffff:169.254.169.254": false, "fe80::1%eth0": false,
	} {
		t.Run(address, func(t *testing.T) {
			if got := internet.IsPublic(netip.MustParseAddr(address)); got != want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestIsPublicHost(t *testing.T) {
	for host, want := range map[string]bool{
		"m.example": true, "8.8.8.8": true, "203.0.113.1": false, "2852039166": false, "0x7f.1": false, "localhost": false, "printer.local": false, "m.example.": false, "": false,
	} {
		t.Run(host, func(t *testing.T) {
			if got := internet.IsPublicHost(host); got != want {
				t.Errorf("got %t", got)
			}
		})
	}
	if got := internet.PlainHost("[FE80::1]"); got != "fe80::1" {
		t.Errorf("got %q", got)
	}
	if got := internet.PlainHost("M.Example."); got != "m.example" {
		t.Errorf("got %q", got)
	}
}
