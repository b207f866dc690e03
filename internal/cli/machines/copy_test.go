package machines

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// TestOnlyTheNewMachineGetsACopy: satchel pair gives a copy to the machine with the ticket, once,
// and not again.
func TestOnlyTheNewMachineGetsACopy(t *testing.T) {
	t.Parallel()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), cli.DatabaseName), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	write := func(owner memory.DID) {
		t.Helper()
		if err := s.Update(t.Context(), owner, func(w store.Writer) error { return w.SetProjectAlias("a", "b") }); err != nil {
			t.Fatal(err)
		}
	}
	write("did:key:a")
	o := &cli.Session{Home: newTestHome(t), Store: s, Owner: "did:key:a", Config: cli.Config{Owner: "did:key:a"}}
	p := &pairingHost{thisMachine: &thisMachine{Session: o, Owner: "did:key:a"}}
	server := httptest.NewServer(http.HandlerFunc(p.answerCopy))
	defer server.Close()
	ask := func(ticket string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+copyPath, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(peer.TicketHeader, ticket)
		got, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		return got.StatusCode
	}
	if status := ask(""); status != http.StatusForbidden {
		t.Errorf("before a machine has joined: %d", status)
	}
	p.lastSeen, p.ticket = time.Now(), "ticket"
	if status := ask("tickets"); status != http.StatusForbidden || p.copied {
		t.Errorf("a stranger: %d", status)
	}
	p.busy = true
	if status := ask("ticket"); status != http.StatusTooManyRequests || p.copied {
		t.Errorf("beside a pack: %d", status)
	}
	p.busy, p.copied = false, true
	if status := ask("ticket"); status != http.StatusNotFound {
		t.Errorf("a second time: %d", status)
	}
	p.copied = false
	write("did:key:b")
	if status := ask("ticket"); status != http.StatusNotFound || p.copied || p.busy {
		t.Errorf("of a store with another owner: %d", status)
	}
}

// TestOnlyAWholeCopyIsTaken: a copy that is cut, altered, too large, or none at all, is refused.
func TestOnlyAWholeCopyIsTaken(t *testing.T) {
	t.Parallel()
	const head = `{"from":"did:key:a","stream":{"Changes":0,"Attached":0,"Rest":[]}}`
	data := bytes.Repeat([]byte("a database "), 10_000)
	digest256 := sha256.Sum256(data)
	sum := hex.EncodeToString(digest256[:])
	for name, tt := range map[string]struct {
		status    int
		head, sum string
		body      []byte
		abort     bool
		most      int64
		whole     bool
	}{
		"whole":          {200, head, sum, data, false, 1 << 20, true},
		"none":           {404, "", "", nil, false, 1 << 20, false},
		"cut":            {200, head, sum, data[:len(data)/2], true, 1 << 20, false},
		"cut at the end": {200, head, "", data, true, 1 << 20, false},
		"without sum":    {200, head, "", data, false, 1 << 20, false},
		"another sum":    {200, head, sum[2:] + "00", data, false, 1 << 20, false},
		"too large":      {200, head, sum, data, false, 1000, false},
		"altered":        {200, head, sum, append([]byte("A"), data[1:]...), false, 1 << 20, false},
		"of nobody":      {200, "", sum, data, false, 1 << 20, false},
	} {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(peer.TicketHeader) != "ticket" || r.URL.Path != copyPath {
				t.Errorf("%s: %s %q", name, r.URL.Path, r.Header.Get(peer.TicketHeader))
			}
			w.Header().Set(copyHeader, tt.head)
			w.Header().Set("Trailer", copySum)
			w.WriteHeader(tt.status)
			_, _ = w.Write(tt.body)
			_ = http.NewResponseController(w).Flush() // it may have gone
			if tt.abort {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set(copySum, tt.sum)
		}))
		j := &JoinedMachine{address: pairingAddress{url: s.URL, temporary: true}, Enrollment: Enrollment{Ticket: "ticket", Certificate: digest(s.Certificate().Raw)}}
		a := &cli.App{Ctx: context.WithoutCancel(t.Context()), Out: io.Discard, Err: io.Discard, Now: time.Now, Quiet: true}
		var got bytes.Buffer
		err := j.Copy(a, &got, tt.most)
		if whole := err == nil; whole != tt.whole || whole != (j.copied != nil) || whole && !bytes.Equal(got.Bytes(), data) {
			t.Errorf("%s: %v, %d bytes", name, err, got.Len())
		}
		s.Close()
	}
}
