package pages

import (
	"net/http"

	"github.com/satchel-memory/satchel/memory"
)

// newPage is the form that remembers something.
type newPage struct {
	frame
	Text     string
	Kinds    []choice
	Projects []choice
	Wrong    string
}

// newMemory shows the form, with a text from the address, such as that of a search without
// an answer.
func (h changeHandler) newMemory(w http.ResponseWriter, r *http.Request, v visitor) {
	q := r.URL.Query()
	h.newForm(w, r, v, http.StatusOK, NewMemory{Text: q.Get("text"), Kind: memory.Kind(q.Get("kind")), Project: q.Get("project")}, "")
}

func (h changeHandler) newForm(w http.ResponseWriter, r *http.Request, v visitor, status int, n NewMemory, wrong string) {
	projects, err := h.backend.ProjectNames(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := newPage{frame: h.frame(r, v, "Remember something", "memories"), Text: n.Text, Wrong: wrong, Projects: projectChoices(projects, n.Project)}
	p.Projects[0].Word = "None: it counts everywhere"
	p.Kinds = kindChoices(n.Kind)
	h.show(w, r, status, "new", p)
}

// kindChoices explains the kinds.
func kindChoices(chosen memory.Kind) []choice {
	return choices(string(chosen), "semantic", "Fact: true for long", "identity", "About you: who you are", "procedural", "Rule: how you want things done", "working", "Task: what you are at", "episodic", "Event: it happened once")
}

// remember stores what was typed.
func (h changeHandler) remember(w http.ResponseWriter, r *http.Request, v visitor) {
	n := NewMemory{Text: typed(r.PostForm, "text"), Kind: memory.Kind(r.PostForm.Get("kind")), Project: r.PostForm.Get("project")}
	if n.Kind == "" {
		n.Kind = memory.Semantic
	}
	wrong := wrongText(n.Text)
	if !n.Kind.Valid() {
		wrong = "Choose one of the kinds."
	}
	if wrong != "" {
		h.newForm(w, r, v, http.StatusBadRequest, n, wrong)
		return
	}
	done, err := h.backend.RememberText(r.Context(), v.caller, n)
	switch {
	case memory.KindOf(err) == memory.InvalidRecord:
		h.newForm(w, r, v, http.StatusBadRequest, n, capital(sentence(messageOf(err), "This text cannot be kept.")))
	case err != nil:
		h.fail(w, r, v, err)
	case done.Known:
		h.done(w, r, memoryPath(done.ID), "known", "")
	default:
		h.done(w, r, memoryPath(done.ID), maskedOr(done, "remembered"), "")
	}
}
