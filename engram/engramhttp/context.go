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

// unknownUser says of whom nothing is kept here that the user is not found
// (ENGRAM-3.9-ERR-5).
func unknownUser(err error) error {
	if memory.KindOf(err) == memory.NotFound {
		return &engram.Fault{Code: engram.UserNotFound, Rule: "ENGRAM-3.9-ERR-5", Detail: "there is no memory of this user here"}
	}
	return err
}

// signed returns the context that a caller asks for: that which was made last, for
// as long as it would say the same again, and is good for a while yet. So nobody can
// tell by issued_at that something changed which they may not see. Of several who ask at
// once, one makes it.
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
		if document, ok := h.cache.find(k, mark{state, issuer.Kid, issuer.Issuer}, h.options.Now()); ok {
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
	e := kept{document: document, good: now.Add(engram.DefaultLifetime - engram.DefaultLifetime/12)}
	if was, ok := h.cache.former(t.key, now); ok && engram.SameIssue(was.document, document) {
		e = was
	}
	e.mark, e.used, e.until = mark{view.State, issuer.Kid, issuer.Issuer}, now, e.good
	if !view.Until.IsZero() && view.Until.Before(e.until) {
		e.until = view.Until
	}
	h.cache.keep(t, e)
	return e.document, nil
}

// keyOf names what a caller asks for: who may have the same asks for the same. A
// token has contexts of its own, which say to whom they were issued.
func keyOf(c memory.Caller, q engram.Query) key {
	token := ""
	if c.Grant != nil {
		token = c.Grant.ID
	}
	return key{c.Owner, fmt.Sprintf("%d %q", c.Role, token), fmt.Sprintf("%q %q %v", q.Scope, q.Categories, q.NoPending)}
}

// Forget drops what is kept of an owner's, as after everything of that owner was
// erased. What is being made then is not kept either.
func (h *Handler) Forget(owner memory.DID) { h.cache.forget(owner) }

// Sweep drops contexts that are out of date, or that nobody has asked for in a while.
// It is to be called now and then.
func (h *Handler) Sweep() { h.cache.sweep(h.options.Now()) }

// Kept returns how many contexts are kept, and how many bytes they are.
func (h *Handler) Kept() (documents int, bytes int64) { return h.cache.size() }
