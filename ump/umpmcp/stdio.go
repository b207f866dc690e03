package umpmcp

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
// A line that is not JSON, or no message, is answered with an error of JSON-RPC
// and passed over. One longer than 8 MiB ends the conversation with an error.
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
	return &conversation{Connection: connection, stop: p.stop, open: map[jsonrpc.ID]struct{}{}}, nil
}

// conversation counts the calls that are under way. The SDK drops the answers
// to them as soon as reading ends, so the end is told only once they are given.
type conversation struct {
	mcp.Connection
	stop context.Context

	mu    sync.Mutex
	open  map[jsonrpc.ID]struct{} // requests to listen, which are answered when all is over
	calls int
	quiet chan struct{} // closed when the last call is answered; nil until somebody waits
}

// Read returns the next message. After the last, or once the conversation is to
// stop, it waits for the answers and returns io.EOF.
func (c *conversation) Read(context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(c.stop)
	if err != nil {
		c.drain()
		if c.stop.Err() != nil {
			err = io.EOF
		}
		return nil, err
	}
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		c.begin(request)
	}
	return message, nil
}

func (c *conversation) begin(r *jsonrpc.Request) {
	if r.Method != "subscriptions/listen" {
		c.count(1)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[r.ID] = struct{}{}
}

func (c *conversation) finish(r *jsonrpc.Response) {
	c.mu.Lock()
	_, listens := c.open[r.ID]
	delete(c.open, r.ID)
	c.mu.Unlock()
	if !listens {
		c.count(-1)
	}
}

// Write sends a message.
func (c *conversation) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if response, ok := message.(*jsonrpc.Response); ok {
		c.finish(response)
	}
	return err
}

func (c *conversation) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls += n
	if c.calls == 0 && c.quiet != nil {
		close(c.quiet)
		c.quiet = nil
	}
}

// drain waits until every call is answered, though not for ever.
func (c *conversation) drain() {
	c.mu.Lock()
	if c.calls == 0 {
		c.mu.Unlock()
		return
	}
	quiet := make(chan struct{})
	c.quiet = quiet
	c.mu.Unlock()
	patience, done := context.WithTimeout(context.Background(), drain)
	defer done()
	select {
	case <-quiet:
	case <-patience.Done():
	}
}
