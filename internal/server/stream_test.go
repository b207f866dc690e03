package server_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// follow opens a stream of changes and returns its lines.
func follow(t *testing.T, client *http.Client, base, credentials string) <-chan string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", base+"/ump/subscribe", nil)
	if err != nil {
		t.Fatal(err)
	}
	name, value, _ := strings.Cut(credentials, ": ")
	r.Header.Set(name, value)
	got, err := client.Do(r)
	if err != nil || got.StatusCode != 200 {
		t.Fatalf("%+v %v", got, err)
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		defer func() { _ = got.Body.Close() }()
		for in := bufio.NewScanner(got.Body); in.Scan(); {
			if in.Text() != "" {
				lines <- in.Text()
			}
		}
	}()
	if line := <-lines; line != ": ump subscribe open" {
		t.Fatalf("it begins with %q", line)
	}
	return lines
}

// next returns the next line within a time, "" at the end of the stream.
func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(10 * time.Second):
		t.Fatal("nothing comes")
		return ""
	}
}

func tell(t *testing.T, k *keeper, text string) {
	t.Helper()
	r := memory.Record{Body: memory.Body{Text: text}, Kind: memory.Semantic, Scope: memory.Scope{Owner: owner, Visibility: memory.Public}}
	if _, err := k.Remember(t.Context(), memory.Caller{Owner: owner, Role: memory.Agent}, memory.Draft{Record: r}); err != nil {
		t.Fatal(err)
	}
}

func TestStreams(t *testing.T) {
	const soon = 150 * time.Millisecond
	hasty := server.Options{HeaderTimeout: soon, ReadTimeout: soon, WriteTimeout: soon, IdleTimeout: soon}
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprintf("rest longer than anything may take, over HTTP/%d", version), func(t *testing.T) {
			k := newKeeper(t)
			o := hasty
			o.Backend = k
			e := startTLS(t, o)
			lines := follow(t, e.client(t, version), "https://localhost", bearing(token))
			for i := range 3 {
				time.Sleep(3 * soon)
				tell(t, k, fmt.Sprint("number ", i))
				for _, want := range []string{"event: created", "id: ", "data: "} {
					if got := next(t, lines); !strings.HasPrefix(got, want) {
						t.Fatalf("%q, want %s", got, want)
					}
				}
			}
		})
	}
	t.Run("UMP-5.2-8 end with the token, before the next event", func(t *testing.T) {
		k := newKeeper(t)
		s := start(t, server.Options{Backend: k})
		lines := follow(t, http.DefaultClient, "http://"+s.address, bearing(agent))
		tell(t, k, "while it is good")
		for range 3 {
			next(t, lines)
		}
		k.revoke(agent)
		tell(t, k, "after it was revoked")
		if got := next(t, lines); got != ": token no longer accepted" {
			t.Errorf("%q", got)
		}
		if got := next(t, lines); got != "" {
			t.Errorf("then %q", got)
		}
	})
	t.Run("are counted", func(t *testing.T) {
		s := start(t, server.Options{Backend: newKeeper(t)})
		client := &http.Client{Transport: &http.Transport{}}
		follow(t, client, "http://"+s.address, bearing(agent))
		if got := scrape(t, s)["satchel_http_open_streams"]; got != "1" {
			t.Errorf("%s are open", got)
		}
	})
	t.Run("do not keep the server from stopping", func(t *testing.T) {
		s := start(t, server.Options{Backend: newKeeper(t), Grace: 20 * time.Second})
		lines := follow(t, http.DefaultClient, "http://"+s.address, bearing(agent))
		s.dial(t, "2025-11-25") // whose stream from the server stays open, too
		began := time.Now()
		s.stop()
		if err := <-s.ended; err != nil || time.Since(began) > 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if got := next(t, lines); got != ": server is stopping" {
			t.Errorf("%q", got)
		}
	})
}
