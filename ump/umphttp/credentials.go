package umphttp

import (
	"context"
	"net/http"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// recheck fails unless the request still authenticates as the same caller: the token
// may have expired or been revoked (UMP-5.2-8).
func (h *Handler) recheck(r *http.Request, c memory.Caller) error {
	if r.Header.Get("Authorization") == "" {
		return nil // a stranger has no credentials that could end
	}
	now, err := h.options.Authenticate(r)
	if err == nil && holderOf(now) != holderOf(c) {
		err = &memory.Error{Kind: memory.Unauthorized, Rule: "UMP-5.2-8", Message: "the token is no longer what it was; send the request again"}
	}
	return err
}

// stay returns how long the caller's credentials are valid.
func (h *Handler) stay(r *http.Request, c memory.Caller) httpkit.Stay {
	return httpkit.Stay{
		End:   c.Grant.End(h.options.Now()),
		Over:  ump.TokenError(ump.ErrTokenExpired),
		Again: func(ctx context.Context) error { return h.recheck(r.WithContext(ctx), c) },
	}
}

// whileValid runs do with a context that ends when the caller's credentials end, see
// [httpkit.Stay].
func (h *Handler) whileValid(r *http.Request, c memory.Caller, do func(context.Context) error) error {
	return h.stay(r, c).While(r.Context(), do)
}
