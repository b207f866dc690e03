package pages

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/satchel-memory/satchel/memory"
)

// mostTyped is the most bytes of a text that a form takes.
const mostTyped = 48 << 10

// correctPage is the form that gives a memory another text.
type correctPage struct {
	frame
	Memory  row
	Text    string // in the field
	Kinds   []choice
	Wrong   string // what is wrong with what was typed
	Long    bool   // too long for a form
	Old     bool   // it is not in force any more
	Action  string
	Back    string
	Command string
}

func (h changeHandler) correctPage(r *http.Request, v visitor, m Memory, text string, kind memory.Kind, wrong string) correctPage {
	f := h.frame(r, v, "Correct a memory", "memories")
	return correctPage{
		frame: f, Memory: rowOf(m.Record, f.Now), Text: text, Kinds: kindChoices(kind), Wrong: wrong, Long: len(m.Body.Text) > mostTyped, Old: !inForce(m.Record),
		Action: memoryPath(m.ID) + "/correct", Back: memoryPath(m.ID), Command: command("revise", m.Short, "'…'"),
	}
}

// correctForm shows the form, also of a memory that was changed meanwhile: a browser that
// goes back to it brings what was typed.
func (h changeHandler) correctForm(w http.ResponseWriter, r *http.Request, v visitor) {
	m, err := h.named(r, v)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.show(w, r, http.StatusOK, "correct", h.correctPage(r, v, m, m.Body.Text, m.Kind, ""))
}

// inForce reports whether a memory is neither forgotten nor replaced, nor waits.
func inForce(rec memory.Record) bool {
	return rec.Lifecycle.Status.Or() == memory.Active && len(rec.SupersededBy) == 0
}

// correct gives a memory another text.
func (h changeHandler) correct(w http.ResponseWriter, r *http.Request, v visitor) {
	m, err := h.named(r, v)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	text := typed(r.PostForm, "text")
	kind := cmp.Or(memory.Kind(r.PostForm.Get("kind")), m.Kind)
	wrong := wrongText(text)
	if !kind.Valid() {
		kind, wrong = m.Kind, "Choose one of the kinds."
	}
	if wrong != "" {
		h.show(w, r, http.StatusBadRequest, "correct", h.correctPage(r, v, m, text, kind, wrong))
		return
	}
	if text == m.Body.Text && kind == m.Kind && inForce(m.Record) {
		h.done(w, r, memoryPath(m.ID), "same", "")
		return
	}
	done, err := h.backend.CorrectText(r.Context(), v.caller, m.ID, text, kind)
	switch {
	case memory.KindOf(err) == memory.InvalidRecord:
		h.conflict(w, r, v, m, text, kind, err)
	case err != nil:
		h.fail(w, r, v, err)
	default:
		h.done(w, r, memoryPath(done.ID), maskedOr(done, "corrected"), done.Undo)
	}
}

// maskedOr is the word of a notice: another if a secret was left out.
func maskedOr(done Changed, word string) string {
	if done.Masked {
		return "masked"
	}
	return word
}

// wrongText says what is wrong with a text for a memory, "" for nothing.
func wrongText(text string) string {
	switch {
	case text == "":
		return "The text is empty. Write what is true, or go back and forget the memory."
	case len(text) > mostTyped:
		return "The text is too long for this form. Shorten it, or use the command line."
	}
	return ""
}

// conflictPage shows two texts of which one is to hold.
type conflictPage struct {
	frame
	Yours   []piece
	Text    string // yours, for the form
	Kind    memory.Kind
	Theirs  []piece
	Now     row
	Gone    bool // it was forgotten meanwhile: there is no other text
	Said    string
	Action  string
	Keep    string
	Command string
}

// conflict shows that a memory was changed while its owner typed, and lets the owner choose.
func (h changeHandler) conflict(w http.ResponseWriter, r *http.Request, v visitor, m Memory, text string, kind memory.Kind, cause error) {
	p := conflictPage{frame: h.frame(r, v, "It was changed meanwhile", "memories"), Text: text, Kind: kind, Keep: memoryPath(m.ID)}
	now, err := h.nowInstead(r, v, m, cause)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	if now == nil && m.Lifecycle.Status != memory.Tombstoned { // the text itself is refused
		h.show(w, r, http.StatusBadRequest, "correct", h.correctPage(r, v, m, text, kind, capital(sentence(messageOf(cause), "This text cannot be kept."))))
		return
	}
	if now == nil {
		p.Gone, p.Yours, p.Action = true, []piece{{Text: text}}, Root+"memories/new"
	} else {
		p.Now, p.Keep, p.Action = rowOf(now.Record, p.frame.Now), memoryPath(now.ID), memoryPath(now.ID)+"/correct"
		p.Yours, p.Theirs = difference(now.Body.Text, text), difference(text, now.Body.Text)
		p.Command = command("history", now.Short)
	}
	h.show(w, r, http.StatusConflict, "conflict", p)
}

// nowInstead returns the memory that replaced another, nil if none did.
func (h changeHandler) nowInstead(r *http.Request, v visitor, m Memory, cause error) (*Memory, error) {
	replaced, ok := errors.AsType[*memory.SupersededError](cause)
	if !ok || len(replaced.Current) == 0 {
		return nil, nil
	}
	now, err := h.backend.Memory(r.Context(), v.caller, replaced.Current[0])
	return &now, err
}
