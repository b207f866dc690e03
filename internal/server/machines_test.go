package server_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pairing"
	"github.com/satchel-memory/satchel/internal/replica"
	meeting "github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// send posts a body to a path, as another machine does.
func (s *running) send(t *testing.T, client *http.Client, path, body string, header ...string) (status int, said string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", meeting.Media)
	if path == pairing.Path {
		r.Header.Set("Content-Type", "application/json")
	}
	for n := 0; n+1 < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

func TestSyncRoute(t *testing.T) {
	var asked []memory.DID
	s := start(t, server.Options{Machines: server.Machines{
		Pairing: func() string { return "" },
		Answer: func(_ context.Context, owner memory.DID, pack []byte) ([]byte, error) {
			asked = append(asked, owner)
			switch string(pack) {
			case "removed":
				return nil, replica.ErrRemoved
			case "cut":
				return nil, replica.ErrCut
			case "nobody":
				return nil, &memory.Error{Kind: memory.NotFound, Message: "no machines"}
			case "busy":
				return nil, &memory.Error{Kind: memory.RateLimited, Message: "busy"}
			case "broken":
				return nil, errors.New("secret cause")
			}
			return append([]byte("answer to "), pack...), nil
		},
	}})
	client := watched(t, http.DefaultClient, "http://"+s.address)
	for body, want := range map[string]struct {
		status int
		says   string
	}{
		"a pack": {200, "answer to a pack"}, "removed": {403, `"fault":"removed"`}, "cut": {400, `"fault":"cut"`}, "nobody": {404, "no machines"}, "busy": {429, "busy"},
		strings.Repeat("x", 13<<20): {413, `"fault":"too_large"`},
	} {
		if status, said := s.send(t, client, meeting.Path, body); status != want.status || !strings.Contains(said, want.says) {
			t.Errorf("%.20s: %d %s", body, status, said)
		}
	}
	if status, said := s.send(t, http.DefaultClient, meeting.Path, "broken"); status != 500 || strings.Contains(said, "secret") {
		t.Errorf("%d %s", status, said)
	}
	s.send(t, client, meeting.Path, "a pack", meeting.OwnerHeader, "did:key:other")
	if last := asked[len(asked)-1]; last != "did:key:other" || asked[0] != owner {
		t.Errorf("asked for %q", asked)
	}
}

// TestSyncRouteOff: a server without machines has no such route, and does not say so.
func TestSyncRouteOff(t *testing.T) {
	s := start(t, server.Options{})
	for _, path := range []string{meeting.Path, pairing.Path} {
		if status, _ := s.send(t, http.DefaultClient, path, "x"); status != 405 && status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if description := s.do(t, "GET", "/openapi.json", "", "Authorization"); strings.Contains(string(description.body), `"/sync"`) {
		t.Error("it is described")
	}
}

// TestSyncNeedsTLS: a server that other machines reach without TLS lets no machine meet.
func TestSyncNeedsTLS(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	s := startOn(t, l, owner, server.Options{Backend: filled(t), AllowRemote: true, Machines: server.Machines{
		Pairing: func() string { t.Error("passed on"); return "" },
		Answer:  func(context.Context, memory.DID, []byte) ([]byte, error) { t.Error("answered"); return nil, nil },
	}})
	s.address = "127.0.0.1:" + port
	for _, path := range []string{meeting.Path, pairing.Path} {
		if status, said := s.send(t, http.DefaultClient, path, "x"); status != 403 || !strings.Contains(said, "TLS") {
			t.Errorf("%s: %d %s", path, status, said)
		}
	}
}

// TestSyncCrowd: so many machines at once are answered, and the next one is asked to wait.
func TestSyncCrowd(t *testing.T) {
	in, out := make(chan struct{}), make(chan struct{})
	s := start(t, server.Options{Machines: server.Machines{Pairing: func() string { return "" },
		Answer: func(context.Context, memory.DID, []byte) ([]byte, error) { in <- struct{}{}; <-out; return nil, nil }}})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { s.send(t, http.DefaultClient, meeting.Path, "x") })
		<-in
	}
	if status, _ := s.send(t, http.DefaultClient, meeting.Path, "x"); status != 429 {
		t.Errorf("%d", status)
	}
	close(out)
	all.Wait()
}

func TestPairRoute(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != pairing.Path || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		if strings.Contains(string(body), "wrong") {
			w.WriteHeader(403)
			_, _ = io.WriteString(w, `{"error":{"code":"wrong_code","message":"no"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"attempt":"x"}`)
	}))
	at := ""
	s := start(t, server.Options{Machines: server.Machines{Pairing: func() string { return at },
		Answer: func(context.Context, memory.DID, []byte) ([]byte, error) { return nil, nil }}})
	client := watched(t, http.DefaultClient, "http://"+s.address)
	if status, said := s.send(t, client, pairing.Path, `{"step":"hello"}`); status != 404 || !strings.Contains(said, "satchel pair") {
		t.Errorf("without a pairing: %d %s", status, said)
	}
	at = behind.Listener.Addr().String()
	if status, said := s.send(t, client, pairing.Path, `{"step":"hello"}`, "Authorization", "Bearer "+token); status != 200 || said != `{"attempt":"x"}` {
		t.Errorf("%d %s", status, said)
	}
	if status, said := s.send(t, client, pairing.Path, `{"step":"hello","attempt":"wrong"}`); status != 403 || !strings.Contains(said, "wrong_code") {
		t.Errorf("%d %s", status, said)
	}
	if status, _ := s.send(t, client, pairing.Path, strings.Repeat("x", pairing.MaxRequest+1)); status != 400 {
		t.Errorf("too large: %d", status)
	}
	behind.Close()
	if status, _ := s.send(t, client, pairing.Path, `{"step":"hello"}`); status != 404 {
		t.Errorf("after the pairing: %d", status)
	}
}

// TestSyncSlowSenders: strangers who send packs slowly, all at one address as behind a proxy,
// keep no machine of the owner's out: neither one with a small pack nor one with a large one.
func TestSyncSlowSenders(t *testing.T) {
	t.Parallel()
	s := start(t, server.Options{ReadTimeout: 3 * time.Second, Machines: server.Machines{
		Pairing: func() string { return "" },
		Answer:  func(context.Context, memory.DID, []byte) ([]byte, error) { return []byte("answer"), nil },
	}})
	for _, length := range []string{"100", "1000000"} {
		for range 8 {
			connect(t, s, "POST "+meeting.Path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+meeting.Media+"\r\nContent-Length: "+length+"\r\n\r\nx")
		}
	}
	time.Sleep(200 * time.Millisecond)
	for _, pack := range []string{"small", strings.Repeat("large", 200_000)} {
		if status, said := s.send(t, http.DefaultClient, meeting.Path, pack); status != 200 {
			t.Errorf("%.5s: %d %s", pack, status, said)
		}
	}
	if status, said := s.send(t, http.DefaultClient, pairing.Path, `{"step":"hello"}`); status != 404 {
		t.Errorf("a pairing: %d %s", status, said)
	}
}
