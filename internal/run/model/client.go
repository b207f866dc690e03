package model

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/modelhttp"
	"github.com/satchel-memory/satchel/text/internet"
)

// usualPatience is the longest silence of a provider.
const usualPatience = 5 * time.Minute

// errSilent is the cause of giving up on a provider.
var errSilent = errors.New("nothing came for too long")

// Client asks models over HTTP. Make one with [New].
type Client struct {
	options         Options
	guarded, listed *http.Transport
}

// Options are what a Client needs of its surroundings.
type Options struct {
	Now func() time.Time // nil: the system's clock
	// Patience is the longest silence of a provider, before its answer and between two pieces
	// of it; 0: 5 minutes.
	Patience time.Duration
}

// New returns a Client.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Patience = cmp.Or(o.Patience, usualPatience)
	return &Client{o, modelhttp.Guarded(internet.IsPublic), modelhttp.Guarded(func(ip netip.Addr) bool { return !ip.Unmap().IsLinkLocalUnicast() })}
}

// Ask asks once, and follows no redirect. The outcome says what a run does next, see
// [route.Outcome.Next]; an answer that does not come whole counts as none. A failure is an
// [*Error], and the Answer then holds Notes only. If ctx ends, the failure is of kind [Broken],
// wraps the cause, and says nothing about the route. An answer has at most 16 MiB, a line of a
// stream 1 MiB. Ask is safe for concurrent use.
func (c *Client) Ask(ctx context.Context, e Endpoint, r Request) (Answer, route.Outcome, error) {
	start := c.options.Now()
	answer, failed := c.ask(ctx, e, r)
	end := c.options.Now()
	if failed == nil {
		return answer, route.Outcome{Status: http.StatusOK, Took: end.Sub(start), At: end}, nil
	}
	failed.Provider, failed.Host = e.Provider, hostOf(e.BaseURL)
	outcome := failed.outcome(end)
	outcome.Took, outcome.At = end.Sub(start), end
	return Answer{Notes: answer.Notes}, outcome, failed
}

// ask asks. With a failure the answer holds notes only.
func (c *Client) ask(ctx context.Context, e Endpoint, r Request) (Answer, *Error) {
	if name := r.check(); name != "" {
		return Answer{}, &Error{Kind: Invalid, Message: name + " is out of bounds"}
	}
	form, ok := formats()[e.Wire]
	if !ok {
		return Answer{}, &Error{Kind: Unconfigured, Message: "nobody said what it speaks"}
	}
	p := profileOf(e.Provider)
	body, notes := form.body(p, r)
	var transport http.RoundTripper
	if e.Guarded {
		transport = c.guarded
	}
	if e.Guarded && e.Listed {
		transport = c.listed
	}
	base := strings.TrimRight(e.BaseURL, "/")
	server, err := modelhttp.At(base, form.path(base, r.Model, r.Stream), p.headers(e), transport)
	if err != nil {
		return Answer{Notes: notes}, &Error{Kind: Denied, Err: err}
	}
	answer, err := c.exchange(ctx, server, body, form, e.Wire, r)
	if err != nil {
		return Answer{Notes: notes}, failure(ctx, err, e.Key)
	}
	if len(answer.Calls) > mostCalls {
		return Answer{Notes: notes}, &Error{Kind: TooLarge}
	}
	answer.Notes, answer.Calls = notes, named(r, answer.Calls)
	if answer.Carry.Type() == canon.TypeObject {
		answer.Carry = answer.Carry.With("model", canon.String(r.Model))
	}
	return answer, nil
}

// exchange posts a body and reads the answer, as long as something comes.
func (c *Client) exchange(ctx context.Context, server *modelhttp.Server, body canon.Value, form format, wire Wire, r Request) (Answer, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	silence := time.AfterFunc(c.options.Patience, func() { stop(errSilent) })
	defer silence.Stop()
	from, err := server.Post(ctx, body.Append(nil))
	if err != nil {
		return Answer{}, causeOf(ctx, err)
	}
	defer from.Close()
	into := form.collector()
	err = read(reader(func(p []byte) (int, error) {
		silence.Reset(c.options.Patience)
		return from.Read(p)
	}), wire, r.Stream, into, r.OnText)
	if err != nil && !errors.Is(err, errDone) {
		return Answer{}, causeOf(ctx, err)
	}
	answer, whole := into.done()
	if !whole && err == nil {
		return Answer{}, errCut
	}
	return answer, nil
}

// causeOf returns why a context ended, if it did, instead of what followed from it.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// reader is a function that reads.
type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

var _ io.Reader = reader(nil)
