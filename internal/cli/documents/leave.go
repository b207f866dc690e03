package documents

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Way allows writes until everything of an owner is erased (decision AD-28). Make it
// before you read anything.
type Way struct {
	ctx   context.Context
	store interface {
		Erasures(ctx context.Context, owner memory.DID) (int64, error)
		Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error
	}
	owner    memory.DID
	erasures int64
}

// Leaving returns the way for data read after the call.
func Leaving(o *cli.Session, ctx context.Context) (*Way, error) {
	n, err := o.Erasures(ctx, o.Owner)
	return &Way{context.WithoutCancel(ctx), o.Vault, o.Owner, n}, err
}

// pass runs write unless everything was erased.
func (e *Way) pass(write func() error) error {
	return e.store.Emit(e.ctx, e.owner, e.erasures, write)
}

// Place writes all of a file or nothing, or writes to standard output. Once
// everything was erased, a file no longer gets its name.
func (e *Way) Place(a *cli.App, path string, fill func(io.Writer) error) error {
	if !cli.IsStdout(path) {
		return cli.PlaceBy(path, e.pass, fill)
	}
	buffer := bufio.NewWriterSize(&Outgoing{Writer: a.Out, Way: e}, largestPiece)
	err := fill(buffer)
	flushed := buffer.Flush()
	if err != nil && errors.Is(err, flushed) { // the buffer returns the same failure again
		return err
	}
	return errors.Join(err, flushed)
}

// Outgoing writes a command's output. An erasure does not wait for a stopped reader:
// Outgoing gives up a write that hangs, and writes nothing after it, so that the program
// has to end.
type Outgoing struct {
	io.Writer
	*Way
	stuck bool
}

// largestPiece is the most bytes of one write.
const largestPiece = 64 << 10

// Write writes p, piece by piece.
func (g *Outgoing) Write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		err = g.pass(func() error {
			m, err := g.hand(p[n:min(len(p), n+largestPiece)])
			n += m
			return err
		})
	}
	return n, err
}

// hangCheck is how often a hanging write is checked.
const hangCheck = 400 * time.Millisecond

// hand writes p. It gives up if everything was erased while nobody reads.
func (g *Outgoing) hand(p []byte) (int, error) {
	if g.stuck {
		return 0, store.ErrErased
	}
	if cli.TakesAtOnce(g.Writer, len(p)) { // as mostly, when one answer is written after the other
		return g.Writer.Write(p)
	}
	type result struct {
		n   int
		err error
	}
	done, p := make(chan result, 1), bytes.Clone(p)
	go func() {
		n, err := g.Writer.Write(p)
		done <- result{n, err}
	}()
	for {
		select {
		case r := <-done:
			return r.n, r.err
		case <-time.After(hangCheck):
		}
		if now, err := g.store.Erasures(g.ctx, g.owner); err == nil && now != g.erasures {
			g.stuck = true
			return 0, store.ErrErased
		}
	}
}

// Conversation is an MCP server's output, one message at a time. After a complete erasure
// of the owner it answers every request with an error.
type Conversation struct{ *Outgoing }

// Write writes a message, or an error in its place.
func (c Conversation) Write(p []byte) (int, error) {
	err := c.pass(func() error {
		_, err := c.hand(p)
		return err
	})
	if errors.Is(err, store.ErrErased) && !c.stuck {
		err = c.refuse(p)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// refuse writes an error with the request's id for each line that answers a request.
// It drops other lines.
func (c Conversation) refuse(p []byte) error {
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
