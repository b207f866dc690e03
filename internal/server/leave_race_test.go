package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// witness lies below a server and stamps every write as it begins: none may hold what
// an erasure took that was acknowledged before. What is remembered between two
// erasures says "quince N.", N being the number of the next one.
type witness struct {
	http.Handler
	acknowledged atomic.Int64 // the number of the last erasure that returned
	left, late   atomic.Int64 // writes that held something, and those that came too late
	slow         atomic.Int64 // how long each write takes at most, in nanoseconds
}

// ServeHTTP lets answers pass by.
func (s *witness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Handler.ServeHTTP(&witnessed{w, s}, r)
}

// witnessed is an answer on its way to the connection.
type witnessed struct {
	http.ResponseWriter
	*witness
}

// Unwrap is for [http.ResponseController].
func (w *witnessed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write judges a write, and takes a while.
func (w *witnessed) Write(p []byte) (int, error) {
	last := w.acknowledged.Load()
	if bytes.Contains(p, []byte("quince ")) {
		w.left.Add(1)
		for n := max(1, last-3); n <= last; n++ {
			if bytes.Contains(p, fmt.Appendf(nil, "quince %d.", n)) {
				w.late.Add(1)
			}
		}
	}
	if most := w.slow.Load(); most > 0 {
		time.Sleep(time.Duration(rand.N(most)))
	}
	return w.ResponseWriter.Write(p)
}

// subscribe is the way that does not end by itself.
const subscribe = "subscribe"

// ways are those by which memories leave a server. An answer whose writes are slow beside an
// erasure is more often caught between two of them, so that fewer rounds show the same.
var ways = []struct {
	name, method, path, body string
	slow                     time.Duration // what a write takes at most
	rounds                   int
}{
	{"recall", "POST", "/ump/recall", `{"query":"quince","limit":5}`, 60 * time.Millisecond, 20},
	{"UMP export", "GET", "/ump/export", "", 60 * time.Millisecond, 20},
	{subscribe, "GET", "/ump/subscribe", "", 6 * time.Millisecond, 12},
	{"MCP over HTTP", "POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"quince","limit":5}}}`, 6 * time.Millisecond, 40},
	{"bundle", "GET", "/v1/brain/export", "", 60 * time.Millisecond, 20},
	{"bundle as a stream", "GET", "/v1/brain/export/stream", "", 60 * time.Millisecond, 20},
}

// race is an owner who remembers and erases while others read.
type race struct {
	house
	*witness
	addresses []string // over HTTP/1.1 and HTTP/2
	clients   []*http.Client
	session   string // of MCP
	number    int64  // of the next erasure
}

func racingWriters(t *testing.T, h house) *race {
	t.Helper()
	s, err := server.New(server.Options{Backend: server.Over(h.vault), Owner: h.owner, Token: token, Release: "1.0.0", Rate: 1e6, Burst: 1e6, Stateless: true,
		Bundles: server.Bundles{Producer: "satchel-test"}})
	if err != nil {
		t.Fatal(err)
	}
	r := &race{house: h, witness: &witness{Handler: s}, number: 1}
	for _, version := range []int{1, 2} {
		server := httptest.NewUnstartedServer(r.witness)
		server.EnableHTTP2 = version == 2
		if version == 2 {
			server.StartTLS()
		} else {
			server.Start()
		}
		t.Cleanup(server.Close)
		r.addresses, r.clients = append(r.addresses, server.URL), append(r.clients, server.Client())
	}
	t.Cleanup(func() { _ = s.Close() })
	begun, err := r.ask(t.Context(), 0, "POST", "/mcp", initialize)
	if err != nil || begun.StatusCode != http.StatusOK {
		t.Fatalf("initialize: %+v, %v", begun, err)
	}
	_ = begun.Body.Close()
	r.session = begun.Header.Get("Mcp-Session-Id")
	return r
}

// ask sends a request over HTTP/1.1 (0) or HTTP/2 (1).
func (r *race) ask(ctx context.Context, over int, method, path, body string) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, r.addresses[over]+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Authorization", "Bearer "+token)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream, */*")
	if r.session != "" {
		q.Header.Set("Mcp-Session-Id", r.session)
	}
	return r.clients[over].Do(q)
}

