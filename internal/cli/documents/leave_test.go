package documents

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// keeper lets writes through until everything is erased.
type keeper struct{ erased atomic.Bool }

func (k *keeper) Erasures(context.Context, memory.DID) (int64, error) {
	if k.erased.Load() {
		return 1, nil
	}
	return 0, nil
}

func (k *keeper) Emit(_ context.Context, _ memory.DID, _ int64, write func() error) error {
	if k.erased.Load() {
		return store.ErrErased
	}
	return write()
}

// way returns a way out that the keeper keeps.
func (k *keeper) way(t *testing.T) *Way { return &Way{t.Context(), k, "did:key:a", 0} }

func TestLeaving(t *testing.T) {
	var out bytes.Buffer
	k := &keeper{}
	g := &Outgoing{Writer: &out, Way: k.way(t)}
	const answer = `{"jsonrpc":"2.0","id":7,"result":{"text":"quince"}}` + "\n"
	t.Run("what is not erased leaves whole", func(t *testing.T) {
		long := strings.Repeat("x", 3*largestPiece+1)
		if n, err := g.Write([]byte(long)); n != len(long) || err != nil || out.String() != long {
			t.Fatalf("%d, %v", n, err)
		}
		out.Reset()
		if _, err := (Conversation{g}).Write([]byte(answer)); err != nil || out.String() != answer {
			t.Fatalf("%q, %v", &out, err)
		}
	})
	t.Run("AIMEM-5.2-4 an export ends at an erasure", func(t *testing.T) {
		out.Reset()
		k.erased.Store(true)
		if n, err := g.Write([]byte("quince")); n != 0 || !errors.Is(err, store.ErrErased) || out.Len() > 0 {
			t.Fatalf("%d, %v, %q", n, err, &out)
		}
	})
	t.Run("AIMEM-5.2-4 MCP over a pipe answers errors after an erasure", func(t *testing.T) {
		out.Reset()
		if _, err := (Conversation{g}).Write([]byte(answer + `{"jsonrpc":"2.0","method":"quince"}` + "\n")); err != nil {
			t.Fatal(err)
		}
		if s := out.String(); strings.Contains(s, "quince") || !strings.Contains(s, `"id":7`) || strings.Count(s, "\n") != 1 {
			t.Fatalf("%q", s)
		}
	})
}

// TestLeavingHangs erases while whoever reads does not: the write is given up, and
// nothing is written after it.
func TestLeavingHangs(t *testing.T) {
	for name, over := range map[string]func(*Outgoing) io.Writer{
		"an export":       func(g *Outgoing) io.Writer { return g },
		"MCP over a pipe": func(g *Outgoing) io.Writer { return Conversation{g} },
	} {
		t.Run("AIMEM-5.2-4 "+name+" holds no erasure up", func(t *testing.T) {
			in, out := io.Pipe()
			defer in.Close()
			k := &keeper{}
			w := over(&Outgoing{Writer: out, Way: k.way(t)})
			ended := make(chan error, 1)
			go func() { _, err := w.Write([]byte(`{"id":7,"result":"quince"}` + "\n")); ended <- err }()
			if _, err := in.Read(make([]byte, 1)); err != nil { // it has begun
				t.Fatal(err)
			}
			k.erased.Store(true)
			if err := <-ended; !errors.Is(err, store.ErrErased) {
				t.Errorf("got %v", err)
			}
			go func() { _, err := w.Write([]byte(`{"id":8,"result":"quince"}` + "\n")); ended <- err }()
			if err := <-ended; !errors.Is(err, store.ErrErased) {
				t.Errorf("afterwards: got %v", err)
			}
		})
	}
}

// TestPlaceErased erases before a file has its name: it never has it.
func TestPlaceErased(t *testing.T) {
	for name, text := range map[string]string{"short": "quince", "long": strings.Repeat("quince ", 100_000)} {
		t.Run("AIMEM-5.2-4 a file that is not in place yet does not appear, "+name, func(t *testing.T) {
			k := &keeper{}
			way, path := k.way(t), filepath.Join(t.TempDir(), "out.json")
			fill := func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				k.erased.Store(err == nil)
				return err
			}
			if err := way.Place(&cli.App{}, path, fill); !errors.Is(err, store.ErrErased) {
				t.Errorf("got %v", err)
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
				t.Errorf("left %v, %v", left, err)
			}
		})
	}
}

// TestPlaceOut erases while an export leaves on standard output: it ends, and says
// once why.
func TestPlaceOut(t *testing.T) {
	for name, size := range map[string]int{"short": 10, "long": 3 * largestPiece} {
		t.Run("AIMEM-5.2-4 "+name, func(t *testing.T) {
			k := &keeper{}
			k.erased.Store(true)
			var out bytes.Buffer
			err := k.way(t).Place(&cli.App{Out: &out}, "-", func(w io.Writer) error {
				_, err := w.Write(make([]byte, size))
				return err
			})
			if !errors.Is(err, store.ErrErased) || err.Error() != store.ErrErased.Error() || out.Len() > 0 {
				t.Errorf("got %v, %q", err, &out)
			}
		})
	}
	t.Run("what fails otherwise is told beside it", func(t *testing.T) {
		k := &keeper{}
		k.erased.Store(true)
		err := k.way(t).Place(&cli.App{Out: io.Discard}, "-", func(w io.Writer) error {
			_, _ = w.Write([]byte("quince")) // fails when the buffer is flushed
			return io.ErrUnexpectedEOF
		})
		if !errors.Is(err, store.ErrErased) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %v", err)
		}
	})
}
