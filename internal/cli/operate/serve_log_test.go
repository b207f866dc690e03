package operate

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

func TestServeLog(t *testing.T) {
	for form, want := range map[string]string{"text": "op=read", "json": `"op":"read"`} {
		a, _, messages := clitest.Person(t, t.Context())
		c := ServeCmd{Log: form}
		c.logger(a).Error("vault", "op", "read", "id", "urn:ump:canary", "err", errors.New("disk"))
		if said := messages.String(); !strings.Contains(said, want) || !strings.Contains(said, "disk") || strings.Contains(said, "canary") {
			t.Errorf("%s: %s", form, said)
		}
		a.Quiet = true
		before := messages.String()
		c.logger(a).Error("vault")
		if messages.String() != before {
			t.Errorf("%s: quiet, and it says something", form)
		}
	}
}

// The line at the start names every address and the file of the token.
func TestServeAnnounces(t *testing.T) {
	a, _, messages := clitest.Person(t, t.Context())
	(&ServeCmd{Agents: true}).announce(a, nil, "127.0.0.1:7777", "/home/ana/token")
	want := "serving http://127.0.0.1:7777/ump, http://127.0.0.1:7777/mcp, http://127.0.0.1:7777/aaif, http://127.0.0.1:7777/v1/brain " +
		"and http://127.0.0.1:7777/v1/context; your token is in /home/ana/token\n"
	if got := messages.String(); got != want {
		t.Errorf("says %q, want %q", got, want)
	}
}

// With --oauth the next line names what the owner gives to the assistant, and how to let it in.
func TestServeAnnouncesOAuth(t *testing.T) {
	at := func(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4zero, Port: port} }
	for name, c := range map[string]struct {
		command ServeCmd
		port    int
		want    string
	}{
		"without":     {ServeCmd{}, 7777, ""},
		"no name":     {ServeCmd{OAuth: true, Host: []string{"memory.example"}}, 7777, "cannot connect yet"},
		"proxy":       {ServeCmd{OAuth: true, Origin: []string{"http://127.0.0.1:8000", "https://memory.example"}}, 7777, "connect to https://memory.example/mcp; when one asks for access, satchel open --confirm"},
		"certificate": {ServeCmd{OAuth: true, Host: []string{"memory.example"}, TLSCert: "cert.pem"}, 443, "connect to https://memory.example/mcp;"},
		"port":        {ServeCmd{OAuth: true, Host: []string{"[2001:db8::1]"}, TLSCert: "cert.pem"}, 8443, "connect to https://[2001:db8::1]:8443/mcp;"},
		"json":        {ServeCmd{OAuth: true, Origin: []string{"https://memory.example"}, Log: "json"}, 7777, `"mcp":["https://memory.example/mcp"]`},
	} {
		a, _, messages := clitest.Person(t, t.Context())
		c.command.announceOAuth(a, c.command.logger(a), at(c.port))
		if said := messages.String(); !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s: says %q", name, said)
		}
	}
}

// A name or an origin that no request can have is refused before anything is served.
func TestServeNames(t *testing.T) {
	for name, c := range map[string]struct {
		host, origin string
		ok           bool
	}{
		"name and origin":    {"memory.example", "https://memory.example", true},
		"addresses":          {"[2001:db8::1]", "http://10.0.0.1:8080", true},
		"bare IPv6":          {"2001:db8::1", "https://[2001:db8::1]", true},
		"address as name":    {"https://memory.example", "https://memory.example", false},
		"name with port":     {"memory.example:443", "https://memory.example", false},
		"name with path":     {"memory.example/mcp", "https://memory.example", false},
		"name as origin":     {"memory.example", "memory.example", false},
		"origin with slash":  {"memory.example", "https://memory.example/", false},
		"origin with path":   {"memory.example", "https://memory.example/mcp", false},
		"origin with a user": {"memory.example", "https://ana@memory.example", false},
		"another scheme":     {"memory.example", "ws://memory.example", false},
	} {
		err := (&ServeCmd{Host: []string{c.host}, Origin: []string{c.origin}}).checkNames()
		if c.ok != (err == nil) || err != nil && cli.StatusOf(err) != cli.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
