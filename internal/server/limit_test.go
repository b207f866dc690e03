package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umptest"
)

func TestRate(t *testing.T) {
	s := start(t, server.Options{Rate: 0.01, Burst: 3})
	t.Run("UMP-3.7-5 too many requests", func(t *testing.T) {
		for i := range 5 {
			got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, "Content-Type: application/json")
			if i < 3 {
				if got.StatusCode != 200 {
					t.Errorf("request %d: %d %s", i, got.StatusCode, got.body)
				}
				continue
			}
			seconds, err := strconv.Atoi(got.Header.Get("Retry-After"))
			if got.StatusCode != 429 || got.code(t) != memory.RateLimited || err != nil || seconds < 1 || seconds > 100 {
				t.Errorf("request %d: %d, Retry-After %q, %s", i, got.StatusCode, got.Header.Get("Retry-After"), got.body)
			}
		}
	})
	t.Run("strangers pay for themselves", func(t *testing.T) {
		for i := range 4 {
			got := s.do(t, "GET", "/ump/capabilities", "", "Authorization:")
			if want := map[bool]int{true: 200, false: 429}[i < 3]; got.StatusCode != want {
				t.Errorf("request %d: %d", i, got.StatusCode)
			}
		}
	})
	t.Run("whether the server lives is told without an allowance", func(t *testing.T) {
		if got := s.do(t, "GET", "/healthz", "", "Authorization:"); got.StatusCode != 200 {
			t.Errorf("%d", got.StatusCode)
		}
	})
	t.Run("MCP pays from the same allowance", func(t *testing.T) {
		if got := s.do(t, "POST", "/mcp", initialize); got.StatusCode != 429 {
			t.Errorf("%d", got.StatusCode)
		}
	})
}

// Behind a proxy of this machine a stranger who sends much, or guesses, uses up what the proxy
// says is the stranger's, and many of them together what all share. Only the proxy is believed.
func TestRateBehindProxy(t *testing.T) {
	o := server.Options{Rate: .001, Burst: 3, FailRate: .001, FailBurst: 2, Hosts: []string{"memory.example"}, Origins: []string{"https://memory.example"}}
	ask := func(s *running, from, authorization string) int {
		t.Helper()
		return s.do(t, "GET", "/ump/capabilities", "", "Host: memory.example", "X-Forwarded-For: "+from, "Authorization: "+authorization).StatusCode
	}
	s := start(t, o)
	for i := range 4 {
		if got, want := ask(s, "203.0.113.9", ""), map[bool]int{true: 200, false: 429}[i < 3]; got != want {
			t.Errorf("request %d: %d", i, got)
		}
		if got, want := ask(s, "203.0.113.9", "Bearer wrong"), map[bool]int{true: 401, false: 429}[i < 2]; got != want {
			t.Errorf("guess %d: %d", i, got)
		}
	}
	for _, from := range []string{"203.0.113.10", "203.0.113.9, 2001:db8::1", "203.0.113.9,2001:db8:1::1"} {
		if got := ask(s, from, ""); got != 200 {
			t.Errorf("%s: %d", from, got)
		}
		if got := ask(s, from, "Bearer wrong"); got != 401 {
			t.Errorf("%s guesses: %d", from, got)
		}
	}
	refused := 0
	for i := range 30 {
		if ask(s, "198.51.100."+strconv.Itoa(i), "") == 429 {
			refused++
		}
	}
	if refused < 5 || refused > 15 {
		t.Errorf("%d of 30 others were refused", refused)
	}

	o.Origins = nil // nobody said that there is a proxy
	s = start(t, o)
	for i := range 4 {
		if got, want := ask(s, "203.0.113."+strconv.Itoa(i), ""), map[bool]int{true: 200, false: 429}[i < 3]; got != want {
			t.Errorf("request %d without a proxy: %d", i, got)
		}
	}
}

