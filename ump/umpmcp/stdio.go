package umpmcp

import (
	"context"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxLine = 8 << 20          // bytes of one message over stdio
	drain   = 10 * time.Second // longest wait for answers that are under way
)

// Serve speaks MCP over a pipe, one JSON text per line, until the other side
// closes it or ctx is cancelled. Either way it first answers what it has read, so
// that nothing is done without being said. w receives nothing but MCP.
//
// A line that is not JSON, no message, or longer than 8 MiB, is answered with an error
// of JSON-RPC and passed over. While
// [maxCalls] calls or 8 MiB of them are not answered yet, or their answers not read,
// nothing more is read: who sends faster than it reads has to wait.
func Serve(ctx context.Context, s *mcp.Server, r io.ReadCloser, w io.Writer) error {
	talk, end := withEnds(context.WithoutCancel(ctx))
	session, err := s.Connect(talk, &pipe{stop: ctx, r: r, w: w}, nil)
	if err != nil {
		return err
	}
	defer end()
	return session.Wait()
}

// pipe is the SDK's transport over a reader and a writer, with a [conversation]
// on top.
type pipe struct {
	stop context.Context
	r    io.ReadCloser
	w    io.Writer
}

// Connect starts to read.
func (p *pipe) Connect(ctx context.Context) (mcp.Connection, error) {
	out := &whole{w: p.w}
	inner := &mcp.IOTransport{Reader: newLines(p.r, out), Writer: out, MaxLineLength: maxLine + 2} // a line and its end
	connection, err := inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return newConversation(connection, p.stop, out), nil
}
