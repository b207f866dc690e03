package pages

import (
	"context"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Connector connects assistants of the owner's machine. Its errors of kind InvalidRecord are
// for people.
type Connector interface {
	// MayConnect reports whether the server runs on the caller's own machine and knows how.
	MayConnect(c memory.Caller) bool
	// PreviewConnection returns the changes of files that connecting an assistant, or with
	// remove disconnecting it, would make. state identifies the files' present contents.
	PreviewConnection(ctx context.Context, c memory.Caller, name string, remove bool) (changes []FileChange, state string, err error)
	// ChangeConnection connects an assistant, or with remove disconnects it. It fails with
	// kind InvalidRecord if the files changed after PreviewConnection returned state.
	ChangeConnection(ctx context.Context, c memory.Caller, name string, remove bool, state string) error
	// TryConnection starts satchel as an assistant does, and returns what satchel answers, in
	// words for the owner.
	TryConnection(ctx context.Context, c memory.Caller, name string) (says string, err error)
}

// FileChange is what a file of an assistant would become.
type FileChange struct {
	File, Before, After string
	New                 bool // it does not exist yet
}

// connects reports whether a request may change the settings of assistants: it comes from a
// browser of this machine, and the visitor is the machine's owner.
func (h *Handler) connects(r *http.Request, v visitor) bool {
	return h.options.isHere(r) && h.backend.MayConnect(v.caller)
}

// connectable returns the assistant of a path, if it can be connected and disconnected here.
func (h watchHandler) connectable(r *http.Request, v visitor) (Assistant, error) {
	a, err := h.theAssistant(r, v)
	if err == nil && (!a.Known || !h.connects(r, v)) {
		err = &memory.Error{Kind: memory.NotFound}
	}
	return a, err
}

// shownFile is what a page shows of a file that would change.
type shownFile struct {
	File  string
	New   bool
	Gone  bool // nothing is left of it
	Lines []changedLine
}

func (h watchHandler) previewConnection(remove bool) func(*http.Request, visitor) (effect, error) {
	return func(r *http.Request, v visitor) (effect, error) {
		a, err := h.connectable(r, v)
		if err != nil {
			return effect{}, err
		}
		changes, state, err := h.backend.PreviewConnection(r.Context(), v.caller, a.Name, remove)
		if memory.KindOf(err) == memory.InvalidRecord {
			return effect{fail: h.failConnection}, err
		}
		if err != nil {
			return effect{}, err
		}
		e := effect{Title: "Connect " + cut(a.Title, 60), At: "assistants", Button: "Connect it", Back: assistantPath(a.Name), Command: command("connect", a.Name), State: state,
			Says: []string{"It may then read every memory of yours, and store what you tell it. Each reading is noted, and you can pause it.", "“Disconnect” takes these lines out again, and nothing else. A copy of each file that is there already stays beside it."}}
		if remove {
			e.Title, e.Button, e.Command = "Disconnect "+cut(a.Title, 60), "Disconnect it", command("connect", a.Name, "--remove")
			e.Says = []string{"It reads and stores nothing from its next start on. What it stored stays.", "Only what Satchel wrote is taken out."}
		}
		for _, f := range changes {
			e.Files = append(e.Files, shownFile{f.File, f.New, f.After == "", changedLines(f.Before, f.After)})
		}
		if len(changes) == 0 {
			e.Says = append(e.Says, "Nothing would change: the files are so already.")
		}
		return e, nil
	}
}

func (h watchHandler) changeConnection(remove bool) page {
	return func(w http.ResponseWriter, r *http.Request, v visitor) {
		a, err := h.connectable(r, v)
		if err == nil {
			err = h.backend.ChangeConnection(r.Context(), v.caller, a.Name, remove, r.PostForm.Get("state"))
		}
		switch {
		case memory.KindOf(err) == memory.InvalidRecord:
			h.failConnection(w, r, v, err)
		case err != nil:
			h.fail(w, r, v, err)
		case remove:
			h.done(w, r, assistantPath(a.Name), "disconnected", "")
		default:
			h.done(w, r, assistantPath(a.Name), "connected", "")
		}
	}
}

// failConnection says why the files of an assistant were left alone.
func (h watchHandler) failConnection(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	f := failure{http.StatusConflict, "It was left as it is", capital(sentence(strings.TrimSuffix(messageOf(err), "."), "")), "Go back, and look at the assistant: its page says where its settings are."}
	h.show(w, r, f.status, "failure", failedPage(h.frame(r, v, f.Title, "assistants"), f))
}

// try shows the assistant again, with what satchel answers it.
func (h watchHandler) try(w http.ResponseWriter, r *http.Request, v visitor) {
	a, err := h.connectable(r, v)
	var says string
	if err == nil {
		says, err = h.backend.TryConnection(r.Context(), v.caller, a.Name)
	}
	switch {
	case memory.KindOf(err) == memory.InvalidRecord:
		h.assistantSaying(w, r, v, "", capital(sentence(strings.TrimSuffix(messageOf(err), "."), "")))
	case err != nil:
		h.fail(w, r, v, err)
	default:
		h.assistantSaying(w, r, v, says, "")
	}
}
