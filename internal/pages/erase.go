package pages

import (
	"net/http"

	"github.com/satchel-memory/satchel/memory"
)

// ErasePath is the address that a form goes to that erases everything. The answer to it holds
// no memory.
const ErasePath = "/me/settings/erase"

// named returns the memory that the path of a request names.
func (h *Handler) named(r *http.Request, v visitor) (Memory, error) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	if err != nil {
		return Memory{}, err
	}
	return h.backend.Memory(r.Context(), v.caller, id)
}

// previewErase says what goes when a memory is erased.
func (h changeHandler) previewErase(r *http.Request, v visitor) (effect, error) {
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

// previewErasure says what goes when an owner erases everything.
func (h changeHandler) previewErasure(r *http.Request, v visitor) (effect, error) {
	o, err := h.backend.Overview(r.Context(), v.caller, h.options.Now())
	owner := string(v.caller.Owner)
	e := effect{
		Title: "Erase everything", At: "settings", Button: "Erase it all", Back: Root + "settings", Types: owner, TypesWhat: "your key", Command: command("erase", "--confirm", quoted(owner)),
		Says: []string{
			"Everything that you keep is erased, for good: " + counted(o.Memories, "memory", "memories") + ", with every version, what waits, imports, contexts, agents and runs.",
			"Tokens, links, passkeys and browsers let nobody in any more, this browser neither. Your key and the log of who did what stay.",
			"Exports and backups from before still hold it.",
		},
	}
	if v.caller.Owner == h.options.Owner {
		e.Says = append(e.Says, "In the folder of the store, too: the command below removes those as well.")
	}
	return e, err
}

// eraseAll erases everything of an owner.
func (h changeHandler) eraseAll(w http.ResponseWriter, r *http.Request, v visitor) {
	cleared, err := h.backend.EraseAll(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.dropCookie(w, r, h.cookieName(r))
	title := "Everything is erased"
	if !cleared {
		title = "Everything is erased; the files are still being cleared"
	}
	h.show(w, r, http.StatusOK, "erased", h.frame(r, visitor{}, title, ""))
}
