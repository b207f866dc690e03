package umpmcp

import (
	"context"
	"io"
	"runtime"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// messageReader is the reading side of a connection over stdio. The SDK's own connection would
// decode each message three times more.
type messageReader struct {
	arrivals <-chan arrival // from a goroutine, so that Close ends a waiting Read
	queue    []jsonrpc.Message
	closed   chan struct{}
	close    func() error
}

// arrival is the messages of a line, or the error that ends the conversation.
type arrival struct {
	messages []jsonrpc.Message
	err      error
}

func newMessageReader(r io.Closer, l *lines) *messageReader {
	arrivals, closed := make(chan arrival), make(chan struct{})
	go func() {
		for {
			messages, err := l.read()
			select {
			case arrivals <- arrival{messages, err}:
			case <-closed:
				return
			}
			if err != nil {
				return
			}
			runtime.Gosched() // this thread goes on with the message; another one would have to be woken
		}
	}()
	return &messageReader{arrivals: arrivals, closed: closed, close: sync.OnceValue(func() error {
		defer close(closed)
		return r.Close()
	})}
}

// Read returns the next message.
func (in *messageReader) Read(ctx context.Context) (jsonrpc.Message, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(in.queue) == 0 {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-in.closed:
			return nil, io.EOF
		case a := <-in.arrivals:
			if a.err != nil {
				return nil, a.err
			}
			in.queue = a.messages
		}
	}
	message := in.queue[0]
	in.queue = in.queue[1:]
	return message, nil
}

// Close closes the reader and ends a waiting Read.
func (in *messageReader) Close() error { return in.close() }

// SessionID returns "": a pipe has one session.
func (in *messageReader) SessionID() string { return "" }
