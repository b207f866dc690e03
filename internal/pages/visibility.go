package pages

import (
	"net/http"

	"github.com/satchel-memory/satchel/memory"
)

// seenForm is the part of a memory's page that changes who can see it.
type seenForm struct {
	Token string
	Path  string // of the memory
	Open  bool   // others can see it
	Show  bool   // it can be changed
}

// seenFormOf returns the form for a memory. Only a version in force can be shared.
func seenFormOf(f frame, rec memory.Record) seenForm {
	v := rec.Scope.Visibility
	return seenForm{Token: f.Token, Path: memoryPath(rec.ID), Open: v == memory.Shared || v == memory.Public,
		Show: inForce(rec)}
}

// wantedReach reads with whom a form shares.
func wantedReach(r *http.Request) (memory.Visibility, error) {
	switch v := memory.Visibility(r.FormValue("with")); v {
	case memory.Shared, memory.Public:
		return v, nil
	}
	return "", invalid("say with whom to share it")
}

// previewShare says who will see a memory.
func (h sharingHandler) previewShare(r *http.Request, v visitor) (effect, error) {
	with, err := wantedReach(r)
	var m Memory
	if err == nil {
		m, err = h.named(r, v)
	}
	if err != nil {
		return effect{}, err
	}
	e := effect{
		Title: "Share this memory", At: "memories", Button: "Share it", Back: memoryPath(m.ID), Command: command("revise", m.Short, "--visibility", string(with)),
		Says: []string{"“" + cut(oneLine(m.Body.Text), 120) + "”"},
	}
	if with == memory.Public {
		e.Title, e.Button = "Make this memory public", "Make it public"
		e.Says = append(e.Says, "Anybody can read it who asks a server of yours that was started with --public, and everybody who holds a token of yours.")
	} else {
		e.Says = append(e.Says, "Everybody can read it who holds a token of yours for shared memories.")
	}
	e.Says = append(e.Says, "Your key signs a new version that says so. What others have read by the time you take it back stays with them.")
	return e, nil
}

// share lets others see a memory.
func (h sharingHandler) share(w http.ResponseWriter, r *http.Request, v visitor) {
	with, err := wantedReach(r)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.setVisibility(w, r, v, with, "shared")
}

// unshare makes a memory private.
func (h sharingHandler) unshare(w http.ResponseWriter, r *http.Request, v visitor) {
	h.setVisibility(w, r, v, memory.Private, "unshared")
}

func (h sharingHandler) setVisibility(w http.ResponseWriter, r *http.Request, v visitor, to memory.Visibility, word string) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	if err == nil {
		id, err = h.backend.SetVisibility(r.Context(), v.caller, id, to)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, memoryPath(id), word, "")
}
