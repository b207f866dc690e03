package umpmcp

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxCalls     = 32      // calls at the same time over stdio
	maxListening = 64      // open requests to listen
	maxPending   = 8 << 20 // bytes of all present calls, unless one call alone has more
)

// conversation counts the present calls. It stops reading while there are too many,
// because the SDK queues without a limit. The SDK drops the answers to calls as soon as
// reading ends, so conversation reports the end only after the last answer.
//
// A request to listen stays open as long as its client wants, so it does not count as a
// call. No call waits for a message of the client: places always become free while the
// client reads.
type conversation struct {
	*messageReader
	stop context.Context
	out  io.Writer

	mu      sync.Mutex
	free    *sync.Cond              // signalled when a place becomes free, or the conversation must stop
	calls   map[jsonrpc.ID]call     // calls without an answer
	active  int                     // places that calls have until their answers are written
	pending int                     // bytes of those calls
	open    map[jsonrpc.ID]struct{} // requests to listen, which are answered when all is over
	idle    chan struct{}           // closed when the last call is answered; nil until somebody waits
}

// call is a call without an answer.
type call struct {
	size int // bytes
	slot *slot
}

var _ mcp.Connection = (*conversation)(nil)

func newConversation(in *messageReader, stop context.Context, out io.Writer) *conversation {
	talk := &conversation{messageReader: in, stop: stop, out: out, calls: map[jsonrpc.ID]call{}, open: map[jsonrpc.ID]struct{}{}}
	talk.free = sync.NewCond(&talk.mu)
	context.AfterFunc(stop, func() {
		talk.mu.Lock()
		defer talk.mu.Unlock()
		talk.free.Broadcast()
	})
	return talk
}

// Read returns the next message. After the last message, or when the conversation must
// stop, it waits for the answers and returns io.EOF.
func (c *conversation) Read(context.Context) (jsonrpc.Message, error) {
	for {
		c.wait()
		message, err := c.messageReader.Read(c.stop)
		if err != nil {
			c.drain()
			if c.stop.Err() != nil {
				err = io.EOF
			}
			return nil, err
		}
		request, ok := message.(*jsonrpc.Request)
		if !ok || !request.IsCall() {
			return message, nil
		}
		refused := c.begin(request)
		if refused == nil {
			return message, nil
		}
		text, err := refused.line()
		if err == nil {
			_, err = c.out.Write(append(text, '\n'))
		}
		if err != nil {
			return nil, err
		}
	}
}

// wait returns when there is a place for a call, or when the conversation must stop.
func (c *conversation) wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for (c.active >= maxCalls || c.pending >= maxPending) && c.stop.Err() == nil {
		c.free.Wait()
	}
}

// begin gives a call a place and a slot for its answer. It refuses a call with the id of a
// present call, which the SDK would never answer.
func (c *conversation) begin(r *jsonrpc.Request) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, called := c.calls[r.ID]
	if _, listens := c.open[r.ID]; called || listens {
		return &refusal{fault: invalid("a call with this id is under way; give each call its own id")}
	}
	if r.Method != "subscriptions/listen" {
		present := call{size: len(r.Params), slot: &slot{}}
		r.Extra = &mcp.RequestExtra{TokenInfo: &auth.TokenInfo{Extra: map[string]any{slotKey: present.slot}}}
		c.calls[r.ID] = present
		c.active++
		c.pending += len(r.Params)
		return nil
	}
	if len(c.open) >= maxListening {
		id, err := json.Marshal(r.ID.Raw())
		if err != nil {
			id = nil
		}
		return &refusal{id, invalid("too many requests to listen are open; cancel one first")}
	}
	c.open[r.ID] = struct{}{}
	return nil
}

// Write sends a message. It frees the id of a call before it sends the answer, because
// the client may use the id again as soon as it reads the answer. It frees the place
// afterwards.
func (c *conversation) Write(ctx context.Context, message jsonrpc.Message) error {
	response, ok := message.(*jsonrpc.Response)
	if !ok {
		return c.send(ctx, message, nil)
	}
	c.mu.Lock()
	present, called := c.calls[response.ID]
	delete(c.calls, response.ID)
	delete(c.open, response.ID)
	c.mu.Unlock()
	err := c.send(ctx, message, present.slot)
	if called {
		c.leave(present.size)
	}
	return err
}

// send writes a message with the answer in s.
func (c *conversation) send(ctx context.Context, message jsonrpc.Message, s *slot) error {
	select { // not ctx.Err(): the SDK still answers a cancelled call
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(s.splice(text), '\n'))
	return err
}

// leave frees the place of a call.
func (c *conversation) leave(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active--
	c.pending -= size
	c.free.Signal()
	if c.active == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain waits until every call is answered, with a time limit.
func (c *conversation) drain() {
	c.mu.Lock()
	if c.active == 0 {
		c.mu.Unlock()
		return
	}
	quiet := make(chan struct{})
	c.idle = quiet
	c.mu.Unlock()
	patience, done := context.WithTimeout(context.Background(), drain)
	defer done()
	select {
	case <-quiet:
	case <-patience.Done():
	}
}
