package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Confirmer makes sure that the owner sits before the browser.
type Confirmer interface {
	// Confirmed reports whether the owner confirmed the visit of a cookie in the last
	// minutes.
	Confirmed(ctx context.Context, cookie string) (bool, error)
	// Confirm spends a code that satchel open --confirm printed. It fails with kind
	// ForbiddenScope if the code is not good, and with kind RateLimited after too many tries.
	Confirm(ctx context.Context, cookie, code string) error
}

// effect is what an act will do, for the owner to read before it happens.
type effect struct {
	Title   string   // the act: "Erase this memory"
	At      string   // the entry of the navigation
	Says    []string // what will happen, in sentences with numbers
	Button  string
	Back    string // the page to return to
	Command string // the command line that does the same
	// Types is what the owner has to type to confirm the act, besides a code; TypesWhat says
	// what it is. Empty: nothing.
	Types, TypesWhat string
	// Files are the files of this machine that the act would change. State identifies their
	// present contents.
	Files []shownFile
	State string
	// fail answers if the effect cannot be previewed; nil: [Handler.fail] does.
	fail func(http.ResponseWriter, *http.Request, visitor, error)
}

// confirmPage asks the owner to confirm an act.
type confirmPage struct {
	frame
	Effect effect
	Action string
	Fields []field    // of the form that asked for the act
	Asks   bool       // for a code
	Wrong  string     // what was wrong with the last code
	Whole  memory.DID // the owner
	Typed  string     // what the owner typed to confirm the act
	// Mistyped: Typed differs from what the act asks for.
	Mistyped bool
}

// field is a field of a form that a page brings along.
type field struct{ Name, Value string }

// stepUp returns the pages of a form for an act that cannot be undone or that gives others access. The
// first POST shows what will happen, as preview says. The owner then confirms it by typing
// what the effect asks for, and by a code from a terminal or a passkey, unless the visit was
// confirmed minutes ago. After that, do acts, with the fields of the form in r.PostForm. A
// GET shows what will happen, too.
func (h *Handler) stepUp(preview func(*http.Request, visitor) (effect, error), do page) (read, write page) {
	previewed := func(w http.ResponseWriter, r *http.Request, v visitor) (e effect, ok bool) {
		e, err := preview(r, v)
		switch {
		case err == nil:
			return e, true
		case e.fail != nil:
			e.fail(w, r, v, err)
		default:
			h.fail(w, r, v, err)
		}
		return e, false
	}
	read = func(w http.ResponseWriter, r *http.Request, v visitor) {
		if e, ok := previewed(w, r, v); ok {
			h.askToConfirm(w, r, v, e, r.URL.Query(), http.StatusOK, "")
		}
	}
	write = func(w http.ResponseWriter, r *http.Request, v visitor) {
		e, ok := previewed(w, r, v)
		if !ok {
			return
		}
		if r.PostForm.Get("sure") == "" {
			h.askToConfirm(w, r, v, e, r.PostForm, http.StatusOK, "")
			return
		}
		if !e.isTyped(r.PostForm) { // before the code is spent
			h.askToConfirm(w, r, v, e, r.PostForm, http.StatusForbidden, "")
			return
		}
		status, wrong, err := h.confirmed(r)
		switch {
		case err != nil:
			h.fail(w, r, v, err)
		case status != http.StatusOK:
			h.askToConfirm(w, r, v, e, r.PostForm, status, wrong)
		default:
			do(w, r, v)
		}
	}
	return read, write
}

// askToConfirm shows what an act will do and asks the owner to confirm it. asked holds the
// fields of the form that asked for the act, wrong says what was wrong with the last code.
func (h *Handler) askToConfirm(w http.ResponseWriter, r *http.Request, v visitor, e effect, asked url.Values, status int, wrong string) {
	confirmed, err := h.backend.Confirmed(r.Context(), h.cookieOf(r))
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := confirmPage{frame: h.frame(r, v, e.Title, e.At), Effect: e, Action: r.URL.EscapedPath(), Fields: fieldsOf(asked), Asks: !confirmed, Wrong: wrong, Typed: asked.Get("typed"), Whole: v.caller.Owner}
	p.Mistyped = status != http.StatusOK && !e.isTyped(asked)
	h.show(w, r, status, "confirm", p)
}

// isTyped reports whether a form holds what the owner has to type.
func (e effect) isTyped(form url.Values) bool {
	return e.Types == "" || e.Types == strings.TrimSpace(form.Get("typed"))
}

// confirmed reports by status 200 that the owner confirmed the visit of a form, before or by
// the code in the form. Another status says what is wrong with the code.
func (h *Handler) confirmed(r *http.Request) (status int, wrong string, err error) {
	code := r.PostForm.Get("code")
	if answer := r.PostForm.Get("passkey"); answer != "" {
		err := h.backend.ConfirmByPasskey(r.Context(), h.cookieOf(r), h.siteOf(r), []byte(answer))
		if memory.KindOf(err) == memory.Unauthorized {
			return http.StatusForbidden, "This passkey is not yours, or it came too late.", nil
		}
		return http.StatusOK, "", err
	}
	if code == "" {
		ok, err := h.backend.Confirmed(r.Context(), h.cookieOf(r))
		if err != nil || ok {
			return http.StatusOK, "", err
		}
		return http.StatusForbidden, "The code is missing.", nil
	}
	err = h.backend.Confirm(r.Context(), h.cookieOf(r), code)
	switch memory.KindOf(err) {
	case memory.ForbiddenScope:
		return http.StatusForbidden, capital(sentence(messageOf(err), "This code is not good.")), nil
	case memory.RateLimited:
		return http.StatusTooManyRequests, capital(sentence(messageOf(err), "There were too many wrong codes.")), nil
	}
	return http.StatusOK, "", err
}

// cookieOf returns the cookie that a request shows, bound to the site that it asks for.
func (h *Handler) cookieOf(r *http.Request) string {
	cookie, err := r.Cookie(h.cookieName(r))
	if err != nil {
		return ""
	}
	if name := h.nameOf(r); name != "" {
		return cookie.Value + "@" + name
	}
	return cookie.Value
}

// fieldsOf returns the fields of a form that belong to the act itself, in a stable order.
func fieldsOf(form url.Values) (all []field) {
	names := make([]string, 0, len(form))
	for name := range form {
		if !slices.Contains([]string{"token", "code", "passkey", "sure", "typed", "state"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range form[name] {
			all = append(all, field{name, value})
		}
	}
	return all
}
