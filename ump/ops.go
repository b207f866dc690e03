package ump

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The editions of the protocol, whose records have the same shape. The package reads
// and verifies both, also in one store. A memory writes Edition unless its owner has
// chosen LaterEdition (decision UD-1).
const (
	Edition      = "0.1"
	LaterEdition = "1.0"
)

// Backend is the service that performs the operations of section 3. It is safe for
// concurrent use. It refuses with a [memory.Error] whose Kind is one of section 3.7.
// Callers see any other error as internal, without its text.
//
// The Form of a returned record agrees with its members: if Form is not nil, the
// answer contains it byte for byte. The backend has already applied consent,
// visibility, redaction and retention for the caller.
type Backend interface {
	// Capabilities returns what the service offers to the caller. It changes nothing.
	Capabilities(ctx context.Context, c memory.Caller) (memory.Capabilities, error)
	// Recall returns the memories that answer the query, best first; ties go to the
	// newest, then by id. A query without scope.owner means the caller's owner. No
	// answer is an empty slice.
	Recall(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, error)
	// Remember stores a draft, or merges it with an equal record.
	Remember(ctx context.Context, c memory.Caller, d memory.Draft) (memory.RememberResult, error)
	// Get returns one record, also if it is superseded or tombstoned.
	Get(ctx context.Context, c memory.Caller, id memory.ID, view memory.View) (memory.Record, error)
	// Revise makes a successor of a record. The patch is an object that passed
	// [CheckPatch].
	Revise(ctx context.Context, c memory.Caller, r memory.Revision) (memory.RevisionResult, error)
	// Forget tombstones or erases a record.
	Forget(ctx context.Context, c memory.Caller, f memory.ForgetRequest) (memory.ForgetOutcome, error)
}

// Learner is a [Backend] that learns from outcomes (section 3.8). Other backends do
// not support the feedback operation.
type Learner interface {
	// Feedback stores the outcome of an injected memory. It never changes the record.
	Feedback(ctx context.Context, c memory.Caller, id memory.ID, outcome, session string) error
}

// Watcher is a [Backend] that reports changes (section 3.8, decision UD-27). Other
// backends do not support subscribe.
type Watcher interface {
	// Head returns the sequence number of the latest change, 0 before the first.
	Head(ctx context.Context, c memory.Caller) (int64, error)
	// Changes returns the events after s.After that the caller may see, oldest first,
	// and the sequence number to continue from: s.After if there are no events. It
	// applies consent, visibility, redaction and retention as Recall does.
	Changes(ctx context.Context, c memory.Caller, s memory.Subscription) (events []memory.Event, next int64, err error)
	// Await returns nil when there may be events after the sequence number, from any
	// process, or the error of ctx.
	Await(ctx context.Context, c memory.Caller, after int64) error
}

// Rehydrator is a [Backend] that frames recalled memory for a model (section 5.3,
// decision UD-30). Recall of other backends has the format json only.
type Rehydrator interface {
	// Rehydrate recalls, verifies, filters, ranks, fits into q.Budget (0: 2000
	// tokens) and frames.
	Rehydrate(ctx context.Context, c memory.Caller, q memory.Query) (memory.Frame, error)
}

// RecallNoter is a [Backend] whose recall may lack something, such as a part of the search
// that needs another server.
type RecallNoter interface {
	// RecallNoting is Recall, and also says in words what the answer lacks.
	RecallNoting(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, []memory.Warning, error)
}

// Operation names an operation of section 3.
type Operation string

// The six operations, and feedback, the optional operation of section 3.8.
const (
	OpCapabilities Operation = "capabilities"
	OpRecall       Operation = "recall"
	OpRemember     Operation = "remember"
	OpGet          Operation = "get"
	OpRevise       Operation = "revise"
	OpForget       Operation = "forget"
	OpFeedback     Operation = "feedback"
)

// Operations returns the six operations in the specification's order, without
// the optional feedback.
func Operations() []Operation {
	return []Operation{OpCapabilities, OpRecall, OpRemember, OpGet, OpRevise, OpForget}
}

// Call is one request over any transport.
type Call struct {
	Operation Operation
	Caller    memory.Caller
	Body      []byte // a JSON object; empty: {}
	Key       string // idempotency key of the transport, if there is one
	// Strict refuses a request with a member that the operation does not know.
	// Otherwise Dispatch ignores such a member (UMP-3.2-1) and adds a warning to the
	// answer. It always refuses an unknown member in a draft or a patch.
	Strict bool
	// Now returns the time from which "yesterday" or "last month" counts, in the
	// caller's time zone. nil: Dispatch refuses such words.
	Now func() time.Time
}

// Dispatch performs a call and returns the JSON response of section 3, on one line. It
// adds the member "warnings" if there are any. Bindings write an error with
// [ErrorEnvelope] and [Status].
func Dispatch(ctx context.Context, b Backend, c Call) ([]byte, error) {
	r, err := Perform(ctx, b, c)
	if err != nil {
		return nil, err
	}
	return r.text()
}

// Perform performs a call like [Dispatch], for callers who need no JSON.
func Perform(ctx context.Context, b Backend, c Call) (Response, error) {
	body, err := parseBody(c.Body)
	if err != nil {
		return Response{}, err
	}
	handle := handlerOf(c.Operation)
	if handle == nil {
		return Response{}, &memory.Error{
			Kind: memory.Unsupported, Op: "call", Rule: "UMP-3.7-4",
			Message: "no such operation; call capabilities to see what is offered",
		}
	}
	ignored, err := c.checkMembers(body)
	if err != nil {
		return Response{}, err
	}
	r, err := handle(ctx, b, c, body)
	if err != nil {
		return Response{}, err
	}
	r.Rest = withWarnings(r.Rest, ignored)
	return r, nil
}

type handler func(context.Context, Backend, Call, canon.Value) (Response, error)

func handlerOf(op Operation) handler {
	switch op {
	case OpCapabilities:
		return whole(capabilities)
	case OpRecall:
		return recall
	case OpRemember:
		return whole(remember)
	case OpGet:
		return whole(get)
	case OpRevise:
		return whole(revise)
	case OpForget:
		return whole(forget)
	case OpFeedback:
		return whole(feedback)
	}
	return nil
}

// whole returns a handler whose response is one tree.
func whole(handle func(context.Context, Backend, Call, canon.Value) (canon.Value, error)) handler {
	return func(ctx context.Context, b Backend, c Call, body canon.Value) (Response, error) {
		v, err := handle(ctx, b, c, body)
		return Response{Rest: v}, err
	}
}
