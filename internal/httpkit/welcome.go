package httpkit

import (
	"context"
	"time"
)

const (
	// Trusted is how long credentials that were found good are relied on.
	Trusted = time.Second
	// patience is how long it may take to look at them again.
	patience = 10 * time.Second
)

// Stay is how long a caller who was let in is welcome.
type Stay struct {
	End  time.Time // when its credentials end by themselves; zero: never
	Over error     // the cause of what ends then
	// Again looks at the credentials. It fails when the caller would not be let in now
	// as it was at the beginning, or when that cannot be told.
	Again func(context.Context) error
}

// Until returns a context that ends at s.End, with s.Over as its cause.
func (s Stay) Until(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.End.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, s.End, s.Over)
}

// While does something that takes its time, with a context that ends when the
// caller's credentials do, or can no longer be looked at; its cause says why. Where
// that is so already, While fails with it and does nothing. The credentials are
// looked at beside it: who does it may hold a part of the store.
func (s Stay) While(ctx context.Context, do func(context.Context) error) error {
	ctx, done := s.Until(ctx)
	defer done()
	ctx, cancel := context.WithCancelCause(ctx)
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		s.look(ctx, cancel)
	}()
	defer func() {
		cancel(nil)
		<-looked
	}()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return do(ctx)
}

// look looks at the credentials again and again, and cancels when they have ended.
func (s Stay) look(ctx context.Context, cancel context.CancelCauseFunc) {
	for {
		pause, awake := context.WithTimeout(ctx, Trusted)
		<-pause.Done()
		awake()
		if ctx.Err() != nil {
			return
		}
		soon, done := context.WithTimeout(ctx, patience)
		err := s.Again(soon)
		done()
		if err != nil {
			cancel(err)
			return
		}
	}
}
