package umphttp

import (
	"context"
	"net/http"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
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

// stay is how long the caller is welcome.
func (h *Handler) stay(r *http.Request, c memory.Caller) httpkit.Stay {
	return httpkit.Stay{
		End:   c.Grant.End(h.options.Now()),
		Over:  ump.TokenError(ump.ErrTokenExpired),
		Again: func(ctx context.Context) error { return h.again(r.WithContext(ctx), c) },
	}
}

// whileWelcome does something that takes its time, with a context that ends when
// the caller's credentials do, see [httpkit.Stay].
func (h *Handler) whileWelcome(r *http.Request, c memory.Caller, do func(context.Context) error) error {
	return h.stay(r, c).While(r.Context(), do)
}
