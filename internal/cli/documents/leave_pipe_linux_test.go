package documents

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestTakesAtOnce writes directly only to an empty pipe with room enough.
func TestTakesAtOnce(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	expect := func(when string, w io.Writer, n int, want bool) {
		t.Helper()
		if got := cli.TakesAtOnce(w, n); got != want {
			t.Errorf("%s, %d bytes: %v", when, n, got)
		}
	}
	expect("an empty pipe", out, 4096, true)
	expect("an empty pipe", out, 1<<24, false)
	expect("a file", file, 1, false)
	expect("a buffer", new(bytes.Buffer), 1, false)
	if _, err := out.Write(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	expect("a pipe that somebody has to read first", out, 1, false)
	if _, err := in.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	expect("a pipe that was read", out, 4096, true)

	t.Run("AIMEM-5.2-4 a full pipe of the system holds no erasure up", func(t *testing.T) {
		k := &slowKeeper{begun: make(chan struct{}, 2)}
		w := Conversation{&Outgoing{Writer: out, Way: &Way{t.Context(), k, "did:key:a", 0}}}
		line := append(bytes.Repeat([]byte("q"), 40<<10), '\n')
		if _, err := w.Write(line); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { _, err := w.Write(line); ended <- err }()
		<-k.begun
		<-k.begun
		k.erased.Store(true)
		if err := <-ended; !errors.Is(err, store.ErrErased) {
			t.Errorf("got %v", err)
		}
	})
}

// slowKeeper says when a write begins.
type slowKeeper struct {
	keeper
	begun chan struct{}
}

// Emit lets a write through.
func (k *slowKeeper) Emit(_ context.Context, _ memory.DID, _ int64, write func() error) error {
	k.begun <- struct{}{}
	return write()
}