// connect opens a connection and sends text on it.
func connect(t *testing.T, s *running, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSlowClients(t *testing.T) {
	const soon, late = 100 * time.Millisecond, time.Minute
	t.Run("a head that never ends", func(t *testing.T) {
		s := start(t, server.Options{HeaderTimeout: soon, ReadTimeout: late, IdleTimeout: late})
		c := connect(t, s, "GET / HTTP/1.1\r\nHost: localhost\r\n")
		go func() { // one byte now and then
			for range 100 {
				if _, err := io.WriteString(c, "X: y\r\n"); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
		began := time.Now()
		if _, err := io.ReadAll(c); time.Since(began) > 20*time.Second {
			t.Errorf("the connection stayed open: %v", err)
		}
	})
	t.Run("a body that never ends", func(t *testing.T) {
		s := start(t, server.Options{HeaderTimeout: late, ReadTimeout: soon, IdleTimeout: late})
		c := connect(t, s, "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\nContent-Length: 100\r\n\r\n{")
		got, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != 400 {
			t.Errorf("status %d", got.StatusCode)
		}
	})
	t.Run("a connection without requests", func(t *testing.T) {
		s := start(t, server.Options{HeaderTimeout: late, ReadTimeout: late, IdleTimeout: soon})
		c := connect(t, s, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if said, err := io.ReadAll(c); err != nil || !strings.HasSuffix(string(said), "ok\n") {
			t.Errorf("%q, %v", said, err)
		}
	})
	t.Run("a head too large", func(t *testing.T) {
		if got := start(t, server.Options{MaxHeader: 1 << 10}).do(t, "GET", "/healthz", "", "X-Long: "+strings.Repeat("x", 8<<10)); got.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("status %d", got.StatusCode)
		}
	})
	t.Run("a body too large", func(t *testing.T) {
		got := start(t, server.Options{MaxBody: 1 << 10}).do(t, "POST", "/ump/recall", `{"query":"`+strings.Repeat("x", 4<<10)+`"}`, "Content-Type: application/json")
		if got.StatusCode != http.StatusRequestEntityTooLarge || got.code(t) != memory.InvalidRecord {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
}

// big returns a vault whose export is n records of 100 kB each.
func big(t *testing.T, n int) *umptest.Vault {
	t.Helper()
	v := umptest.New()
	for i := range n {
		text := fmt.Sprint(i) + strings.Repeat("x", 100_000)
		if _, err := v.Remember(context.Background(), memory.Caller{Owner: owner, Role: memory.Agent}, memory.Draft{Record: memory.Record{Kind: memory.Semantic, Scope: memory.Scope{Owner: owner}, Body: memory.Body{Text: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func TestLongAnswers(t *testing.T) {
	t.Run("may take longer than a request may", func(t *testing.T) {
		v := filled(t)
		v.Before = func(ctx context.Context, operation string, _ memory.Caller) error {
			if operation == "export record" {
				time.Sleep(200 * time.Millisecond)
				return ctx.Err()
			}
			return nil
		}
		s := start(t, server.Options{Backend: v, ReadTimeout: 100 * time.Millisecond, HeaderTimeout: 100 * time.Millisecond})
		if got := s.do(t, "GET", "/ump/export", ""); got.StatusCode != 200 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
	t.Run("end when nobody reads them", func(t *testing.T) {
		v, log := big(t, 200), &record{}
		s := start(t, server.Options{Backend: v, WriteTimeout: 100 * time.Millisecond, Log: log.logger()})
		connect(t, s, "GET /ump/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\n\r\n")
		for deadline := time.Now().Add(10 * time.Second); !strings.Contains(log.String(), `"aborted":true`); {
			if time.Now().After(deadline) {
				t.Fatalf("the export goes on: %s", log)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	t.Run("end when nobody reads them, short as they are", func(t *testing.T) {
		s := start(t, server.Options{WriteTimeout: 100 * time.Millisecond})
		c := connect(t, s, "")
		if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil { // or it takes megabytes of answers until one waits
			t.Fatal(err)
		}
		requests := strings.Repeat("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 1000)
		for range 1000 { // more than fits between the two
			_ = c.SetDeadline(time.Now().Add(2 * time.Second)) // of this write, not of all of them
			_, err := io.WriteString(c, requests)
			if err == nil {
				continue
			}
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				return
			}
			// The client drops a reset while its window is shut. Reading on shows whether the
			// connection is closed.
			_ = c.SetDeadline(time.Now().Add(10 * time.Second))
			if n, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the connection stayed open after %d bytes", n)
			}
			return
		}
		t.Error("somebody reads them")
	})
}
