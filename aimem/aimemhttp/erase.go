package aimemhttp

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// erasure is the answer to an erasure (decision AD-28).
type erasure struct {
	ErasedAt      string `json:"erased_at"`
	ChunksPurged  int    `json:"chunks_purged"`
	RecordsPurged int    `json:"records_purged"`
	AuditSequence int64  `json:"audit_seq"`
	Pending       bool   `json:"pending,omitempty"` // copies on the disk are cleared a little later
}

// erase erases everything of the caller (section 5.2). The caller must be the owner and
// must name the tenant, so that nobody erases by mistake.
func (h *Handler) erase(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if c.Role != memory.Owner {
		return h.forbid(r, "AIMEM-5.2-9", "only the owner erases; send the owner's own token")
	}
	p := parametersOf(r, "confirm")
	if p.err != nil {
		return p.err
	}
	if p.Get("confirm") != string(c.Owner) {
		return &aimem.Fault{Code: aimem.ConfirmationRequired, Rule: "AIMEM-5.2-9",
			Detail: "this erases everything: name the tenant_id of an export in the parameter confirm"}
	}
	done, err := h.backend.EraseBrain(r.Context(), c)
	if err != nil {
		return err
	}
	body, err := json.Marshal(erasure{
		ErasedAt: done.ErasedAt.UTC().Format(time.RFC3339), ChunksPurged: done.ChunksPurged, RecordsPurged: done.RecordsPurged,
		AuditSequence: done.AuditSequence, Pending: done.Pending,
	})
	if err != nil {
		return &memory.Error{Kind: memory.Internal, Op: "erase", Err: err}
	}
	httpkit.Send(w, http.StatusOK, "application/json", body)
	return nil
}
