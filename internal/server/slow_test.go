package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// crowd lets so many owners in, each with so many memories of 60 kB.
func crowd(t *testing.T, h house, n, memories int) (all []tenant) {
	t.Helper()
	for i := range n {
		o := tenant{name: fmt.Sprint("owner ", i), key: seeded(t, byte(40+i))}
		if _, err := h.vault.AddOwner(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Owner}, vault.AccountOrder{Key: o.key, Label: o.name}); err != nil {
			t.Fatal(err)
		}
		o.person = o.token(t, ump.Claims{ID: "t1", Subject: string(o.key.DID()), Verbs: memory.Verbs()})
		for k := range memories {
			d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("quince %d %s", k, strings.Repeat("x", 60000))}}}
			if _, err := h.vault.Remember(t.Context(), memory.Caller{Owner: o.key.DID(), Role: memory.Owner}, d); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, o)
	}
	return all
}

// trickle downloads an export, a few bytes at a time until hurry is closed, and reports how it
// ended: nil if it looks whole.
func trickle(t *testing.T, h house, o tenant, hurry <-chan struct{}) <-chan error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+h.address+"/ump/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+o.person)
	answer, err := slowReader(t).Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	ended := make(chan error, 1)
	go func() {
		defer answer.Body.Close()
		piece, err := make([]byte, 2<<10), error(nil)
		for err == nil {
			_, err = answer.Body.Read(piece) // io.EOF: the last chunk came
			select {
			case <-hurry:
			case <-time.After(50 * time.Millisecond):
			}
		}
		if err == io.EOF {
			err = nil
		}
		ended <- err
	}()
	return ended
}

// smallBuffers accepts connections that hold 64 kB which the client has not read. Otherwise
// the system takes most of an export at once, for a client that reads nothing.
type smallBuffers struct{ net.Listener }

// Accept accepts a connection.
func (s smallBuffers) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return c, c.(*net.TCPConn).SetWriteBuffer(64 << 10)
}

// TestSlowReadersKeepNobodyOut: three owners read their exports slowly; a fourth has an
// export nevertheless. Of one owner nothing more is begun meanwhile, by whatever way.
func TestSlowReadersKeepNobodyOut(t *testing.T) {
	t.Parallel()
	h := build(t)
	const memories = 20
	all := crowd(t, h, 4, memories)
	h.running = startOn(t, smallBuffers{listen(t)}, h.owner, server.Options{Backend: server.Over(h.vault), WriteTimeout: 18 * time.Second, Bundles: server.Bundles{Producer: "home-test", Folder: t.TempDir()}})
	var slow []<-chan error
	hurry := make(chan struct{})
	for _, o := range all[:3] {
		slow = append(slow, trickle(t, h, o, hurry))
	}
	for _, path := range []string{"/ump/export", "/v1/brain/export"} {
		if got := h.do(t, "GET", path, "", bearing(all[0].person)); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
			t.Errorf("a second export of one owner from %s: %d", path, got.StatusCode)
		}
	}
	if got := h.do(t, "GET", "/ump/export", ""); got.StatusCode != http.StatusOK {
		t.Errorf("the server's owner: %d %s", got.StatusCode, got.body)
	}
	began := time.Now()
	if got := h.do(t, "GET", "/ump/export", "", bearing(all[3].person)); got.StatusCode != http.StatusOK || len(got.body) < memories*60_000 {
		t.Errorf("a fourth owner: %d, %d bytes %.200s", got.StatusCode, len(got.body), got.body)
	}
	if took := time.Since(began); took > 16*time.Second {
		t.Errorf("the fourth has it after %v: no sooner than by the timeout of a write", took)
	}
	close(hurry)
	ended := 0
	for _, s := range slow {
		if err := <-s; err != nil {
			ended++
		}
	}
	if ended != 1 {
		t.Errorf("%d slow readers made room for one; the exports of the others are whole", ended)
	}
}

// heldBackend exchanges bundles. It holds the imports of one owner.
type heldBackend struct {
	server.Backend
	exchange
	owner         memory.DID
	arrived, goOn chan struct{}
}

// exchange is what a server needs to exchange bundles with several owners.
type exchange interface {
	aimem.Backend
	Admit(ctx context.Context, token string) (memory.Caller, error)
}

// ImportBrain imports a bundle; that of the owner who is held not before goOn is closed.
func (b heldBackend) ImportBrain(ctx context.Context, c memory.Caller, bundle *aimem.Bundle, how aimem.Import) (aimem.Report, error) {
	if c.Owner == b.owner {
		close(b.arrived)
		select {
		case <-b.goOn:
		case <-ctx.Done():
		}
	}
	return b.exchange.ImportBrain(ctx, c, bundle, how)
}

