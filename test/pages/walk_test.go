package pages_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

var anyLink = regexp.MustCompile(`href="(/[^"#]*)`)

// TestWalk follows links at random: no page breaks, each leads home, no link is dead: A19.
func TestWalk(t *testing.T) {
	t.Parallel()
	h := sampled(t)
	many(t, h, 120)
	cookie := h.cookie(t)
	type page struct {
		links []string
		home  bool
	}
	known := map[string]page{}
	visit := func(path, from string) page {
		if p, ok := known[path]; ok {
			return p
		}
		got, body := request(t, "GET", "http://"+h.addr+path, "", cookie)
		if got.StatusCode != 200 {
			t.Errorf("%s, a link of %s: %d", path, from, got.StatusCode)
		}
		p := page{home: strings.Contains(body, `href="/me/"`) || !strings.Contains(got.Header.Get("Content-Type"), "html")}
		for _, m := range anyLink.FindAllStringSubmatch(body, -1) {
			if link := html.UnescapeString(m[1]); !strings.Contains(link, "/static/") {
				p.links = append(p.links, link)
			} else if got, _ := request(t, "GET", "http://"+h.addr+link, ""); len(known) == 0 && got.StatusCode != 200 {
				t.Errorf("%s: %d", link, got.StatusCode)
			}
		}
		if !p.home {
			t.Errorf("%s leads nowhere", path)
		}
		known[path] = p
		return p
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		path, from := "/me/", ""
		for range 100 {
			p := visit(path, from)
			if len(p.links) == 0 {
				break // a file, from which one goes back
			}
			path, from = p.links[rnd.IntN(len(p.links))], path
		}
		if t.Failed() {
			return
		}
	}
	if len(known) < 80 {
		t.Errorf("only %d pages were seen", len(known))
	}
	fmt.Println(len(known), "pages were seen")
}
