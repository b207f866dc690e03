package engramhttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// diff sends what has changed (section 3.9). It is not signed.
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
		delta.NewConstraints = []engram.Constraint{} // so that they are told of, though there are none
	}
	body, err := echoed(engram.EncodeDelta(delta), spelled)
	if err != nil {
		return &memory.Error{Kind: memory.Internal, Op: "diff", Message: "the changes cannot be written", Err: err}
	}
	send(w, http.StatusOK, body)
	return nil
}

// echoed repeats since as the request spelled it (ENGRAM-3.9-DIFF-2).
func echoed(body []byte, since string) ([]byte, error) {
	v, err := canon.Parse(body, canon.Options{Bytes: int64(len(body)), Inexact: true})
	if err != nil || v.Get("since").Text() == since {
		return body, err
	}
	return v.With("since", canon.String(since)).Append(make([]byte, 0, len(body)+len(since))), nil
}
