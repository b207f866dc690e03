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

// handoff takes in a state that comes as a stream (section 8.3). Its token is verified
// before the second line is read, and what comes is kept nowhere until all of it has
// come and its checksum is right. The answer is one frame: the handoff_complete that
// came, once the state is kept, or a handoff_error.
func (h *Handler) handoff(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	landed, err := h.stream(w, r, c)
	if err != nil {
		w.Header().Set("Connection", "close") // what else there is of the body is nothing to be read
		return err
	}
	w.Header().Set("Location", StatePath+url.PathEscape(landed.StateID))
	done := canon.Object(member("type", string(handoff.Complete)), member("checksum", landed.Document.Get("provenance").Get("checksum").Text()))
	httpkit.Send(w, http.StatusOK, handoff.MediaType, append(done.Append(nil), '\n'))
	return nil
}

func (h *Handler) stream(w http.ResponseWriter, r *http.Request, c memory.Caller) (aaif.Landed, error) {
	if _, err := parametersOf(r); err != nil {
		return aaif.Landed{}, err
	}
	if _, err := mediaOf(r, handoff.MediaType); err != nil {
		return aaif.Landed{}, err
	}
	leave, err := h.place(r)
	if err != nil {
		return aaif.Landed{}, err
	}
	defer leave()
	total := h.options.MaxState + h.options.MaxState/2 // the frames take room themselves
	in := h.arriving(w, r, total)
	state, err := handoff.Receive(r.Context(), in, handoff.Options{
		Line: int(min(h.options.MaxState, 1<<20)), Total: total, Values: 200_000,
		Admit: func(b aaif.Binding, token string) error {
			err := h.backend.Admit(r.Context(), c, token, b)
			h.notLetIn(r, err)
			return err
		},
	})
	if broken := in.Broken(); broken != nil {
		return aaif.Landed{}, notWhole(broken, total)
	}
	if err != nil {
		return aaif.Landed{}, givenUp(err)
	}
	in.Rest()
	if c, err = h.again(r, c); err != nil {
		return aaif.Landed{}, err
	}
	landed, err := h.receive(r, c, state)
	landed.Document = state
	return landed, err
}

// givenUp makes of the other side's handoff_error an answer with its code, whatever
// status that would have if it were ours.
func givenUp(err error) error {
	if p, ok := errors.AsType[*handoff.PeerError](err); ok {
		return &answer{status: http.StatusUnprocessableEntity, code: p.Code, detail: "you gave the handoff up; nothing of it was kept", err: err}
	}
	return err
}
