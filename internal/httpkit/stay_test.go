package httpkit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

var (
	errOver    = errors.New("over")
	errRevoked = errors.New("revoked")
)

// endless runs until its context ends, and returns the cause.
func endless(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestWhile(t *testing.T) {
	asIs := func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }
	for _, test := range []struct {
		name  string
		end   time.Duration // 0: never
		again func(looks int, ctx context.Context) error
		ctx   func(context.Context) (context.Context, context.CancelFunc)
		do    func(context.Context) error
		want  error
		took  time.Duration
	}{
		{name: "what is done in time", do: func(context.Context) error { time.Sleep(5500 * time.Millisecond); return nil }, took: 5500 * time.Millisecond},
		{name: "what fails", do: func(context.Context) error { return errors.ErrUnsupported }, want: errors.ErrUnsupported},
		{name: "credentials that end", end: 4500 * time.Millisecond, do: endless, want: errOver, took: 4500 * time.Millisecond},
		{name: "credentials that have ended", end: -time.Second, do: func(context.Context) error { return errors.New("done nevertheless") }, want: errOver},
		{name: "credentials that are taken back", do: endless, want: errRevoked, took: 3 * time.Second, again: func(looks int, _ context.Context) error {
			if looks == 3 {
				return errRevoked
			}
			return nil
		}},
		{name: "credentials that cannot be looked at", do: endless, want: context.DeadlineExceeded, took: 11 * time.Second, again: func(_ int, ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}},
		{name: "a caller who is gone", do: endless, want: context.DeadlineExceeded, took: 1500 * time.Millisecond, ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 1500*time.Millisecond)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				looks := 0
				stay := httpkit.Stay{Over: errOver, Again: func(ctx context.Context) error {
					looks++
					if test.again == nil {
						return nil
					}
					return test.again(looks, ctx)
				}}
				began := time.Now()
				if test.end != 0 {
					stay.End = began.Add(test.end)
				}
				if test.ctx == nil {
					test.ctx = asIs
				}
				ctx, done := test.ctx(t.Context())
				defer done()
				err := stay.While(ctx, test.do)
				if took := time.Since(began); !errors.Is(err, test.want) || took != test.took {
					t.Errorf("got %v after %v; want %v after %v", err, took, test.want, test.took)
				}
			})
		})
	}
}
