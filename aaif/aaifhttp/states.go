package aaifhttp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// intakeState receives a state as one document (section 8.2). Its migration token admits
// it once. A sender that lost the answer and repeats the request gets TOKEN_REPLAYED, and
// so knows that the state arrived.
func (h *Handler) intakeState(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
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
	if c, err = h.recheckCaller(r, c); err != nil {
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
	send(w, http.StatusCreated, stateValue(landed))
	h.confirm(w, r, c, landed.StateID)
	return nil
}

// confirm tells the backend that the answer about a state has been sent, if it has.
func (h *Handler) confirm(w http.ResponseWriter, r *http.Request, c memory.Caller, stateID string) {
	if http.NewResponseController(w).Flush() != nil {
		return
	}
	if err := h.backend.Confirm(context.WithoutCancel(r.Context()), c, stateID); err != nil {
		h.options.Report(r, fmt.Errorf("a state arrived, and its run does not go on by itself: %w", err))
	}
}

// receive passes a whole state on, and logs one that its token does not admit.
func (h *Handler) receive(r *http.Request, c memory.Caller, state canon.Value) (aaif.KeptState, error) {
	landed, err := h.backend.Receive(r.Context(), c, state)
	h.logRefusal(r, err)
	return landed, err
}

// logRefusal logs a state that a valid token does not admit. The server logs a 401
// itself.
func (h *Handler) logRefusal(r *http.Request, err error) {
	switch aaif.CodeOf(err) {
	case aaif.TokenBinding, aaif.TokenAudience, aaif.TokenReplayed:
		h.options.Refused(r, memory.ForbiddenScope)
	}
}

// place reserves a slot for a state.
func (h *Handler) place(r *http.Request) (leave func(), err error) {
	leave, ok := h.options.Slots(r)
	if !ok {
		return nil, &answer{status: http.StatusTooManyRequests, code: rateLimited, header: http.Header{"Retry-After": {"5"}, "Connection": {"close"}},
			detail: "other states are coming in; wait as long as Retry-After says"}
	}
	return leave, nil
}

// states lists the checkpoints, newest first and a page at a time, optionally of one agent
// or one run (AAIF-8.1-3). A list shows nothing of their content.
func (h *Handler) states(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	p, err := parametersOf(r, "agent_id", "run_id", "after", "limit")
	if err != nil {
		return err
	}
	return sendPage(w, p, StatesPath, "states", func(limit int) ([]aaif.KeptState, error) {
		at, id, err := p.place()
		if err != nil {
			return nil, err
		}
		return h.statesOf(r.Context(), c, p.text("agent_id"), p.text("run_id"), aaif.Place{CheckpointAt: at, StateID: id}, limit)
	}, func(l aaif.KeptState) string { return formatPlace(l.CheckpointAt, l.StateID) }, stateValue)
}

// statesOf returns checkpoints of an agent, or of all; and of one run, unless run is empty.
func (h *Handler) statesOf(ctx context.Context, c memory.Caller, agent, run string, after aaif.Place, limit int) ([]aaif.KeptState, error) {
	if run == "" {
		return h.backend.States(ctx, c, agent, after, limit)
	}
	var list []aaif.KeptState
	for len(list) < limit {
		page, err := h.backend.States(ctx, c, agent, after, aaif.MostListed)
		if err != nil {
			return nil, err
		}
		for _, l := range page {
			if strings.EqualFold(l.RunID, run) && len(list) < limit {
				list = append(list, l)
			}
			after = l.Place()
		}
		if len(page) < aaif.MostListed {
			break
		}
	}
	return list, nil
}

// state returns a checkpoint as it arrived, over TLS only (AAIF-12-11).
func (h *Handler) state(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.requireTLS(r); err != nil {
		return err
	}
	if _, err := parametersOf(r); err != nil {
		return err
	}
	landed, err := h.backend.State(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	return sendDocument(w, r, landed.Document, aaif.Digest(landed.Document))
}

// stateValue describes a kept state.
func stateValue(l aaif.KeptState) canon.Value {
	return canon.Object(member("state_id", l.StateID), member("agent_id", l.AgentID), optional("run_id", l.RunID),
		member("status", string(l.Status)), optional("source_platform", l.Source), instant("checkpoint_at", l.CheckpointAt),
		instant("received_at", l.Received), optional("checksum", l.Document.Get("provenance").Get("checksum").Text()),
		departureMember(l.Left), texts("warnings", l.Warnings))
}

// departureMember says where a state went, or for which platform it got a token.
func departureMember(d aaif.Departure) canon.Member {
	name := "left"
	if d.To == "" {
		name = "token_issued"
	}
	if d.At.IsZero() {
		return canon.Member{Name: name}
	}
	return canon.Member{Name: name, Value: canon.Object(member("for", d.For), optional("to", d.To), instant("at", d.At))}
}
