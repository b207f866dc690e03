package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// raw sends text as it is and returns every answer until the connection ends.
func raw(t *testing.T, s *running, text string) []answer {
	t.Helper()
	in := bufio.NewReader(connect(t, s, text))
	var all []answer
	for {
		got, err := http.ReadResponse(in, nil)
		if err != nil {
			return all
		}
		said, _ := io.ReadAll(got.Body)
		_ = got.Body.Close()
		all = append(all, answer{got, said})
	}
}

// everywhere are requests to every route, and to some that are none.
func everywhere() [][2]string {
	return [][2]string{
		{"GET", "/"}, {"GET", "/healthz"}, {"GET", "/readyz"}, {"GET", "/metrics"}, {"GET", "/.well-known/ump.json"},
		{"GET", "/.well-known/ump/public.ump.json"}, {"GET", "/.well-known/ump/public.ndjson"},
		{"GET", "/ump/capabilities"}, {"POST", "/ump/recall"}, {"POST", "/ump/remember"}, {"POST", "/ump/revise"}, {"POST", "/ump/forget"},
		{"GET", "/ump/export"}, {"POST", "/ump/feedback"}, {"HEAD", "/ump/subscribe"}, {"GET", "/ump/memory/" + known},
		{"POST", "/mcp"}, {"DELETE", "/mcp"}, {"GET", "/nothing"}, {"GET", "/ump/nothing"}, {"GET", "//ump/recall"}, {"PUT", "/ump/recall"},
	}
}

func TestHeaders(t *testing.T) {
	s := start(t, server.Options{Public: true})
	limited := start(t, server.Options{Rate: 0.001, Burst: 1})
	limited.do(t, "GET", "/", "")
	for _, c := range everywhere() {
		for _, header := range [][]string{nil, {"Authorization:"}, {bearing("wrong")}, {"Host: evil.example"}, {"Origin: https://evil.example"}} {
			for _, s := range []*running{s, limited} {
				got := s.do(t, c[0], c[1], "", header...)
				for name, want := range map[string]string{
					"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
					"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": "",
				} {
					if said := got.Header.Get(name); said != want {
						t.Errorf("%s %s %v: %d, %s is %q", c[0], c[1], header, got.StatusCode, name, said)
					}
				}
				public := c[1] == "/.well-known/ump.json" && got.StatusCode == 200
				if said := got.Header.Get("Cache-Control"); said != "no-store" && !public && !strings.HasPrefix(c[1], "/.well-known/ump/") {
					t.Errorf("%s %s %v: %d, may be kept: %q", c[0], c[1], header, got.StatusCode, said)
				}
				if got.Header.Get("Content-Type") == "" && len(got.body) > 0 {
					t.Errorf("%s %s %v: %d of no type", c[0], c[1], header, got.StatusCode)
				}
			}
		}
	}
}

func TestNoCORS(t *testing.T) {
	s := start(t, server.Options{Origins: []string{"https://notes.example"}, Public: true})
	preflight := []string{"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, content-type"}
	for _, c := range everywhere() {
		for _, origin := range []string{"https://notes.example", "http://" + s.address, "https://evil.example", "null"} {
			for _, method := range []string{c[0], "OPTIONS"} {
				got := s.do(t, method, c[1], "", append(preflight, "Origin: "+origin)...)
				for name := range got.Header {
					if strings.HasPrefix(name, "Access-Control-") {
						t.Errorf("%s %s from %s: %s", method, c[1], origin, name)
					}
				}
				if method == "OPTIONS" && got.StatusCode < 400 {
					t.Errorf("a preflight of %s from %s gets %d", c[1], origin, got.StatusCode)
				}
			}
		}
	}
}

