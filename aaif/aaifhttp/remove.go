package aaifhttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// agentGone removes an agent for good: every revision, and every checkpoint of it.
func (h *Handler) agentGone(id string) task {
	return func(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		if err := h.mayRemove(r, c); err != nil {
			return err
		}
		done, err := h.backend.RemoveAgent(r.Context(), c, id)
		if err != nil {
			return err
		}
		send(w, http.StatusOK, removedValue(member("agent_id", id), done))
		return nil
	}
}

// stateGone removes a checkpoint for good.
func (h *Handler) stateGone(id string) task {
	return func(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		if err := h.mayRemove(r, c); err != nil {
			return err
		}
		done, err := h.backend.RemoveState(r.Context(), c, id)
		if err != nil {
			return err
		}
		send(w, http.StatusOK, removedValue(member("state_id", id), done))
		return nil
	}
}

// mayRemove refuses everybody but the owner, and a query, which would mean nothing.
func (h *Handler) mayRemove(r *http.Request, c memory.Caller) error {
	if err := h.owned(r, c); err != nil {
		return err
	}
	_, err := parametersOf(r)
	return err
}

// removedValue says what is gone, and whether traces of it may lie in the files yet.
func removedValue(id canon.Member, done aaif.Removal) canon.Value {
	return canon.Object(id, canon.Member{Name: "revisions", Value: canon.Int(int64(done.Revisions))},
		canon.Member{Name: "states", Value: canon.Int(int64(done.States))}, canon.Member{Name: "pending", Value: canon.Bool(done.Pending)})
}
