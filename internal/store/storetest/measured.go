package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/store"
)

var measuredTests = []test{
	{"owners and their backlog are counted", measuredFigures},
	{"transactions are timed, and answers are no errors", measuredTransactions},
}

// metrics returns the values of the store's series by name and labels; those of a timing are
// how many there were.
func (p *place) metrics() map[string]float64 {
	p.t.Helper()
	measured, ok := p.store.(store.Measured)
	if !ok {
		p.t.Fatalf("%T does not measure itself", p.store)
	}
	values := map[string]float64{}
	for _, f := range measured.Metrics(p.t.Context()) {
		for _, s := range f.Samples {
			name := f.Name + " " + strings.Join(s.Labels, " ")
			if strings.Contains(name, "did:") || f.Help == "" || (f.Kind == metric.Timing) != (s.Durations != nil) {
				p.t.Errorf("%q: %+v", name, f)
			}
			values[strings.TrimSpace(name)] = s.Value
			if s.Durations != nil {
				for _, n := range s.Durations.Counts {
					values[strings.TrimSpace(name)] += float64(n)
				}
			}
		}
	}
	return values
}

func measuredFigures(p *place) {
	now := time.Now()
	p.schedule(ada, store.Tidy, now.Add(-time.Hour))
	p.schedule(bob, store.Tidy, now.Add(-time.Minute))
	p.schedule(bob, store.Index, now.Add(time.Hour))
	p.schedule(bob, store.Tell, now.Add(time.Hour))
	p.update(bob, func(w store.Writer) { // which hastens it
		value(w.Record(store.Change{At: birth, Type: store.Created, ID: id(1)}))(p.t)
	})
	got := p.metrics()
	for name, want := range map[string]float64{
		"satchel_store_owners": 2, "satchel_store_due_owners work tidy": 2, "satchel_store_due_owners work index": 0, "satchel_store_due_owners work tell": 1,
		"satchel_store_due_oldest_seconds work tell": 0, "satchel_store_due_oldest_seconds work index": 0,
	} {
		if value, there := got[name]; !there || value != want {
			p.t.Errorf("%s is %v (%v), want %v", name, value, there, want)
		}
	}
	if oldest := got["satchel_store_due_oldest_seconds work tidy"]; oldest < 3600 || oldest > 3700 {
		p.t.Errorf("the oldest work waits for %v s, want an hour", oldest)
	}
}

func measuredTransactions(p *place) {
	before := p.metrics()
	p.update(ada, func(store.Writer) {})
	for range 2 {
		must(p.t, p.store.View(p.t.Context(), ada, func(store.Reader) error { return nil }))
	}
	_ = p.store.View(p.t.Context(), ada, func(store.Reader) error { return store.ErrNotFound })
	_ = p.store.Update(p.t.Context(), ada, func(store.Writer) error { return errRefused })
	_ = p.store.Update(p.t.Context(), ada, func(store.Writer) error { return fmt.Errorf("held: %w", store.ErrBusy) })
	got := p.metrics()
	for name, want := range map[string]float64{
		"satchel_store_transaction_duration_seconds kind view": 3, "satchel_store_transaction_duration_seconds kind update": 3,
		"satchel_store_transaction_errors_total kind update error busy": 1,
	} {
		if got[name]-before[name] != want {
			p.t.Errorf("%s rose by %v, want %v", name, got[name]-before[name], want)
		}
	}
	for name, value := range got {
		if strings.Contains(name, "errors_total") && !strings.HasSuffix(name, "error busy") && value > 0 {
			p.t.Errorf("%s is %v", name, value)
		}
	}
	if got["satchel_store_connections_max"] < 1 || got["satchel_store_statement_duration_seconds kind commit"] < 1 {
		p.t.Errorf("%v", got)
	}
}
