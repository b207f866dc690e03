package measure

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/store"
)

// values returns the values of families by name and labels.
func values(families []metric.Family) map[string]float64 {
	out := map[string]float64{}
	for _, f := range families {
		for _, s := range f.Samples {
			out[strings.TrimSpace(f.Name+" "+strings.Join(s.Labels, " "))] = s.Value
		}
	}
	return out
}

func TestTrace(t *testing.T) {
	var mu sync.Mutex
	var said []string
	type inside struct{}
	m := NewMeter(func(ctx context.Context, what, kind string) (context.Context, func(string)) {
		return context.WithValue(ctx, inside{}, true), func(failure string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, fmt.Sprintf("%s %s %q", what, kind, failure))
		}
	})
	ctx, update := m.Transaction(t.Context(), Update)
	if ctx.Value(inside{}) == nil {
		t.Error("statements run in the tracer's context")
	}
	_, read := m.Statement(ctx, "read")
	read.End(fmt.Errorf("held: %w", store.ErrBusy))
	_, write := m.Statement(ctx, "write")
	write.End(errors.New("what nobody translated"))
	update.End(errors.New("the caller's own"))
	_, view := m.Transaction(t.Context(), View)
	view.End(context.Canceled)
	Call{}.End(nil)
	want := `statement read "busy"|statement write "internal"|transaction update ""|transaction view "canceled"`
	if got := strings.Join(said, "|"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got := values(m.Families())
	for name, want := range map[string]float64{
		"satchel_store_statement_errors_total kind read error busy":        1,
		"satchel_store_statement_errors_total kind write error internal":   1,
		"satchel_store_transaction_errors_total kind view error canceled":  1,
		"satchel_store_transaction_errors_total kind update error ":        0,
		"satchel_store_transaction_errors_total kind update error unknown": 0,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// A survey is taken rarely, by one at a time, and nobody waits long for it.
func TestSurvey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken atomic.Int64
		var err error
		slow := 2 * time.Second
		s := NewSurvey(func(context.Context) (Figures, error) {
			n := taken.Add(1)
			time.Sleep(slow)
			return Figures{Owners: n}, err
		})
		ask := func(patience time.Duration) float64 {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			owners, there := values(s.Families(ctx))["satchel_store_owners"]
			if !there {
				return -1
			}
			return owners
		}
		expect := func(got, want float64, times int64) {
			t.Helper()
			if n := taken.Load(); got != want || n != times {
				t.Errorf("%v owners after %d surveys, want %v after %d", got, n, want, times)
			}
		}
		expect(ask(time.Second), -1, 1) // which goes on
		time.Sleep(10 * time.Second)
		expect(ask(time.Second), 1, 1)
		time.Sleep(2 * time.Minute)
		expect(ask(time.Minute), 1, 1) // it took two seconds: it is kept for 200
		time.Sleep(2 * time.Minute)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { expect(ask(time.Minute), 2, 2) })
		}
		all.Wait()
		err, slow = errors.New("away"), 0
		time.Sleep(time.Hour)
		expect(ask(time.Minute), -1, 3)
	})
}
