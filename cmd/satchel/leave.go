package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// outgoing lets what is written leave only as long as everything of an owner was not
// erased since it was made (decision AD-28). Make it before anything is read.
type outgoing struct {
	io.Writer
	ctx   context.Context
	store interface {
		Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error
	}
	owner    memory.DID
	erasures int64
}

// leaving returns what writes to w what leaves of the owner.
func (o *opened) leaving(ctx context.Context, w io.Writer) (*outgoing, error) {
	n, err := o.Erasures(ctx, o.Owner)
	return &outgoing{w, context.WithoutCancel(ctx), o.Vault, o.Owner, n}, err
}

// largestPiece is how much leaves at once.
const largestPiece = 64 << 10

// Write lets p leave, piece by piece.
func (g *outgoing) Write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		err = g.store.Emit(g.ctx, g.owner, g.erasures, func() error {
			m, err := g.Writer.Write(p[n:min(len(p), n+largestPiece)])
			n += m
			return err
		})
	}
	return n, err
}

// conversation is what an MCP server writes, a message at a time. Once everything of
// the owner was erased it answers whatever is asked with an error.
type conversation struct{ *outgoing }

// Write lets a message leave, or an error in its place.
func (c conversation) Write(p []byte) (int, error) {
	err := c.store.Emit(c.ctx, c.owner, c.erasures, func() error {
		_, err := c.Writer.Write(p)
		return err
	})
	if errors.Is(err, store.ErrErased) {
		err = c.refuse(p)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// refuse writes, for each line that answers a request, an error with its id. What
// answers nothing is dropped.
func (c conversation) refuse(p []byte) error {
	for line := range bytes.Lines(p) {
		var answer struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(line, &answer) != nil || len(answer.ID) == 0 || answer.Method != "" {
			continue
		}
		said, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": answer.ID, "error": map[string]any{
			"code": -32603, "message": "everything of the owner was erased; start this program again",
		}})
		if err != nil {
			return err
		}
		if _, err := c.Writer.Write(append(said, '\n')); err != nil {
			return err
		}
	}
	return nil
}
