package aaifhttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// removeAgent removes an agent for good, with every revision and every checkpoint.
func (h *Handler) removeAgent(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	id := r.PathValue("id")
	if err := noQuery(r); err != nil {
		return err
	}
	done, err := h.backend.RemoveAgent(r.Context(), c, id)
	if err != nil {
		return err
	}
	send(w, http.StatusOK, removalValue(member("agent_id", id), done))
	return nil
}

// removeState removes a checkpoint for good.
func (h *Handler) removeState(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	id := r.PathValue("id")
	if err := noQuery(r); err != nil {
		return err
	}
	done, err := h.backend.RemoveState(r.Context(), c, id)
	if err != nil {
		return err
	}
	send(w, http.StatusOK, removalValue(member("state_id", id), done))
	return nil
}

// noQuery refuses a query, which has no meaning here.
func noQuery(r *http.Request) error {
	_, err := parametersOf(r)
	return err
}

// removalValue describes what was removed, and whether traces may remain in the files.
func removalValue(id canon.Member, done aaif.Removal) canon.Value {
	return canon.Object(id, canon.Member{Name: "revisions", Value: canon.Int(int64(done.Revisions))},
		canon.Member{Name: "states", Value: canon.Int(int64(done.States))}, canon.Member{Name: "pending", Value: canon.Bool(done.Pending)})
}
