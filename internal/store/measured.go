package store

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/memory"
)

// Measured is a store that measures itself for its operator.
type Measured interface {
	// Metrics returns what the store counted since it was opened, and figures of all owners,
	// which may be some minutes old. Labels are words of the store itself. It leaves out what
	// it cannot find out before ctx ends.
	Metrics(ctx context.Context) []metric.Family
}

// Tracer is told of each transaction and each statement of a store when it begins. what is
// "transaction" or "statement", kind is one of the store's few words for such. The returned
// context is that of what begins. end is called once, with the name of the failure as
// [FailureName] returns it, or with "". Several goroutines call a Tracer.
type Tracer func(ctx context.Context, what, kind string) (_ context.Context, end func(failure string))

// FailureName returns the name of a store's failure for metrics and traces, "" for an error
// that is an answer, such as ErrNotFound, or that does not come from a store. The names of
// what is not a sentinel of this package are "canceled", when the caller gave up, and
// "internal".
func FailureName(err error) string {
	if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrExists) {
		return ""
	}
	for _, f := range failures() {
		if errors.Is(err, f.err) {
			return f.name
		}
	}
	if own, ok := errors.AsType[*memory.Error](err); ok && own.Kind == memory.Internal {
		return "internal"
	}
	return ""
}

type failure struct {
	err  error
	name string
}

// failures lists the failures that operators tell apart.
func failures() []failure {
	return []failure{
		{ErrUncertain, "uncertain"}, {ErrUnavailable, "unavailable"}, {ErrBusy, "busy"}, {ErrFull, "full"}, {ErrReadOnly, "read_only"},
		{ErrNewer, "newer"}, {ErrNotStore, "not_store"}, {ErrOperator, "operator"}, {ErrAltered, "altered"}, {ErrArriving, "arriving"},
		{ErrClosed, "closed"}, {context.Canceled, "canceled"}, {context.DeadlineExceeded, "canceled"},
	}
}
