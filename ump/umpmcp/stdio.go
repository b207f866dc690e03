package umpmcp

import (
	"context"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxLine = 8 << 20          // bytes of one message over stdio
	drain   = 10 * time.Second // longest wait for present calls
)

// Serve serves MCP over a pipe, one JSON text per line, until the other side closes it or
// ctx is cancelled. Before it returns, it answers all calls that it has read. It writes
// only MCP to w.
//
// Serve answers a line that is not JSON, not a message, or longer than 8 MiB with an error
// of JSON-RPC and skips it. It stops reading while 32 calls, or 8 MiB of calls, wait for
// their answers or for the client to read them.
func Serve(ctx context.Context, s *mcp.Server, r io.ReadCloser, w io.Writer) error {
	talk, end := withCleanups(context.WithoutCancel(ctx))
	session, err := s.Connect(talk, &pipe{stop: ctx, r: r, w: w}, nil)
	if err != nil {
		return err
	}
	defer end()
	return session.Wait()
}

// pipe is the SDK's transport over a reader and a writer.
type pipe struct {
	stop context.Context
	r    io.ReadCloser
	w    io.Writer
}

// Connect returns the connection.
func (p *pipe) Connect(context.Context) (mcp.Connection, error) {
	out := &messageWriter{w: p.w}
	return newConversation(newMessageReader(p.r, newLines(p.r, out)), p.stop, out), nil
}
