package engramhttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// diff sends the changes (section 3.9), unsigned.
func (h *Handler) diff(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.permit(r, c, memory.ReadVerb); err != nil {
		return err
	}
	p, err := parametersOf(r, "since", "scope", "categories")
	if err != nil {
		return err
	}
	q, err := h.partOf(p)
	if err != nil {
		return err
	}
	since, spelled, err := sinceOf(p)
	if err != nil {
		return err
	}
	delta, err := h.backend.Diff(r.Context(), c, q, since)
	if err != nil {
		return unknownUser(err)
	}
	if !h.options.Constraints {
		delta.NewConstraints, delta.DeletedConstraints = nil, nil
	} else if delta.NewConstraints == nil {
		delta.NewConstraints = []engram.Constraint{} // an empty list shows that constraints are offered
	}
	body, err := withSince(engram.EncodeDelta(delta), spelled)
	if err != nil {
		return &memory.Error{Kind: memory.Internal, Op: "diff", Message: "the changes cannot be written", Err: err}
	}
	send(w, http.StatusOK, body)
	return nil
}

// withSince repeats since in the request's spelling (ENGRAM-3.9-DIFF-2).
func withSince(body []byte, since string) ([]byte, error) {
	v, err := canon.Parse(body, canon.Options{Bytes: int64(len(body)), Inexact: true})
	if err != nil || v.Get("since").Text() == since {
		return body, err
	}
	return v.With("since", canon.String(since)).Append(make([]byte, 0, len(body)+len(since))), nil
}
