package pages

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Changer changes memories as their owner.
type Changer interface {
	// RememberText stores a new memory in the owner's own words.
	RememberText(ctx context.Context, c memory.Caller, n NewMemory) (Changed, error)
	// CorrectText gives a memory another text and kind: a newer version replaces it. An empty
	// kind stays as it is. It fails with
	// kind InvalidRecord if the memory was replaced or forgotten meanwhile; a
	// *memory.SupersededError among the causes names its replacements.
	CorrectText(ctx context.Context, c memory.Caller, id memory.ID, text string, kind memory.Kind) (Changed, error)
	// ForgetThese forgets memories, with every version of them if all is set. After a failure,
	// undo names what was forgotten before it.
	ForgetThese(ctx context.Context, c memory.Caller, all bool, ids ...memory.ID) (undo string, err error)
	// SayWrong notes that what a memory says turned out wrong.
	SayWrong(ctx context.Context, c memory.Caller, id memory.ID) error
	// Erase erases every version of a memory. cleared is false while the files still hold it.
	Erase(ctx context.Context, c memory.Caller, id memory.ID) (cleared bool, err error)
	// EraseAll erases everything that the owner keeps, visits and passkeys too. cleared is
	// false while the files still hold it.
	EraseAll(ctx context.Context, c memory.Caller) (cleared bool, err error)
	// LastAct returns the name of the latest act on a memory that can be taken back, "" if
	// there is none.
	LastAct(ctx context.Context, c memory.Caller, id memory.ID) (string, error)
	// TakeBack takes an act back by its name. It fails with kind NotFound if its time is
	// over, and with kind InvalidRecord if a memory was changed since.
	TakeBack(ctx context.Context, c memory.Caller, name string) (Undone, error)
}

// NewMemory is what the owner wants remembered.
type NewMemory struct {
	Text    string
	Kind    memory.Kind
	Project string // empty: none
}

// Changed is the outcome of a change.
type Changed struct {
	ID     memory.ID
	Undo   string // the name for TakeBack; empty: it cannot be taken back
	Known  bool   // the memory was there already
	Masked bool   // what looked like a secret was left out
}

// Undone says what was taken back.
type Undone struct {
	ID    memory.ID // the memory concerned; empty: several, or one that is gone
	Waits bool      // a proposal waits again
}

// changeHandler answers requests that change memories.
type changeHandler struct{ *Handler }

// typed returns a text of a form as it was typed: browsers send line ends as CR LF.
func typed(form url.Values, name string) string {
	return strings.TrimSpace(strings.ReplaceAll(form.Get(name), "\r\n", "\n"))
}

// forget forgets the memory of a path.
func (h changeHandler) forget(w http.ResponseWriter, r *http.Request, v visitor) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	var undo string
	if err == nil {
		undo, err = h.backend.ForgetThese(r.Context(), v.caller, r.PostForm.Get("all") != "", id)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, memoryPath(id), "forgotten", undo)
}

// forgetMarked forgets the memories that were marked in a list.
func (h changeHandler) forgetMarked(w http.ResponseWriter, r *http.Request, v visitor) {
	back, marked := listOf(r.PostForm.Get("list")), r.PostForm["id"]
	if len(marked) == 0 {
		h.done(w, r, back, "none", "")
		return
	}
	if len(marked) > PageSize {
		h.fail(w, r, v, invalid("mark at most 50 memories at once"))
		return
	}
	ids := make([]memory.ID, len(marked))
	for i, name := range marked {
		var err error
		if ids[i], err = h.backend.Find(r.Context(), v.caller, name); err != nil {
			h.fail(w, r, v, err)
			return
		}
	}
	undo, err := h.backend.ForgetThese(r.Context(), v.caller, false, ids...)
	switch {
	case err != nil && undo != "":
		h.done(w, r, back, "partly", undo)
	case err != nil:
		h.fail(w, r, v, err)
	default:
		h.done(w, r, back, "forgotten", undo)
	}
}

// listOf returns the list with the filters that a form brought along.
func listOf(query string) string {
	q, err := url.ParseQuery(query)
	if err != nil {
		return listPath()
	}
	pairs := filterOf(&http.Request{URL: &url.URL{RawQuery: q.Encode()}}).pairs()
	return listPath(pairs...)
}

// wrong notes that a memory was wrong.
func (h changeHandler) wrong(w http.ResponseWriter, r *http.Request, v visitor) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	if err == nil {
		err = h.backend.SayWrong(r.Context(), v.caller, id)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, memoryPath(id), "wrong", "")
}

// undo takes an act back.
func (h changeHandler) undo(w http.ResponseWriter, r *http.Request, v visitor) {
	done, err := h.backend.TakeBack(r.Context(), v.caller, r.PostForm.Get("undo"))
	switch kind := memory.KindOf(err); {
	case kind == memory.NotFound || kind == memory.InvalidRecord:
		f := failure{http.StatusConflict, "This cannot be taken back", capital(sentence(messageOf(err), "")), "Look at the memory itself: correct it, or remember it anew."}
		h.show(w, r, f.status, "failure", failedPage(h.frame(r, v, f.Title, ""), f))
	case err != nil:
		h.fail(w, r, v, err)
	case done.Waits:
		h.done(w, r, waitingPath, "waits", "")
	case done.ID != "":
		h.done(w, r, memoryPath(done.ID), "undone", "")
	default:
		h.done(w, r, listPath(), "undone", "")
	}
}
