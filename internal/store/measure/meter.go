// Package measure counts and times what a store does, for its operator. Both stores use it,
// so that the same numbers mean the same.
package measure

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/store"
)

// The two sorts of what a store does: a transaction is a whole View or Update, with the time
// of the caller's function and of waiting; a statement is one trip to the database.
const (
	transaction = "transaction"
	statement   = "statement"
)

// Kinds of transactions.
const (
	View   = "view"
	Update = "update"
)

// Meter measures transactions and statements. It is safe for concurrent use.
type Meter struct {
	trace store.Tracer // nil: nobody traces

	mu    sync.Mutex
	kinds map[key]*metric.Histogram
	wrong map[failed]uint64
}

type key struct{ what, kind string }

type failed struct {
	key
	failure string
}

// NewMeter returns a meter that tells trace of everything; nil: nobody.
func NewMeter(trace store.Tracer) *Meter {
	return &Meter{trace: trace, kinds: map[key]*metric.Histogram{}, wrong: map[failed]uint64{}}
}

// Call is a transaction or statement under way. The zero Call measures nothing.
type Call struct {
	meter *Meter
	key   key
	began time.Time
	end   func(failure string) // tells the tracer; nil: there is none
}

// Transaction begins the measurement of a transaction, in whose context its function runs.
func (m *Meter) Transaction(ctx context.Context, kind string) (context.Context, Call) {
	return m.begin(ctx, key{transaction, kind})
}

// Statement begins the measurement of a trip to the database. kind is a constant of the
// store.
func (m *Meter) Statement(ctx context.Context, kind string) (context.Context, Call) {
	return m.begin(ctx, key{statement, kind})
}

func (m *Meter) begin(ctx context.Context, k key) (context.Context, Call) {
	c := Call{meter: m, key: k, began: time.Now()}
	if m.trace != nil {
		ctx, c.end = m.trace(ctx, k.what, k.kind)
	}
	return ctx, c
}

// End ends the measurement with the error that the store returns for it. Any error of a
// statement is a failure; a transaction may also end with an error of the caller's function,
// which is none.
func (c Call) End(err error) {
	if c.meter == nil {
		return
	}
	failure := store.FailureName(err)
	if failure == "" && err != nil && c.key.what == statement {
		failure = "internal"
	}
	c.meter.count(c.key, time.Since(c.began), failure)
	if c.end != nil {
		c.end(failure)
	}
}

func (m *Meter) count(k key, took time.Duration, failure string) {
	m.mu.Lock()
	h := m.kinds[k]
	if h == nil {
		h = metric.NewHistogram(bounds())
		m.kinds[k] = h
	}
	if failure != "" {
		m.wrong[failed{k, failure}]++
	}
	m.mu.Unlock()
	h.Observe(took)
}

// bounds are finer than those of requests: an embedded store answers within microseconds.
func bounds() []time.Duration {
	return []time.Duration{
		100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond,
		5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond,
		250 * time.Millisecond, time.Second, 2500 * time.Millisecond, 10 * time.Second,
	}
}

// Families returns what was measured so far.
func (m *Meter) Families() []metric.Family {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Concat(
		m.families(transaction, "How long Views and Updates of the store took as a whole, waiting and the work between statements included, by kind.",
			"Views and Updates that the store failed, by kind and by the kind of error."),
		m.families(statement, "How long trips to the database took, by kind.", "Trips to the database that failed, by kind and by the kind of error."))
}

func (m *Meter) families(what, took, wrong string) []metric.Family {
	durations := metric.Family{Name: "satchel_store_" + what + "_duration_seconds", Kind: metric.Timing, Help: took}
	for _, k := range slices.SortedFunc(maps.Keys(m.kinds), key.compare) {
		if k.what == what {
			durations.AddDurations(m.kinds[k], "kind", k.kind)
		}
	}
	errors := metric.Family{Name: "satchel_store_" + what + "_errors_total", Kind: metric.Counter, Help: wrong}
	byName := func(a, b failed) int { return cmp.Or(a.key.compare(b.key), cmp.Compare(a.failure, b.failure)) }
	for _, f := range slices.SortedFunc(maps.Keys(m.wrong), byName) {
		if f.what == what {
			errors.Add(float64(m.wrong[f]), "kind", f.kind, "error", f.failure)
		}
	}
	return []metric.Family{durations, errors}
}

func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.what, other.what), cmp.Compare(k.kind, other.kind))
}
