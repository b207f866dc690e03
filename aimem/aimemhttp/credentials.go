package aimemhttp

import (
	"context"
	"net/http"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// recheck fails unless the request still authenticates as the same caller.
func (h *Handler) recheck(r *http.Request, c memory.Caller) error {
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

// whileValid runs do with a context that ends when the caller's credentials end, see
// [httpkit.Stay].
func (h *Handler) whileValid(r *http.Request, c memory.Caller, do func(context.Context) error) error {
	stay := httpkit.Stay{
		End:   c.Grant.End(h.options.Now()),
		Over:  &memory.Error{Kind: memory.Unauthorized, Message: "the token has expired; ask the owner for another"},
		Again: func(ctx context.Context) error { return h.recheck(r.WithContext(ctx), c) },
	}
	return stay.While(r.Context(), do)
}
