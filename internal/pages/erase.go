package pages

import (
	"net/http"

	"github.com/satchel-memory/satchel/memory"
)

// named returns the memory that the path of a request names.
func (h *Handler) named(r *http.Request, v visitor) (Memory, error) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	if err != nil {
		return Memory{}, err
	}
	return h.backend.Memory(r.Context(), v.caller, id)
}

// foreseeErase says what goes when a memory is erased.
func (h changeHandler) foreseeErase(r *http.Request, v visitor) (effect, error) {
	m, err := h.named(r, v)
	if err != nil {
		return effect{}, err
	}
	e := effect{
		Title: "Erase this memory for good", At: "memories", Button: "Erase it", Back: memoryPath(m.ID), Command: command("forget", m.Short, "--hard", "--chain"),
		Says: []string{"“" + cut(oneLine(m.Body.Text), 120) + "”"},
	}
	if n := len(m.Versions); n > 1 {
		e.Says = append(e.Says, "All "+counted(n, "version", "versions")+" of it are deleted from the store and from its files.")
	} else {
		e.Says = append(e.Says, "It has 1 version, which is deleted from the store and from its files.")
	}
	if m.Scope.Visibility == memory.Shared || m.Scope.Visibility == memory.Public {
		e.Says = append(e.Says, "Those to whom you gave it may have kept it. They are told that you erased it.")
	}
	e.Says = append(e.Says, "Nobody can bring it back. Exports and backups from before still hold it.")
	return e, nil
}

// erase erases a memory.
func (h changeHandler) erase(w http.ResponseWriter, r *http.Request, v visitor) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	var cleared bool
	if err == nil {
		cleared, err = h.backend.Erase(r.Context(), v.caller, id)
	}
	switch {
	case err != nil:
		h.fail(w, r, v, err)
	case cleared:
		h.done(w, r, listPath(), "erased", "")
	default:
		h.done(w, r, listPath(), "erasing", "")
	}
}
