//go:build unix

package operate

import (
	"net"
	"testing"
)

func TestServeReachedAt(t *testing.T) {
	for _, c := range []struct {
		at   string
		host []string
		want string
	}{
		{"0.0.0.0:7777", []string{"memory.example", "10.0.0.1"}, "memory.example:7777"},
		{"[::]:7777", []string{"[2001:db8::1]"}, "[2001:db8::1]:7777"},
		{"0.0.0.0:7777", nil, "0.0.0.0:7777"},
		{"127.0.0.1:7777", []string{"memory.example"}, "127.0.0.1:7777"},
	} {
		at, err := net.ResolveTCPAddr("tcp", c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&ServeCmd{Host: c.host}).reachedAt(at); got != c.want {
			t.Errorf("%v by %v is %s, want %s", c.at, c.host, got, c.want)
		}
	}
}
