package aaifhttp

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// handoff receives a state as a stream (section 8.3). It verifies the token before it
// reads the second line. It keeps nothing until the whole state has arrived with a
// correct checksum. The answer is one frame: the received handoff_complete once the state
// is kept, or a handoff_error.
func (h *Handler) handoff(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	landed, err := h.stream(w, r, c)
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body must not be read
		return err
	}
	w.Header().Set("Location", StatePath+url.PathEscape(landed.StateID))
	done := canon.Object(member("type", string(handoff.Complete)), member("checksum", landed.Document.Get("provenance").Get("checksum").Text()))
	httpkit.Send(w, http.StatusOK, handoff.MediaType, append(done.Append(nil), '\n'))
	h.confirm(w, r, c, landed.StateID)
	return nil
}

func (h *Handler) stream(w http.ResponseWriter, r *http.Request, c memory.Caller) (aaif.KeptState, error) {
	if _, err := parametersOf(r); err != nil {
		return aaif.KeptState{}, err
	}
	if _, err := mediaOf(r, handoff.MediaType); err != nil {
		return aaif.KeptState{}, err
	}
	leave, err := h.place(r)
	if err != nil {
		return aaif.KeptState{}, err
	}
	defer leave()
	total := h.options.MaxState + h.options.MaxState/2 // frames take additional room
	in := h.limitedBody(w, r, total)
	state, err := handoff.Receive(r.Context(), in, handoff.Options{
		Line: int(min(h.options.MaxState, 1<<20)), Total: total, Values: 200_000,
		Admit: func(b aaif.Binding, token string) error {
			err := h.backend.Admit(r.Context(), c, token, b)
			h.logRefusal(r, err)
			return err
		},
	})
	if broken := in.Broken(); broken != nil {
		return aaif.KeptState{}, bodyError(broken, total)
	}
	if err != nil {
		return aaif.KeptState{}, peerError(err)
	}
	in.Rest()
	if c, err = h.recheckCaller(r, c); err != nil {
		return aaif.KeptState{}, err
	}
	landed, err := h.receive(r, c, state)
	landed.Document = state
	return landed, err
}

// peerError turns the other side's handoff_error into an answer with its code, whatever
// status that code has for errors of this side.
func peerError(err error) error {
	if p, ok := errors.AsType[*handoff.PeerError](err); ok {
		return &answer{status: http.StatusUnprocessableEntity, code: p.Code, detail: "you gave the handoff up; nothing of it was kept", err: err}
	}
	return err
}
