package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// keeper lets writes through until everything is erased.
type keeper struct{ erased bool }

func (k *keeper) Emit(_ context.Context, _ memory.DID, _ int64, write func() error) error {
	if k.erased {
		return store.ErrErased
	}
	return write()
}

func TestLeaving(t *testing.T) {
	var out bytes.Buffer
	k := &keeper{}
	g := &outgoing{&out, t.Context(), k, "did:key:a", 0}
	const answer = `{"jsonrpc":"2.0","id":7,"result":{"text":"quince"}}` + "\n"
	t.Run("what is not erased leaves whole", func(t *testing.T) {
		long := strings.Repeat("x", 3*largestPiece+1)
		if n, err := g.Write([]byte(long)); n != len(long) || err != nil || out.String() != long {
			t.Fatalf("%d, %v", n, err)
		}
		out.Reset()
		if _, err := (conversation{g}).Write([]byte(answer)); err != nil || out.String() != answer {
			t.Fatalf("%q, %v", &out, err)
		}
	})
	t.Run("AIMEM-5.2-4 an export ends at an erasure", func(t *testing.T) {
		out.Reset()
		k.erased = true
		if n, err := g.Write([]byte("quince")); n != 0 || !errors.Is(err, store.ErrErased) || out.Len() > 0 {
			t.Fatalf("%d, %v, %q", n, err, &out)
		}
	})
	t.Run("AIMEM-5.2-4 MCP over a pipe answers errors after an erasure", func(t *testing.T) {
		out.Reset()
		if _, err := (conversation{g}).Write([]byte(answer + `{"jsonrpc":"2.0","method":"quince"}` + "\n")); err != nil {
			t.Fatal(err)
		}
		if s := out.String(); strings.Contains(s, "quince") || !strings.Contains(s, `"id":7`) || strings.Count(s, "\n") != 1 {
			t.Fatalf("%q", s)
		}
	})
}
