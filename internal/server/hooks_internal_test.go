package server

import (
	"net/netip"
	"testing"

	"github.com/satchel-memory/satchel/text/internet"
)

func TestPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false,
		"0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false, "::1": false, "::": false, "fe80::1": false, "fd00::1": false,
		"fec0::1": false, "ff02::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::127.0.0.1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false,
	} {
		t.Run("ENGRAM-12.5-1 "+address, func(t *testing.T) {
			if got := internet.IsPublic(netip.MustParseAddr(address)); got != want {
				t.Errorf("public is %v", got)
			}
			if err := requirePublic("tcp", netip.AddrPortFrom(netip.MustParseAddr(address), 443).String(), nil); (err == nil) != want {
				t.Errorf("%v", err)
			}
		})
	}
}
