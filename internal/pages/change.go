package pages

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// Changer changes memories as their owner.
type Changer interface {
	// Erase erases every version of a memory. cleared is false while the files still hold it.
	Erase(ctx context.Context, c memory.Caller, id memory.ID) (cleared bool, err error)
}

// changes adds the forms that change memories.
func (h *Handler) changes() {
	h.mux.Handle("/me/memories/{id}/erase", h.stepUp(h.foreseeErase, h.erase))
}

// changeRoutes lists the paths of these forms.
func changeRoutes() []string {
	return []string{"/me/memories/{id}/erase"}
}
