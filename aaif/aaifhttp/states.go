package aaifhttp

import (
	"net/http"
	"net/url"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// land takes in a state that comes as one document (section 8.2). Its migration token
// lets it in, once: a sender that lost the answer and sends it again is told
// TOKEN_REPLAYED, and so knows that the state is here.
func (h *Handler) land(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if _, err := parametersOf(r); err != nil {
		return err
	}
	leave, err := h.place(r)
	if err != nil {
		return err
	}
	defer leave()
	raw, err := h.documentOf(w, r, h.options.MaxState)
	if err != nil {
		return err
	}
	if c, err = h.again(r, c); err != nil {
		return err
	}
	d, err := aaif.Read(raw, aaif.ReadOptions{Bytes: h.options.MaxState})
	if err != nil {
		return err
	}
	if d.Kind != aaif.StateKind {
		return &aaif.Fault{Code: aaif.UnknownType, Text: "not a state, which is what is taken in here"}
	}
	landed, err := h.receive(r, c, d.Value)
	if err != nil {
		return err
	}
	w.Header().Set("Location", StatePath+url.PathEscape(landed.StateID))
	send(w, http.StatusCreated, landedValue(landed))
	return nil
}

// receive hands a whole state on, and tells of one that its token does not let in.
func (h *Handler) receive(r *http.Request, c memory.Caller, state canon.Value) (aaif.Landed, error) {
	landed, err := h.backend.Receive(r.Context(), c, state)
	h.notLetIn(r, err)
	return landed, err
}

// notLetIn tells of a state that its token, which is a good one, does not let in. A 401
// tells of itself.
func (h *Handler) notLetIn(r *http.Request, err error) {
	switch aaif.CodeOf(err) {
	case aaif.TokenBinding, aaif.TokenAudience, aaif.TokenReplayed:
		h.options.Refused(r, memory.ForbiddenScope)
	}
}

// place finds a place for a state that comes.
func (h *Handler) place(r *http.Request) (leave func(), err error) {
	leave, ok := h.options.Landing(r)
	if !ok {
		return nil, &answer{status: http.StatusTooManyRequests, code: rateLimited, header: http.Header{"Retry-After": {"5"}, "Connection": {"close"}},
			detail: "other states are coming in; wait as long as Retry-After says"}
	}
	return leave, nil
}

// states lists the checkpoints that are here, a page at a time, the newest first, of one
// agent if the query says so. What a list says holds nothing of what the states are about.
func (h *Handler) states(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.owned(r, c); err != nil {
		return err
	}
	p, err := parametersOf(r, "agent_id", "after", "limit")
	if err != nil {
		return err
	}
	limit, err := p.number("limit", 1, mostItems, manyItems)
	if err != nil {
		return err
	}
	after, err := p.place("after")
	if err != nil {
		return err
	}
	landed, err := h.backend.States(r.Context(), c, p.text("agent_id"), after, limit+1)
	if err != nil {
		return err
	}
	landed, more := pageOf(landed, limit)
	next := ""
	if more {
		next = nextPage(StatesPath, p, placed(landed[limit-1].Place()))
	}
	items := make([]canon.Value, len(landed))
	for i, l := range landed {
		items[i] = landedValue(l)
	}
	send(w, http.StatusOK, canon.Object(canon.Member{Name: "states", Value: canon.Array(items...)}, optional("next", next)))
	return nil
}

// state gives a checkpoint away as it came, over TLS only (AAIF-12-11).
func (h *Handler) state(id string) task {
	return func(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		if err := h.owned(r, c); err != nil {
			return err
		}
		if err := h.encrypted(r); err != nil {
			return err
		}
		if _, err := parametersOf(r); err != nil {
			return err
		}
		landed, err := h.backend.State(r.Context(), c, id)
		if err != nil {
			return err
		}
		return sendDocument(w, r, landed.Document, aaif.Digest(landed.Document))
	}
}

// landedValue describes a state that is here.
func landedValue(l aaif.Landed) canon.Value {
	return canon.Object(member("state_id", l.StateID), member("agent_id", l.AgentID), optional("run_id", l.RunID),
		member("status", string(l.Status)), optional("source_platform", l.Source), instant("checkpoint_at", l.CheckpointAt),
		instant("received_at", l.Received), optional("checksum", l.Document.Get("provenance").Get("checksum").Text()),
		left(l.Left), texts("warnings", l.Warnings))
}

// left describes where a state went, or for whom it was given a token.
func left(d aaif.Departed) canon.Member {
	name := "left"
	if d.To == "" {
		name = "token_issued"
	}
	if d.At.IsZero() {
		return canon.Member{Name: name}
	}
	return canon.Member{Name: name, Value: canon.Object(member("for", d.For), optional("to", d.To), instant("at", d.At))}
}
