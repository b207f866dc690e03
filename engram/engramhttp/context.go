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

// signed returns the caller's context. It repeats the last one while that says the same and
// is not about to expire, so issued_at does not reveal a change that the caller may not
// see. When several callers ask at once, one makes the context.
func (h *Handler) signed(ctx context.Context, c memory.Caller, q engram.Query) ([]byte, error) {
	issuer, err := h.options.Issuer()
	if err == nil && issuer.Sign == nil {
		err = &answer{status: http.StatusServiceUnavailable, detail: "the owner's key is not open here: contexts cannot be signed"}
	}
	if err != nil {
		return nil, err
	}
	k := keyOf(c, q)
	for waited := false; ; waited = true {
		state, _, err := h.backend.State(ctx, c)
		if err != nil {
			return nil, err
		}
		if document, ok := h.cache.find(k, fingerprint{state, issuer.Kid, issuer.Issuer}, h.options.Now()); ok {
			return document, nil
		}
		turn := h.cache.begin(k)
		if turn.wait == nil || waited {
			defer turn.end()
			return h.issue(ctx, c, q, issuer, turn)
		}
		select {
		case <-turn.wait:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// issue makes and signs a context, and keeps it.
func (h *Handler) issue(ctx context.Context, c memory.Caller, q engram.Query, issuer Issuer, t *turn) ([]byte, error) {
	view, err := h.backend.Context(ctx, c, q)
	if err != nil {
		return nil, err
	}
	if !h.options.Constraints {
		view.Constraints = nil
	}
	now := h.options.Now()
	document, err := issuer.Sign(view, now)
	if err != nil {
		return nil, &memory.Error{Kind: memory.Internal, Op: "context", Message: "the context cannot be signed", Err: err}
	}
	e := entry{document: document, good: now.Add(engram.DefaultLifetime - engram.DefaultLifetime/12)}
	if was, ok := h.cache.former(t.key, now); ok && engram.SameIssue(was.document, document) {
		e = was
	}
	e.mark, e.used, e.until = fingerprint{view.State, issuer.Kid, issuer.Issuer}, now, e.good
	if !view.Until.IsZero() && view.Until.Before(e.until) {
		e.until = view.Until
	}
	h.cache.keep(t, e)
	return e.document, nil
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
