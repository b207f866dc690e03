package httpkit

import (
	"context"
	"time"
)

const (
	// Trusted is how long a successful check of credentials counts.
	Trusted = time.Second
	// patience bounds a new check of credentials.
	patience = 10 * time.Second
)

// Stay is how long a request may run after its caller was let in.
type Stay struct {
	End  time.Time // when the credentials expire; zero: never
	Over error     // the cause of the context's end then
	// Again checks the credentials again. It fails if the caller would not be let in now as
	// at the beginning, or if the check is impossible.
	Again func(context.Context) error
}

// Until returns a context that ends at s.End, with s.Over as its cause.
func (s Stay) Until(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.End.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, s.End, s.Over)
}

// While runs do, which may take long, with a context that ends when the caller's
// credentials end or can no longer be checked; its cause says why. If that is so already,
// While fails with the cause and does not run do. The checks run beside do, since do may
// hold a part of the store.
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

// look checks the credentials again and again, and cancels when they have ended.
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
