package server_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// held returns a vault whose recall waits for leave, and says when it began.
func held(leave <-chan struct{}) (v *umptest.Vault, began chan struct{}) {
	v, began = umptest.New(), make(chan struct{}, 1)
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation == "recall" {
			began <- struct{}{}
			<-leave
		}
		return nil
	}
	return v, began
}

func TestStop(t *testing.T) {
	t.Run("waits for requests under way", func(t *testing.T) {
		leave := make(chan struct{})
		v, began := held(leave)
		s := start(t, server.Options{Backend: v})
		answered := make(chan answer, 1)
		go func() {
			got, err := s.try(t, "POST", "/ump/recall", `{"query":"x"}`)
			if err != nil {
				t.Error(err)
			}
			answered <- got
		}()
		<-began
		s.stop()
		select {
		case err := <-s.ended:
			t.Fatalf("did not wait: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		if _, err := net.DialTimeout("tcp", s.address, time.Second); err == nil {
			t.Error("still takes connections")
		}
		close(leave)
		if got := <-answered; got.StatusCode != 200 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
	})
	t.Run("but not for ever", func(t *testing.T) {
		leave := make(chan struct{})
		defer close(leave)
		v, began := held(leave)
		s := start(t, server.Options{Backend: v, Grace: 50 * time.Millisecond})
		go func() { _, _ = s.try(t, "POST", "/ump/recall", `{"query":"x"}`) }()
		<-began
		s.stop()
		select {
		case err := <-s.ended:
			if err == nil {
				t.Error("says all ended well")
			}
		case <-time.After(5 * time.Second):
			t.Error("waits for ever")
		}
	})
	t.Run("with MCP sessions open", func(t *testing.T) {
		s := start(t, server.Options{})
		s.dial(t, "2025-11-25")
		s.stop()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
	})
}

// listener stands for an address without being one.
type listener struct{ address net.Addr }

func (l listener) Accept() (net.Conn, error) { return nil, errors.New("nobody comes") }
func (l listener) Close() error              { return nil }
func (l listener) Addr() net.Addr            { return l.address }

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		address string
		remote  bool
		refused bool
	}{
		{"127.0.0.1", false, false}, {"127.1.2.3", false, false}, {"::1", false, false},
		{"192.0.2.1", false, true}, {"0.0.0.0", false, true}, {"::", false, true},
		{"192.0.2.1", true, false}, {"0.0.0.0", true, false},
	} {
		o := server.Options{Backend: umptest.New(), Owner: owner, Token: token, AllowRemote: c.remote}
		err := server.Serve(t.Context(), listener{&net.TCPAddr{IP: net.ParseIP(c.address), Port: 1}}, o)
		if refused := err != nil && strings.Contains(err.Error(), "other machines"); refused != c.refused {
			t.Errorf("%s, remote %v: %v", c.address, c.remote, err)
		}
	}
}

// named listens on the loopback interface under another address.
type named struct {
	net.Listener
	address net.Addr
}

func (n named) Addr() net.Addr { return n.address }

