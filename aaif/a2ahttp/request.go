package a2ahttp

import (
	"context"
	"errors"
	"mime"
	"net/http"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// call is a request of JSON-RPC that a caller makes of an agent.
type call struct {
	*Handler
	agent   string
	caller  memory.Caller
	http    *http.Request
	out     http.ResponseWriter
	version a2a.Version
	asked   a2a.Request
}

// call answers a request of JSON-RPC. Who asks is settled before anything is read.
func (h *Handler) call(w http.ResponseWriter, r *http.Request, agent string) {
	c := &call{Handler: h, agent: agent, http: r, out: w, asked: a2a.Request{ID: canon.Null()}}
	if err := c.serve(); err != nil {
		if f, ok := errors.AsType[*a2a.Fault](err); ok {
			send(w, statusOf(f), a2a.Answer(c.version, c.asked.ID, canon.Value{}, f))
			return
		}
		h.refuse(w, r, err)
	}
}

func (c *call) serve() error {
	if err := c.letIn(); err != nil {
		return err
	}
	var err error
	if c.version, err = a2a.VersionOf(c.http.Header.Get(a2a.VersionHeader)); err != nil {
		return err
	}
	if media, _, _ := mime.ParseMediaType(c.http.Header.Get("Content-Type")); media != jsonType {
		return errMedia
	}
	raw, err := httpkit.NewBody(c.http, c.options.MaxBody).Within(c.options.Patience, c.out, c.options.Now).Bytes()
	if err != nil {
		return err
	}
	if c.asked, err = a2a.ReadRequest(raw); err != nil {
		return err
	}
	operation, err := c.asked.Operation(c.version)
	if err != nil {
		return err
	}
	return c.do(c.http.Context(), operation)
}

// letIn finds out who asks, and refuses those who may not work with the agent.
func (c *call) letIn() error {
	caller, err := c.options.Authenticate(c.http)
	if err == nil {
		c.caller, err = caller, c.backend.May(c.http.Context(), caller, c.agent)
	}
	if kind := memory.KindOf(err); kind == memory.ForbiddenScope {
		c.options.Refused(c.http, kind)
	}
	return err
}

// stays refuses a caller who would not be let in any more.
func (c *call) stays() error {
	before := c.caller
	if err := c.letIn(); err != nil {
		return err
	}
	if c.caller.Owner != before.Owner || c.caller.Session != before.Session || c.caller.Role != before.Role {
		return &memory.Error{Kind: memory.Unauthorized, Message: "the credentials have changed"}
	}
	return nil
}

// do carries an operation out.
func (c *call) do(ctx context.Context, operation a2a.Operation) error {
	switch operation {
	case a2a.Send:
		return c.send(ctx)
	case a2a.Stream:
		return c.stream(ctx)
	case a2a.List:
		return c.list(ctx)
	case a2a.Push:
		return &a2a.Fault{Code: a2a.PushNotSupported, Text: "nobody is notified from here: ask for the task, or for its stream"}
	case a2a.Extended:
		if c.version == a2a.V03 {
			return &a2a.Fault{Code: a2a.ExtendedNotThere, Text: "the card says the same to everybody"}
		}
		return &a2a.Fault{Code: a2a.UnsupportedOperation, Text: "the card says the same to everybody"}
	}
	wanted, err := a2a.ReadWanted(c.asked.Params)
	if err != nil {
		return err
	}
	switch operation {
	case a2a.Get:
		t, err := c.backend.Task(ctx, c.caller, c.agent, wanted.ID)
		return c.answer(t.Short(wanted.History).Document(c.version), err)
	case a2a.Cancel:
		t, err := c.backend.Cancel(ctx, c.caller, c.agent, wanted.ID)
		return c.answer(t.Document(c.version), err)
	}
	return c.subscribe(ctx, wanted.ID)
}

// answer answers with a result, unless there is an error.
func (c *call) answer(result canon.Value, err error) error {
	if err == nil {
		send(c.out, http.StatusOK, a2a.Answer(c.version, c.asked.ID, result, nil))
	}
	return err
}

func (c *call) list(ctx context.Context) error {
	q, err := a2a.ReadQuery(c.version, c.asked.Params)
	if err != nil {
		return err
	}
	page, err := c.backend.Tasks(ctx, c.caller, c.agent, q)
	return c.answer(page.Document(c.version, q), err)
}

// send begins a task, and waits for its end if the client does.
func (c *call) send(ctx context.Context) error {
	o, err := a2a.ReadOrder(c.version, c.asked.Params)
	if err != nil {
		return err
	}
	t, err := c.backend.Send(ctx, c.caller, c.agent, o)
	if err != nil {
		return err
	}
	if o.Wait && !stands(t.Status.State) {
		if t, err = c.await(ctx, t); err != nil {
			return err
		}
	}
	t = t.Short(o.History)
	return c.answer(a2a.Event{Task: &t}.Document(c.version), nil)
}

// stands reports whether a client that waits for a state gets its answer.
func stands(s a2a.State) bool { return s.Ended() || s.Interrupted() }

// await waits until a task has ended, waits for somebody, or the longest wait is over.
func (c *call) await(ctx context.Context, t a2a.Task) (a2a.Task, error) {
	leave, ok := c.options.Slots(c.http)
	if !ok {
		return t, nil // the client has the task, and can look again
	}
	defer leave()
	timed, cancel := context.WithTimeout(ctx, c.options.Wait)
	defer cancel()
	now, next, err := c.backend.Follow(timed, c.caller, c.agent, t.ID)
	for err == nil && !stands(now.Status.State) {
		var events []a2a.Event
		events, err = next(timed)
		for _, e := range events {
			if e.Status != nil {
				now.Status = *e.Status
			}
		}
	}
	if err != nil && timed.Err() == nil && !errors.Is(err, a2a.ErrStopping) {
		return t, err
	}
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if err := c.stays(); err != nil {
		return t, err
	}
	return c.backend.Task(ctx, c.caller, c.agent, t.ID)
}