// send begins to import a bundle, whose first piece arrives before send returns. The channel
// has the status of the answer; 0: there is none.
func send(t *testing.T, s *running, o tenant, first string) (body *io.PipeWriter, answered <-chan int) {
	t.Helper()
	out, body := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+s.address+"/v1/brain/import", out)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+o.person)
	r.Header.Set("Expect", "100-continue") // the server asks for the body once the import has its turn
	transport := &http.Transport{ExpectContinueTimeout: time.Minute}
	t.Cleanup(transport.CloseIdleConnections)
	status := make(chan int, 1)
	go func() {
		defer out.Close()
		got, err := transport.RoundTrip(r)
		if err != nil {
			status <- 0
			return
		}
		got.Body.Close()
		status <- got.StatusCode
	}()
	if _, err := io.WriteString(body, first); err != nil {
		t.Fatal(err)
	}
	return body, status
}

// sendSlowly sends 40 kB a second, which is less than [server] asks of those who keep others
// waiting, and more than it asks of everybody.
func sendSlowly(t *testing.T, s *running, o tenant) (answered <-chan int) {
	t.Helper()
	body, answered := send(t, s, o, " ")
	go func() {
		for err := error(nil); err == nil; time.Sleep(50 * time.Millisecond) {
			_, err = io.WriteString(body, strings.Repeat(" ", 2<<10))
		}
	}()
	return answered
}

// countEnded counts the imports that the server ended.
func countEnded(t *testing.T, slow []<-chan int) (ended int) {
	t.Helper()
	for _, s := range slow {
		select {
		case status := <-s:
			if ended++; status != http.StatusBadRequest && status != 0 {
				t.Errorf("an import that is ended is answered with %d", status)
			}
		case <-time.After(time.Second / 2):
		}
	}
	return ended
}

// TestSlowSendersKeepNobodyOut: four owners send their bundles slowly; a fifth imports one
// nevertheless.
func TestSlowSendersKeepNobodyOut(t *testing.T) {
	t.Parallel()
	h := buildAs(t, vault.Options{Producer: "home-test"}, server.Options{ReadTimeout: 3 * time.Second, Bundles: server.Bundles{Producer: "home-test", Folder: t.TempDir()}})
	all := crowd(t, h, 5, 0)
	var slow []<-chan int
	for _, o := range all[:4] {
		slow = append(slow, sendSlowly(t, h.running, o))
	}
	if got := h.do(t, "POST", "/v1/brain/import", sealedBundle(3)); got.StatusCode != http.StatusOK {
		t.Errorf("the server's owner: %d %s", got.StatusCode, got.body)
	}
	if ended := countEnded(t, slow); ended > 0 {
		t.Errorf("nobody waits, and %d are ended", ended)
	}
	if got := h.do(t, "POST", "/v1/brain/import", sealedBundle(3), bearing(all[4].person)); got.StatusCode != http.StatusOK {
		t.Errorf("a fifth owner: %d %s", got.StatusCode, got.body)
	}
	if ended := countEnded(t, slow); ended != 1 {
		t.Errorf("%d slow senders made room for one", ended)
	}
}

// TestArrivedImportsGoOn: a bundle that arrived slowly is imported, however long the server
// works at it while others wait.
func TestArrivedImportsGoOn(t *testing.T) {
	t.Parallel()
	h := build(t)
	all := crowd(t, h, 5, 0)
	backend := server.Over(h.vault)
	held := heldBackend{backend, backend.(exchange), all[0].key.DID(), make(chan struct{}), make(chan struct{})}
	s := startFor(t, h.owner, server.Options{Backend: held, ReadTimeout: 3 * time.Second, Bundles: server.Bundles{Producer: "home-test", Folder: t.TempDir()}})
	bundle := sealedBundle(3)
	body, answered := send(t, s, all[0], bundle[:1])
	time.Sleep(1500 * time.Millisecond) // longer than it may take
	if _, err := io.WriteString(body, bundle[1:]); err != nil || body.Close() != nil {
		t.Fatal(err)
	}
	<-held.arrived
	var slow []<-chan int
	for _, o := range all[1:4] {
		slow = append(slow, sendSlowly(t, s, o))
	}
	if got := s.do(t, "POST", "/v1/brain/import", bundle, bearing(all[4].person)); got.StatusCode != http.StatusOK {
		t.Errorf("a fifth owner: %d %s", got.StatusCode, got.body)
	}
	if ended := countEnded(t, slow); ended != 1 {
		t.Errorf("%d slow senders made room for one", ended)
	}
	close(held.goOn)
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the import that had arrived is answered with %d", status)
	}
}
