package umphttp

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

const (
	// trusted is how long credentials that were found good are relied on.
	trusted = time.Second
	// patience is how long it may take to look at them again.
	patience = 10 * time.Second
)

// again fails when the caller would not be let in now as it was at the beginning:
// its token may have expired or been revoked (UMP-5.2-8).
func (h *Handler) again(r *http.Request, c memory.Caller) error {
	if r.Header.Get("Authorization") == "" {
		return nil // a stranger, who stays one
	}
	now, err := h.options.Authenticate(r)
	if err == nil && holderOf(now) != holderOf(c) {
		err = &memory.Error{Kind: memory.Unauthorized, Rule: "UMP-5.2-8", Message: "the token is no longer what it was; send the request again"}
	}
	return err
}

// granted returns a context that ends with the caller's grant. It fails when that
// is over.
func (h *Handler) granted(ctx context.Context, c memory.Caller) (context.Context, context.CancelFunc, error) {
	end := c.Grant.End(h.options.Now())
	if end.IsZero() {
		ctx, done := context.WithCancel(ctx)
		return ctx, done, nil
	}
	over := ump.TokenError(ump.ErrTokenExpired)
	ctx, done := context.WithDeadlineCause(ctx, end, over)
	if context.Cause(ctx) == over {
		done()
		return nil, nil, over
	}
	return ctx, done, nil
}

// whileWelcome does something that takes its time, with a context that ends when
// the caller's credentials do, or can no longer be looked at; its cause says why.
// They are looked at beside it: who does it may hold a part of the store.
func (h *Handler) whileWelcome(r *http.Request, c memory.Caller, do func(context.Context) error) error {
	ctx, done, err := h.granted(r.Context(), c)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithCancelCause(ctx)
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		h.look(ctx, cancel, r, c)
	}()
	defer func() {
		cancel(nil)
		<-looked
	}()
	return do(ctx)
}

// look looks at credentials again and again, and cancels when they have ended.
func (h *Handler) look(ctx context.Context, cancel context.CancelCauseFunc, r *http.Request, c memory.Caller) {
	for {
		pause, awake := context.WithTimeout(ctx, trusted)
		<-pause.Done()
		awake()
		if ctx.Err() != nil {
			return
		}
		soon, done := context.WithTimeout(ctx, patience)
		err := h.again(r.WithContext(soon), c)
		done()
		if err != nil {
			cancel(err)
			return
		}
	}
}
