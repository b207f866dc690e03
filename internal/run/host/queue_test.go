package host_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// stopsAt executes the run until an event is written, and lets the program end a little later.
func (p *place) stopsAt(is func(run.Event) bool) {
	p.T.Helper()
	ctx, stop := context.WithCancel(p.Ctx)
	defer stop()
	p.options.OnEvent = func(_ string, e run.Event) {
		if is(e) {
			time.AfterFunc(50*time.Millisecond, stop)
		}
	}
	p.Host = host.New(p.options)
	if r, err := p.Continue(ctx, p.Me(), runID, run.ContinueOptions{}); !errors.Is(err, context.Canceled) {
		p.T.Fatalf("it does not wait: %s, %v", r.Status, err)
	}
	p.options.OnEvent = nil
	p.Host = host.New(p.options) // another program, which has called nobody yet
}

// TestStoppedWhileItWaits ends a program while a call or a model waits for its turn.
func TestStoppedWhileItWaits(t *testing.T) {
	t.Parallel()
	t.Run("AAIF-4.4-27 AAIF-8.1-16 a call that waits for its turn was not made", func(t *testing.T) {
		t.Parallel()
		p := open(t, vaulttest.Open(t), script(asks("pay", "pay"), model.Step{Answer: "Done."})...)
		p.define(usual, `{"name":"pay","description":"Pays.","protocol":"http","endpoint":"`+p.toolsAt+`/call/pay","timeout_seconds":70,"rate_limit":{"requests_per_minute":1},"parameters_schema":{"type":"object"}}`)
		p.start()
		p.stopsAt(func(e run.Event) bool { return e.Kind == run.Returned })
		r := p.goOn()
		counts := p.tools.Counts()["pay"]
		if r.Output != "Done." || counts.Writes != 2 || len(counts.Keys) != 2 {
			t.Errorf("got %s %q, %+v; %+v", r.Status, r.Output, r.Err, counts)
		}
		for _, m := range r.Messages {
			if strings.Contains(m.Content, string(aaif.OutcomeUnknown)) {
				t.Errorf("the model is told %s", m.Content)
			}
		}
	})
	t.Run("AAIF-4.2-4 a model that wants to be left alone is left alone", func(t *testing.T) {
		t.Parallel()
		p := open(t, vaulttest.Open(t), model.Step{Status: 429, RetryAfter: "1", Times: 1}, model.Step{Answer: "Done."})
		p.define(usual, "", `"runtime":{"max_retries":2}`)
		p.start()
		p.stopsAt(func(e run.Event) bool { return e.Kind == run.Passed })
		began := time.Now()
		r := p.goOn()
		i := slices.IndexFunc(p.events(), func(e run.Event) bool { return e.Kind == run.Passed })
		if passed := p.events()[i]; passed.Code != string(route.RateLimited) || passed.Until.Before(began) {
			t.Errorf("the journal says %+v", passed)
		}
		if took := time.Since(began); r.Output != "Done." || len(p.asked()) != 2 || took < 500*time.Millisecond {
			t.Errorf("got %s %q after %s and %d requests", r.Status, r.Output, took, len(p.asked()))
		}
	})
}