// remember tells five long memories, so that each answer leaves in several pieces.
func (r *race) remember(t *testing.T) {
	length := 20_000
	if os.Getenv("SATCHEL_LONG") != "" {
		length = 50_000
	}
	for i := range 5 {
		d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{
			Text: fmt.Sprintf("A quince %d. Number %d %s", r.number, i, strings.Repeat("x", length))}}}
		if _, err := r.vault.Remember(t.Context(), memory.Caller{Owner: r.owner, Role: memory.Owner}, d); err != nil {
			t.Error(err)
		}
	}
}

// begin remembers something and asks for it. What it returns reads the answer to its
// end.
func (r *race) begin(ctx context.Context, t *testing.T, way, over int) (read func() ([]byte, error)) {
	t.Helper()
	w := ways[way]
	if w.name == subscribe {
		w.path += "?last_event_id=" + strconv.FormatInt(r.head(t), 10)
	}
	r.remember(t)
	return func() ([]byte, error) {
		answer, err := r.ask(ctx, over, w.method, w.path, w.body)
		if err != nil {
			return nil, err
		}
		defer func() { _ = answer.Body.Close() }()
		said, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s %.300s", w.name, answer.Status, said)
		}
		return said, err
	}
}

// head is the number of the last change.
func (r *race) head(t *testing.T) (head int64) {
	t.Helper()
	err := r.store.View(t.Context(), r.owner, func(s store.Reader) (err error) {
		head, err = s.Head()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// takes tells how long an answer takes that nobody disturbs.
func (r *race) takes(t *testing.T, way, over int) time.Duration {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	read := r.begin(ctx, t, way, over)
	r.slow.Store(int64(ways[way].slow))
	defer r.slow.Store(0)
	began := time.Now()
	if ways[way].name == subscribe { // which does not end
		time.AfterFunc(20*time.Millisecond, leave)
		_, _ = read()
		return 20 * time.Millisecond
	}
	said, err := read()
	if err != nil || bytes.Count(said, []byte("A quince")) < 5 {
		t.Fatalf("%s: %.300s %v", ways[way].name, said, err)
	}
	return time.Since(began)
}

// round lets an answer begin, erases everything at some moment, and waits for the end
// of both. cut says that the answer was cut off.
func (r *race) round(t *testing.T, way, over int, within time.Duration, eraser *vault.Vault) (cut bool) {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	read, ended := r.begin(ctx, t, way, over), make(chan error, 1)
	r.slow.Store(int64(ways[way].slow))
	go func() { _, err := read(); ended <- err }()
	time.Sleep(rand.N(within))
	if _, err := eraser.EraseOwner(t.Context(), memory.Caller{Owner: r.owner, Role: memory.Owner}); err != nil {
		t.Fatal(err)
	}
	r.acknowledged.Store(r.number)
	r.number++
	if ways[way].name == subscribe {
		time.AfterFunc(10*time.Millisecond, leave)
	}
	err := <-ended
	r.slow.Store(0)
	return err != nil && ctx.Err() == nil
}

// rounds is how often a way is tried.
func rounds(way int) int {
	if os.Getenv("SATCHEL_LONG") != "" {
		return 1000 / len(ways)
	}
	return ways[way].rounds
}

// TestEraseRace erases while answers leave, by every way there is, over both versions
// of HTTP, here and by way of another store.
func TestEraseRace(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	p := placeOf(t)
	here := buildIn(t, p, vault.Options{Producer: "satchel-test"}, server.Options{})
	there := buildIn(t, p, vault.Options{Producer: "satchel-test"}, server.Options{})
	r := racingWriters(t, here)
	erasers := []*vault.Vault{here.vault, there.vault}
	for way, w := range ways {
		t.Run("AIMEM-5.2-4 no write begins after the acknowledgement, "+w.name, func(t *testing.T) {
			left, late, cut := r.left.Load(), r.late.Load(), 0
			within := max(r.takes(t, way, 0), r.takes(t, way, 1))
			for n := range rounds(way) {
				if r.round(t, way, n%2, within, erasers[n/2%2]) {
					cut++
				}
			}
			left, late = r.left.Load()-left, r.late.Load()-late
			if late > 0 || left == 0 {
				t.Errorf("%d of %d writes began too late", late, left)
			}
			t.Logf("%d writes, %d answers cut off, each begun within %v", left, cut, within)
		})
	}
}
