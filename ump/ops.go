package ump

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The editions of the protocol, which have the same shape. Both are read and verified,
// beside one another too. A memory speaks one of them: Edition, unless its owner has
// said LaterEdition (decision UD-1).
const (
	Edition      = "0.1"
	LaterEdition = "1.0"
)

// Backend does what the operations of section 3 ask. It is safe for concurrent
// use. Refusals are [memory.Error]s whose Kind is one of section 3.7; any other
// error is shown to the caller as internal, without its text.
//
// A record it returns says in Form what its members say: where Form is not nil
// it is emitted as it is, byte for byte. It has already passed the gate for the
// caller: consent, visibility, redaction and retention are applied.
type Backend interface {
	// Capabilities says what is offered to the caller. It changes nothing.
	Capabilities(ctx context.Context, c memory.Caller) (memory.Capabilities, error)
	// Recall returns the memories that answer the query, best first; ties are
	// broken by newest, then by id. A query without scope.owner concerns the
	// caller's owner. No answer is an empty slice.
	Recall(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, error)
	// Remember stores a draft, or finds that it says nothing new.
	Remember(ctx context.Context, c memory.Caller, d memory.Draft) (memory.Remembered, error)
	// Get returns one record, superseded and tombstoned ones too.
	Get(ctx context.Context, c memory.Caller, id memory.ID, view memory.View) (memory.Record, error)
	// Revise makes a successor of a record. The patch is an object and has
	// passed [CheckPatch].
	Revise(ctx context.Context, c memory.Caller, r memory.Revision) (memory.Revised, error)
	// Forget tombstones or erases a record.
	Forget(ctx context.Context, c memory.Caller, f memory.Forgetting) (memory.Forgotten, error)
}

// Learner is a [Backend] that learns from outcomes (section 3.8). Without it
// the feedback operation is unsupported.
type Learner interface {
	// Feedback takes note of what became of an injected memory. It never alters
	// the record.
	Feedback(ctx context.Context, c memory.Caller, id memory.ID, outcome, session string) error
}

// Watcher is a [Backend] whose changes can be followed (section 3.8, decision
// UD-27). Without it subscribe is unsupported.
type Watcher interface {
	// Head returns the sequence number of the latest change, 0 before the first.
	Head(ctx context.Context, c memory.Caller) (int64, error)
	// Changes returns the events after s.After that the caller may see, oldest
	// first, and the sequence number to go on from, which is s.After when nothing
	// has happened. Records have passed the gate as those of recall have.
	Changes(ctx context.Context, c memory.Caller, s memory.Subscription) (events []memory.Event, next int64, err error)
	// Await returns nil once something may have happened after the sequence
	// number, in whatever process, or the error of ctx.
	Await(ctx context.Context, c memory.Caller, after int64) error
}

// Rehydrator is a [Backend] that frames what it recalls for a model (section
// 5.3, decision UD-30). Without it recall has the format json only.
type Rehydrator interface {
	// Rehydrate recalls, verifies, filters, ranks, fits into q.Budget (0: 2000
	// tokens) and frames.
	Rehydrate(ctx context.Context, c memory.Caller, q memory.Query) (memory.Framed, error)
}

// Operation names an operation of section 3.
type Operation string

// The six operations, and the optional one of section 3.8 that is answered once.
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

// Call is one request, whichever carrier brought it.
type Call struct {
	Operation Operation
	Caller    memory.Caller
	Body      []byte // a JSON object; empty: {}
	Key       string // idempotency key of the carrier, if it has one
	// Strict refuses a request with a member that the operation does not know.
	// Otherwise such a member is ignored (UMP-3.2-1), and the answer warns of it.
	// A draft or a patch with an unknown member is refused either way.
	Strict bool
	// Now tells the time from which "yesterday" or "last month" counts, in the caller's
	// time zone. nil: such words are refused.
	Now func() time.Time
}

// Dispatch performs a call and returns the JSON of section 3's response, with the
// member "warnings" where there is something to warn of. The error, if any, goes
// through [ErrorEnvelope] and [Status].
func Dispatch(ctx context.Context, b Backend, c Call) ([]byte, error) {
	body, err := parseBody(c.Body)
	if err != nil {
		return nil, err
	}
	handle := handlerOf(c.Operation)
	if handle == nil {
		return nil, &memory.Error{
			Kind: memory.Unsupported, Op: "call", Rule: "UMP-3.7-4",
			Message: "no such operation; call capabilities to see what is offered",
		}
	}
	ignored, err := c.ignored(body)
	if err != nil {
		return nil, err
	}
	answer, err := handle(ctx, b, c, body)
	if err != nil {
		return nil, err
	}
	return warned(answer, ignored).Append(nil), nil
}

type handler func(context.Context, Backend, Call, canon.Value) (canon.Value, error)

func handlerOf(op Operation) handler {
	switch op {
	case OpCapabilities:
		return capabilities
	case OpRecall:
		return recall
	case OpRemember:
		return remember
	case OpGet:
		return get
	case OpRevise:
		return revise
	case OpForget:
		return forget
	case OpFeedback:
		return feedback
	}
	return nil
}
