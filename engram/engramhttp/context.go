package engramhttp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// context sends the signed context (section 3.9).
func (h *Handler) context(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.permit(r, c, memory.ReadVerb); err != nil {
		return err
	}
	p, err := parametersOf(r, "scope", "categories")
	if err != nil {
		return err
	}
	q, err := h.partOf(p)
	if err != nil {
		return err
	}
	document, err := h.signed(r.Context(), c, q)
	if err != nil {
		return unknownUser(err)
	}
	send(w, http.StatusOK, document)
	return nil
}

// unknownUser turns the error of an unknown owner into "user not found" (ENGRAM-3.9-ERR-5).
func unknownUser(err error) error {
	if memory.KindOf(err) == memory.NotFound {
		return &engram.Fault{Code: engram.UserNotFound, Rule: "ENGRAM-3.9-ERR-5", Detail: "there is no memory of this user here"}
	}
	return err
}

// signed returns the caller's context, issued now (ENGRAM-3.9-CTX-4), so issued_at does not
// reveal a change that the caller may not see. When several callers ask at once, one reads
// the memory.
func (h *Handler) signed(ctx context.Context, c memory.Caller, q engram.Query) ([]byte, error) {
	issuer, err := h.options.Issuer()
	if err == nil && issuer.Key.IsZero() {
		err = &answer{status: http.StatusServiceUnavailable, detail: "the owner's key is not open here: contexts cannot be signed"}
	}
	if err != nil {
		return nil, err
	}
	payload, err := h.payload(ctx, c, q, issuer.Signer)
	if err != nil {
		return nil, err
	}
	return issuer.Sign(payload, h.options.Now()), nil
}

// payload returns what the caller's context says, from the cache while nothing changes.
func (h *Handler) payload(ctx context.Context, c memory.Caller, q engram.Query, s engram.Signer) (engram.Payload, error) {
	k := keyOf(c, q)
	for waited := false; ; waited = true {
		state, _, err := h.backend.State(ctx, c)
		if err != nil {
			return engram.Payload{}, err
		}
		if found, ok := h.cache.find(k, fingerprint{state, s.Kid, s.Issuer}, h.options.Now()); ok {
			return found, nil
		}
		turn := h.cache.begin(k)
		if turn.wait == nil || waited {
			defer turn.end()
			return h.write(ctx, c, q, s, turn)
		}
		select {
		case <-turn.wait:
		case <-ctx.Done():
			return engram.Payload{}, context.Cause(ctx)
		}
	}
}

// write reads the memory, writes a context of it, and keeps that.
func (h *Handler) write(ctx context.Context, c memory.Caller, q engram.Query, s engram.Signer, t *turn) (engram.Payload, error) {
	view, err := h.backend.Context(ctx, c, q)
	if err != nil {
		return engram.Payload{}, err
	}
	if !h.options.Constraints {
		view.Constraints = nil
	}
	payload, err := s.Payload(view)
	if err != nil {
		return engram.Payload{}, &memory.Error{Kind: memory.Internal, Op: "context", Message: "the context cannot be signed", Err: err}
	}
	h.cache.keep(t, entry{payload: payload, mark: fingerprint{view.State, s.Kid, s.Issuer}, until: view.Until, used: h.options.Now()})
	return payload, nil
}

// keyOf identifies the caller's context: callers with the same rights share it. A token has
// its own contexts, which name the runtime they were issued to.
func keyOf(c memory.Caller, q engram.Query) key {
	token := ""
	if c.Grant != nil {
		token = c.Grant.ID
	}
	return key{c.Owner, fmt.Sprintf("%d %q", c.Role, token), fmt.Sprintf("%q %q %v", q.Scope, q.Categories, q.NoPending)}
}

// Forget drops the cached contexts of an owner, for instance after an erasure. Contexts
// being made are not cached either.
func (h *Handler) Forget(owner memory.DID) { h.cache.forget(owner) }

// Sweep drops contexts that are out of date or unused for a while. Call it now and then.
func (h *Handler) Sweep() { h.cache.sweep(h.options.Now()) }

// Kept returns how many contexts the cache holds, and their bytes.
func (h *Handler) Kept() (documents int, bytes int64) { return h.cache.size() }
