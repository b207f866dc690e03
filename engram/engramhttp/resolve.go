package engramhttp

import (
	"net/http"
	"net/url"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// corrections lists corrections to the owner, oldest first (decision E-11).
func (h *Handler) corrections(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	p, err := h.forOwner(r, c, "decides on corrections", "status")
	if err != nil {
		return err
	}
	waiting, err := onlyWaiting(p)
	if err != nil {
		return err
	}
	cases, err := h.decides.Corrections(r.Context(), c, waiting)
	if err != nil {
		return unknownUser(err)
	}
	sendList(w, "corrections", cases, caseOf)
	return nil
}

// onlyWaiting reads whether the caller wants only what waits for the owner.
func onlyWaiting(p url.Values) (bool, error) {
	switch status := p["status"]; {
	case len(status) == 0:
		return false, nil
	case len(status) == 1 && (status[0] == "pending" || status[0] == string(engram.Pending)):
		return true, nil
	}
	return false, invalid("ENGRAM-3.9-CORR-9", "status is pending, or is left out")
}

// caseOf returns a correction as the owner sees it: as in a context, with its belief.
func caseOf(x engram.Case) canon.Value {
	v := x.Correction.Wire().With("key", canon.String(x.Key)).With("category", canon.String(string(x.Category))).With("current_value", canon.String(x.Now))
	if x.Context != "" {
		v = v.With("context", canon.String(x.Context))
	}
	return v
}

// maxNote is the most bytes of an owner's note on a decision.
const maxNote = 4 << 10

// decide confirms or rejects a correction.
func decide(confirm bool) func(*Handler, http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(h *Handler, w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		if _, err := h.forOwner(r, c, "decides on corrections"); err != nil {
			return err
		}
		body, err := h.bodyOf(r, false)
		if err != nil {
			return err
		}
		note, err := text(body, "note", maxNote, false, "ENGRAM-3.6-9")
		if err != nil {
			return err
		}
		done, err := h.decides.Resolve(r.Context(), c, r.PathValue("id"), confirm, note)
		if err != nil {
			return unknownCorrection(err)
		}
		send(w, http.StatusOK, caseOf(done).Append(nil))
		return nil
	}
}

// unknownCorrection says that there is no such correction.
func unknownCorrection(err error) error {
	if memory.KindOf(err) == memory.NotFound {
		return &answer{status: http.StatusNotFound, detail: "no correction with this id waits for the owner; GET " + correctionsPath + " lists them"}
	}
	return err
}
