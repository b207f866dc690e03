package operate

import (
	"net"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
)

// Every page of the menu can be opened by its name.
func TestPageNames(t *testing.T) {
	layout, err := os.ReadFile("../../pages/html/layout.html")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`<li><a href="/me/([a-z]+)"`).FindAllSubmatch(layout, -1)
	if len(links) < 16 {
		t.Fatalf("the menu has %d pages", len(links))
	}
	for _, link := range links {
		if name := string(link[1]); !slices.Contains(pageNames(), name) {
			t.Errorf("satchel open knows no page %s", name)
		}
	}
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
