package aimemhttp

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

const (
	// trusted is how long credentials that were found good are relied on.
	trusted = time.Second
	// lookTime is how long it may take to look at them again.
	lookTime = 10 * time.Second
)

// again fails when the caller would not be let in now as it was at the beginning.
func (h *Handler) again(r *http.Request, c memory.Caller) error {
	now, err := h.options.Authenticate(r)
	if err == nil && (now.Owner != c.Owner || now.Role != c.Role || idOf(now.Grant) != idOf(c.Grant)) {
		err = &memory.Error{Kind: memory.Unauthorized, Message: "the token is no longer what it was; send the request again"}
	}
	return err
}

func idOf(g *memory.Grant) string {
	if g == nil {
		return ""
	}
	return g.ID
}

// granted returns a context that ends with the caller's grant.
func (h *Handler) granted(ctx context.Context, c memory.Caller) (context.Context, context.CancelFunc) {
	end := c.Grant.End(h.options.Now())
	if end.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, end, &memory.Error{Kind: memory.Unauthorized, Message: "the token has expired; ask the owner for another"})
}

// whileWelcome does something that takes its time, with a context that ends when
// the caller's credentials do, or can no longer be looked at; its cause says why.
func (h *Handler) whileWelcome(r *http.Request, c memory.Caller, do func(context.Context) error) error {
	ctx, done := h.granted(r.Context(), c)
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
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
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
		soon, done := context.WithTimeout(ctx, lookTime)
		err := h.again(r.WithContext(soon), c)
		done()
		if err != nil {
			cancel(err)
			return
		}
	}
}