func TestOwnAddress(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &running{inner.Addr().String(), stop, make(chan error, 1)}
	outer := named{inner, &net.TCPAddr{IP: net.ParseIP("192.0.2.1"), Port: 1}}
	go func() {
		s.ended <- server.Serve(ctx, outer, server.Options{Backend: filled(t), Owner: owner, Token: token, AllowRemote: true})
	}()
	for host, want := range map[string]int{"192.0.2.1:1": 200, "192.0.2.2:1": 403} {
		if got := s.do(t, "GET", "/ump/capabilities", "", "Host: "+host); got.StatusCode != want {
			t.Errorf("Host %s: %d", host, got.StatusCode)
		}
	}
	stop()
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestPages(t *testing.T) {
	v := filled(t)
	s := start(t, server.Options{Backend: v})
	for _, c := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/", 200, "memory that its owner carries"}, {"GET", "/healthz", 200, "ok"}, {"GET", "/readyz", 200, "ready"}, {"HEAD", "/healthz", 200, ""},
		{"POST", "/healthz", 405, "unsupported"}, {"DELETE", "/", 405, "unsupported"}, {"GET", "/nothing", 404, "not_found"},
		{"GET", "/ump", 404, "not_found"}, {"GET", "/.well-known/nothing", 404, "not_found"}, {"GET", "/mcp", 405, "POST"},
	} {
		got := s.do(t, c.method, c.path, "")
		if got.StatusCode != c.status || !strings.Contains(string(got.body), c.says) {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.StatusCode, got.body)
		}
		if got.Header.Get("X-Request-Id") == "" || (c.status == 405) != (got.Header.Get("Allow") != "") {
			t.Errorf("%s %s: %v", c.method, c.path, got.Header)
		}
	}
	v.Before = func(context.Context, string, memory.Caller) error { return errors.New("disk on fire") }
	if got := s.do(t, "GET", "/readyz", ""); got.StatusCode != 503 || strings.Contains(string(got.body), "fire") {
		t.Errorf("readyz: %d %s", got.StatusCode, got.body)
	}
	if got := s.do(t, "GET", "/healthz", ""); got.StatusCode != 200 {
		t.Errorf("healthz: %d", got.StatusCode)
	}
}

func TestFaults(t *testing.T) {
	v, log := filled(t), &record{}
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		switch operation {
		case "recall":
			panic("canary in a panic")
		case "get":
			return errors.New("disk on fire")
		}
		return nil
	}
	s := start(t, server.Options{Backend: v, Log: log.logger()})
	for path, body := range map[string]string{"/ump/recall": `{"query":"x"}`, "/ump/memory/urn:ump:abc": ""} {
		method := map[bool]string{true: "GET", false: "POST"}[body == ""]
		got := s.do(t, method, path, body)
		if got.StatusCode != 500 || got.code(t) != memory.Internal || strings.Contains(string(got.body), "fire") {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
		if id := got.Header.Get("X-Request-Id"); strings.Count(log.String(), id) < 2 {
			t.Errorf("%s: the log does not tell the cause of %s", path, id)
		}
	}
	if got := s.do(t, "GET", "/ump/capabilities", ""); got.StatusCode != 200 {
		t.Errorf("the server did not survive: %d", got.StatusCode)
	}
	if !strings.Contains(log.String(), "disk on fire") || strings.Contains(log.String(), "canary") {
		t.Errorf("%s", log)
	}
}

func TestLog(t *testing.T) {
	log := &record{}
	s := start(t, server.Options{Log: log.logger()})
	s.do(t, "POST", "/ump/remember", `{"record":{"body":{"text":"canary-text"}}}`, "Idempotency-Key: canary-key")
	s.do(t, "POST", "/ump/recall", `{"query":"canary-query"}`, "User-Agent: canary-agent")
	s.do(t, "POST", "/ump/remember", `{"record":{"body":{"text":"canary-text"},"kind":"canary-kind"}}`)
	s.do(t, "GET", "/ump/memory/urn:ump:canary-id?view=canary-view", "")
	s.do(t, "GET", "/canary-path", "", "Authorization: Bearer canary-token")
	s.do(t, "CANARY", "/ump/recall", "")
	client := s.dial(t, "")
	if _, err := client.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	said := log.String()
	if strings.Contains(strings.ToLower(said), "canary") || strings.Contains(said, token) {
		t.Errorf("the log tells what it must not:\n%s", said)
	}
	for _, word := range []string{`"route":"/ump/memory/{id}"`, `"route":"/ump/recall"`, `"route":"/mcp"`, `"route":"other"`, `"method":"other"`, `"status":404`, `"status":400`, `"status":200`, `"took_seconds":`} {
		if !strings.Contains(said, word) {
			t.Errorf("the log does not say %s:\n%s", word, said)
		}
	}
}
