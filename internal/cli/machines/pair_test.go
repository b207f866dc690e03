package machines

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/replica/peer"
)

// TestPairTakesFewPacks: before a machine has joined, satchel pair reads no pack. Afterwards it
// reads those of this machine alone, one at once, however many are sent.
func TestPairTakesFewPacks(t *testing.T) {
	t.Parallel()
	p := &pairingHost{}
	s := httptest.NewServer(http.HandlerFunc(p.answerSync))
	defer s.Close()
	ticket := ""
	post := func(body io.Reader, size int64) (status int) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+peer.Path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = size
		r.Header.Set(peer.TicketHeader, ticket)
		got, err := s.Client().Do(r)
		if err != nil {
			return 0
		}
		defer got.Body.Close()
		return got.StatusCode
	}
	stuck, end := io.Pipe()
	if status := post(stuck, 1<<20); status != http.StatusForbidden {
		t.Errorf("before a machine has joined: %d", status)
	}
	p.lastSeen, p.ticket = time.Now(), "ticket"
	for _, ticket = range []string{"", "ticke", "tickets"} {
		if status := post(strings.NewReader("x"), 1); status != http.StatusForbidden {
			t.Errorf("a stranger after a machine has joined: %d", status)
		}
	}
	ticket = p.ticket
	began, first := make(chan struct{}), make(chan int, 1)
	slow := io.MultiReader(strings.NewReader("x"), stuckReader{began, stuck})
	go func() { first <- post(slow, 1<<20) }()
	<-began
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		arrives := p.busy
		p.mu.Unlock()
		if arrives || time.Now().After(deadline) {
			break
		}
	}
	if status := post(strings.NewReader(strings.Repeat("x", 1<<20)), 1<<20); status != http.StatusTooManyRequests {
		t.Errorf("a second large pack: %d", status)
	}
	if status := post(strings.NewReader("x"), 1); status != http.StatusTooManyRequests {
		t.Errorf("a small pack beside it: %d", status)
	}
	_ = end.CloseWithError(io.ErrUnexpectedEOF)
	if status := <-first; status != http.StatusBadRequest && status != 0 {
		t.Errorf("a pack that breaks off: %d", status)
	}
	if status := post(strings.NewReader("x"), 13<<20); status != http.StatusRequestEntityTooLarge && status != 0 {
		t.Errorf("a pack past what is read: %d", status)
	}
}

// stuckReader says when it is read.
type stuckReader struct {
	began chan struct{}
	io.Reader
}

func (s stuckReader) Read(p []byte) (int, error) {
	close(s.began)
	return s.Reader.Read(p)
}
