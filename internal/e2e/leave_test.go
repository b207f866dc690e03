package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const facts = 160 // of [newFull]: 5.4 MB, of which the server's kernel may hold 4, and a pipe 64 kB

var full prepared

// newFull makes a home with facts of 34 kB each, in long words, because an index of these is
// small.
func newFull(t *testing.T) *home {
	t.Helper()
	return full.copy(t, "full", func(h *home) {
		h.run("init")
		h.many()
	})
}

func (h *home) many() {
	h.Helper()
	var list strings.Builder
	for i := range facts {
		fmt.Fprintf(&list, "- %s Fact %d. %s\n", doomedWords[0], i, strings.Repeat(fmt.Sprint(strings.Repeat("tea", 20), i%7, " "), 560))
	}
	path := filepath.Join(h.dir, "list.txt")
	if err := os.WriteFile(path, []byte(list.String()), 0o600); err != nil {
		h.Fatal(err)
	}
	h.run("import", "--from", "paste", path)
	if err := os.Remove(path); err != nil { // the document is the owner's own
		h.Fatal(err)
	}
}

// eraseAll erases everything within some seconds.
func (h *home) eraseAll() {
	h.Helper()
	began := time.Now()
	did := h.did()
	h.run("erase", "--confirm", did, "--yes")
	if took := time.Since(began); took > 12*time.Second {
		h.Errorf("the erasure took %v", took)
	}
}

// TestEraseBesideAPausedClient erases, in a process of its own, while the server sends
// an export to a client that does not read.
func TestEraseBesideAPausedClient(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/brain/export", "/v1/brain/export/stream", "/ump/export"} {
		t.Run("AIMEM-5.2-4 an export that waits for its client is cut, "+path, func(t *testing.T) {
			h := newFull(t)
			addr, token := h.serve()
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil { // the client's kernel holds little
				t.Fatal(err)
			}
			fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, addr, token)
			first := make([]byte, 2000)
			if _, err := io.ReadFull(c, first); err != nil || !bytes.HasPrefix(first, []byte("HTTP/1.1 200")) {
				t.Fatalf("%.200s, %v", first, err)
			}
			h.eraseAll()
			if err := c.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(c) // what the two kernels held
			if n := bytes.Count(append(first, rest...), []byte(doomedWords[0])); n >= facts {
				t.Errorf("%d of %d memories arrived", n, facts)
			}
			if bytes.HasSuffix(rest, []byte("0\r\n\r\n")) || os.IsTimeout(err) {
				t.Errorf("the answer was not cut: it ends with %q, %v", rest[max(0, len(rest)-20):], err)
			}
		})
	}
}

// TestEraseBesideAPausedPipe erases while a command writes an export into a pipe that
// nobody reads.
func TestEraseBesideAPausedPipe(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"export", "-q"}, {"export", "-q", "--to", "aimem"}, {"export", "-q", "--to", "aimem", "--ndjson"}} {
		t.Run("AIMEM-5.2-4 an export that waits for its reader ends, "+strings.Join(args, " "), func(t *testing.T) {
			h := newFull(t)
			export := h.command(args...)
			var errs bytes.Buffer
			export.Stderr = &errs
			out, err := export.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := export.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = export.Process.Kill() }() // unless it has ended
			first := make([]byte, 2000)
			if _, err := io.ReadFull(out, first); err != nil {
				t.Fatalf("%v\n%s", err, &errs)
			}
			h.eraseAll()
			rest, err := io.ReadAll(out)
			if n := bytes.Count(append(first, rest...), []byte(doomedWords[0])); err != nil || n >= facts {
				t.Errorf("%d of %d memories arrived, %v", n, facts, err)
			}
			if export.Wait() == nil || !strings.Contains(errs.String(), "erased") {
				t.Errorf("the command says nothing of it: %s", &errs)
			}
			if found := h.tracks(); len(found) > 0 {
				h.run("remember", "The kettle is blue.") // clears what was being read
				if found = h.tracks(); len(found) > 0 {
					t.Errorf("what was erased is in %v", found)
				}
			}
		})
	}
}