func TestMethods(t *testing.T) {
	s := start(t, server.Options{})
	for _, c := range everywhere() {
		for _, method := range []string{"TRACE", "CONNECT", "OPTIONS", "PROPFIND", "get"} {
			got := raw(t, s, method+" "+c[1]+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Canary: canary-header\r\nAuthorization: Bearer "+token+"\r\n\r\n")
			if len(got) != 1 || got[0].StatusCode < 400 || got[0].StatusCode >= 500 {
				t.Errorf("%s %s: %+v", method, c[1], got)
			} else if strings.Contains(string(got[0].body), "canary") {
				t.Errorf("%s %s repeats the request: %s", method, c[1], got[0].body)
			}
		}
	}
	for _, target := range []string{"OPTIONS *", "CONNECT evil.example:443"} {
		got := raw(t, s, target+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if len(got) != 1 || got[0].StatusCode < 400 || got[0].Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %+v", target, got)
		}
	}
}

func TestTargets(t *testing.T) {
	s := start(t, server.Options{})
	ask := func(target, host string) []answer {
		return raw(t, s, "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
	}
	for _, c := range []struct {
		target, host string
		status       int
	}{
		{"/healthz", "localhost", 200},
		{"http://localhost/healthz", "localhost", 200},
		{"http://" + s.address + "/ump/capabilities", "evil.example", 200}, // the target counts, Host does not (RFC 9112, 3.2.2)
		{"http://evil.example/ump/capabilities", "localhost", 403},
		{"http://evil.example/ump/capabilities", s.address, 403},
		{"http://localhost.evil.example/ump/capabilities", "localhost", 403},
		{"//ump/capabilities", "localhost", 404}, {"/ump//capabilities", "localhost", 404}, {"/ump/./capabilities", "localhost", 404},
		{"/x/../ump/capabilities", "localhost", 404}, {"/ump/../healthz", "localhost", 404}, {"//evil.example/ump/capabilities", "localhost", 404},
		{"/ump%2Fcapabilities", "localhost", 404}, {"/ump/%63apabilities", "localhost", 404}, {"/%68ealthz", "localhost", 404},
		{"/ump/%2e%2e/healthz", "localhost", 404}, {`/ump\capabilities`, "localhost", 404}, {"/ump/%5ccapabilities", "localhost", 404},
		{"/.well-known%2fump.json", "localhost", 404}, {"/ump/capabilities/", "localhost", 404}, {"/healthz%00", "localhost", 404},
	} {
		got := ask(c.target, c.host)
		if len(got) != 1 || got[0].StatusCode != c.status {
			t.Errorf("%s for %s: %+v, want %d", c.target, c.host, got, c.status)
			continue
		}
		if got[0].Header.Get("Location") != "" {
			t.Errorf("%s leads to %s", c.target, got[0].Header.Get("Location"))
		}
		if want := map[int]memory.ErrorKind{403: memory.ForbiddenScope, 404: memory.NotFound}[c.status]; want != "" && got[0].code(t) != want {
			t.Errorf("%s: %s", c.target, got[0].body)
		}
	}
	t.Run("UMP-4.2-3 the id of a record may be encoded", func(t *testing.T) {
		for _, id := range []string{known, strings.ReplaceAll(known, ":", "%3A"), strings.ReplaceAll(known, "u", "%75")} {
			if got := s.do(t, "GET", "/ump/memory/"+id, ""); got.StatusCode != 200 {
				t.Errorf("%s: %d %s", id, got.StatusCode, got.body)
			}
		}
		for _, id := range []string{"..%2Fcapabilities", "%2e%2e", "a%2Fb", "%00"} {
			if got := s.do(t, "GET", "/ump/memory/"+id, ""); got.StatusCode != 404 && got.StatusCode != 400 {
				t.Errorf("%s: %d %s", id, got.StatusCode, got.body)
			}
		}
	})
}

func TestSmuggling(t *testing.T) {
	s := start(t, server.Options{})
	const hidden = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	head := "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\n"
	const body = `{"query":"x"}`
	chunk := fmt.Sprintf("%x\r\n%s\r\n", len(body), body)
	for name, c := range map[string]struct {
		text     string
		statuses []int
	}{
		"both lengths, a request after the last chunk": {head + fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n%s0\r\n\r\n", len(chunk)+5+len(hidden), chunk) + hidden, []int{200}},
		"chunks, a request after the last":             {head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + "0\r\n\r\n" + hidden, []int{200}},
		"a coding nobody knows":                        {head + "Transfer-Encoding: xchunked\r\n\r\n" + hidden, []int{501}},
		"a coding under a space":                       {head + "Transfer-Encoding : chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + hidden, []int{400}},
		"two codings":                                  {head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden, []int{501}},
		"two lengths":                                  {head + "Content-Length: 13\r\nContent-Length: 0\r\n\r\n" + body + hidden, []int{400}},
		"a length with a sign":                         {head + "Content-Length: +13\r\n\r\n" + body + hidden, []int{400}},
		"a chunk of a wrong size":                      {head + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + body + "\r\n0\r\n\r\n" + hidden, []int{400}},
		"two hosts":                                    {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", []int{400}},
		"no host":                                      {"GET /healthz HTTP/1.1\r\n\r\n", []int{400}},
		"an old version without a host":                {"GET /ump/capabilities HTTP/1.0\r\n\r\n", []int{403}},
		"pipelined":                                    {head + "Content-Length: 13\r\n\r\n" + body + strings.Replace(hidden, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1), []int{200, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			var statuses []int
			for _, got := range raw(t, s, c.text) {
				statuses = append(statuses, got.StatusCode)
			}
			if !slices.Equal(statuses, c.statuses) {
				t.Errorf("%v, want %v", statuses, c.statuses)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	s := start(t, server.Options{MaxBody: 1 << 10, MaxHeader: 4 << 10, ReadTimeout: 2 * time.Second})
	endless := func(path string) string {
		var b strings.Builder
		b.WriteString("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\n" +
			"Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
		for range 1200 { // beyond what either binding reads
			b.WriteString("400\r\n" + strings.Repeat("x", 1<<10) + "\r\n")
		}
		return b.String()
	}
	for _, path := range []string{"/ump/recall", "/ump/remember", "/mcp"} {
		t.Run("chunks without end to "+path, func(t *testing.T) {
			c := connect(t, s, "")
			go func() { _, _ = io.WriteString(c, endless(path)) }()
			got, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.StatusCode != http.StatusRequestEntityTooLarge {
				said, _ := io.ReadAll(got.Body)
				t.Errorf("%d %s", got.StatusCode, said)
			}
		})
	}
	t.Run("a client that closes, and sends all before it reads", func(t *testing.T) {
		c := connect(t, s, "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\nConnection: close\r\nContent-Length: 2097152\r\n\r\n")
		_, _ = io.WriteString(c, strings.Repeat("x", 1<<16))
		time.Sleep(50 * time.Millisecond) // the server has answered
		if _, err := io.WriteString(c, strings.Repeat("x", 1<<16)); err != nil {
			t.Errorf("many clients look for no answer then: %v", err)
		}
		got, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || got.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%v %v", got, err)
		}
	})
	t.Run("a body that drips", func(t *testing.T) {
		c := connect(t, s, "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\nContent-Length: 1000\r\n\r\n")
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
					if _, err := io.WriteString(c, "x"); err != nil {
						return
					}
				}
			}
		}()
		began := time.Now()
		got, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || got.StatusCode != 400 || time.Since(began) > 25*time.Second {
			t.Errorf("%v %v after %v", got, err, time.Since(began))
		}
	})
	t.Run("many headers", func(t *testing.T) {
		var b strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&b, "X-%d: y\r\n", i)
		}
		got := raw(t, s, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"+b.String()+"\r\n")
		if len(got) != 1 || got[0].StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a long target", func(t *testing.T) {
		got := raw(t, s, "GET /healthz?"+strings.Repeat("x", 16<<10)+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if len(got) != 1 || got[0].StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a length that lies", func(t *testing.T) {
		got := raw(t, s, "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\nContent-Length: 9223372036854775807\r\n\r\n{}")
		if len(got) != 1 || got[0].StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%+v", got)
		}
	})
}

// answered sends a request, or its head, and requires an answer of a status.
func answered(t *testing.T, c net.Conn, ask string, status int) {
	t.Helper()
	if _, err := io.WriteString(c, ask); err != nil {
		t.Fatal(err)
	}
	got, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || got.StatusCode != status {
		t.Fatalf("%v %v, want %d", got, err, status)
	}
	if _, err := io.Copy(io.Discard, got.Body); err != nil {
		t.Fatal(err)
	}
}

const askHealth = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

func TestConnections(t *testing.T) {
	s := start(t, server.Options{MaxConnections: 3})
	open := make([]net.Conn, 3)
	for i := range open {
		open[i] = connect(t, s, "")
		answered(t, open[i], "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nAuthorization: Bearer "+token+"\r\nContent-Length: 13\r\n\r\n", http.StatusContinue)
	}
	got := raw(t, s, askHealth)
	if len(got) != 1 || got[0].StatusCode != 503 || got[0].Header.Get("Retry-After") == "" || !strings.HasSuffix(string(got[0].body), "soon") {
		t.Errorf("one too many: %+v", got)
	}
	_ = open[0].Close()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if got := raw(t, s, strings.Replace(askHealth, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)); len(got) == 1 && got[0].StatusCode == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the place of a closed connection is not given to another")
		}
	}
	answered(t, open[1], `{"query":"x"}`, 200) // it was not closed for the others
}

// TestIdleConnections opens connections that send nothing, that never finish a
// handshake or the head of a request, and that wait for a next request: none of them
// keeps a client out.
func TestIdleConnections(t *testing.T) {
	sealed := startTLS(t, server.Options{MaxConnections: 20})
	open := start(t, server.Options{MaxConnections: 20})
	for name, waiting := range map[string]func(*testing.T, *running) net.Conn{
		"silent":          func(t *testing.T, s *running) net.Conn { return connect(t, s, "") },
		"half a greeting": func(t *testing.T, s *running) net.Conn { return connect(t, s, "\x16\x03") },
		"half a head":     func(t *testing.T, s *running) net.Conn { return connect(t, s, "GET / HTTP/1.1\r\nHost: ") },
		"a request was had": func(t *testing.T, s *running) net.Conn {
			c := connect(t, s, "")
			answered(t, c, askHealth, 200)
			return c
		},
		"a sealed request was had": func(t *testing.T, _ *running) net.Conn {
			c := sealed.dial(t)
			answered(t, c, askHealth, 200)
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open
			if strings.Contains(name, "greeting") || strings.Contains(name, "sealed") {
				s = sealed.running
			}
			for range 30 {
				waiting(t, s)
			}
			if s == open {
				answered(t, connect(t, s, ""), askHealth, 200)
				return
			}
			answered(t, sealed.dial(t), askHealth, 200)
		})
	}
}
