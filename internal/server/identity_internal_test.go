package server

import (
	"testing"

	"github.com/satchel-memory/satchel/memory"
)

func TestNetworkOf(t *testing.T) {
	for from, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[::ffff:192.0.2.7]:1": "192.0.2.7", "[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::/64",
		"[2001:db8:1:2::1]:9": "2001:db8:1:2::/64", "[fe80::1%eth0]:1": "fe80::/64", "192.0.2.7": "192.0.2.7", "2001:db8::1": "2001:db8::/64", "@": "@",
	} {
		if got := networkOf(from); got != want {
			t.Errorf("%s is %s, want %s", from, got, want)
		}
	}
}

func TestTokenID(t *testing.T) {
	for want, c := range map[string]memory.Caller{
		"a": {Grant: &memory.Grant{ID: "a"}}, "b": {Role: memory.Agent, Session: "token:b"}, "": {Role: memory.Owner, Session: "tokens"},
	} {
		if got := tokenID(c); got != want {
			t.Errorf("%+v is %q, want %q", c, got, want)
		}
	}
}
