package operate

import (
	"net"
	"os"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
)

// The address of a running server is found while it runs, and no longer; a second server
// of the same store does not take its place.
func TestPagesAddress(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	if got := runningPages(h); got != "" {
		t.Errorf("without a server: %q", got)
	}
	withdraw := publishAddress(h, "http://m-0a1b2c3d.localhost:7777")
	publishAddress(h, "http://m-0a1b2c3d.localhost:9999")()
	if got := runningPages(h); got != "http://m-0a1b2c3d.localhost:7777" {
		t.Errorf("while it runs: %q", got)
	}
	if info, err := os.Stat(serveAddress(h)); err != nil || cli.OpenToOthers(info) {
		t.Errorf("others may read it: %v %v", info, err)
	}
	withdraw()
	if err := os.WriteFile(serveAddress(h), []byte("http://127.0.0.1:1/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := runningPages(h); got != "" {
		t.Errorf("what a dead server left behind is believed: %q", got)
	}
	publishAddress(cli.Home{Dir: h.Dir + "/nowhere"}, "x")() // which stops no server
}

func TestPagesAt(t *testing.T) {
	h := cli.Home{Dir: "/home/ana/satchel"}
	name := "m-" + storeName(h) + ".localhost"
	if other := storeName(cli.Home{Dir: "/home/bob/satchel"}); len(other) != 8 || other == storeName(h) {
		t.Errorf("two stores are called %s", other)
	}
	at := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 7777} }
	for _, c := range []struct {
		serve ServeCmd
		at    net.Addr
		want  string
	}{
		{ServeCmd{}, at("127.0.0.1"), "http://" + name + ":7777"},
		{ServeCmd{TLSCert: "cert"}, at("127.0.0.1"), "https://127.0.0.1:7777"},
		{ServeCmd{TLSCert: "cert", Host: []string{"memory.example"}}, at("0.0.0.0"), "https://memory.example:7777"},
		{ServeCmd{Origin: []string{"http://x.example", "https://memory.example"}}, at("127.0.0.1"), "https://memory.example"},
	} {
		if got := c.serve.pagesAt(h, c.at); got != c.want {
			t.Errorf("%+v: %s, want %s", c.serve.Origin, got, c.want)
		}
	}
	if (&ServeCmd{Pages: true, ReadOnly: true}).pages(nil, h).Name != "" || (&ServeCmd{}).pages(nil, h).Name != "" || (&ServeCmd{Pages: true}).pages(nil, h).Name != name {
		t.Error("pages are shown where nobody can be let in, or hidden")
	}
}
