package pages

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Keyring lets browsers in by passkeys, which the owner's devices keep (WebAuthn level 3).
// Questions and answers are the JSON of navigator.credentials.
type Keyring interface {
	// Passkeys lists the owner's passkeys, latest first.
	Passkeys(ctx context.Context, c memory.Caller) ([]Passkey, error)
	// OfferPasskey asks the browser of a visit for a new passkey. It fails with kind
	// ForbiddenScope if the visit did not begin minutes ago, and was not confirmed.
	OfferPasskey(ctx context.Context, cookie string, at Site) (question []byte, err error)
	// AddPasskey keeps the passkey in an answer. It fails like OfferPasskey, and with kind
	// Unauthorized if the answer is none to a question of this site.
	AddPasskey(ctx context.Context, cookie string, at Site, browser string, answer []byte) error
	// DropPasskey removes a passkey. It does nothing for one that is not there.
	DropPasskey(ctx context.Context, c memory.Caller, id string) error
	// AskPasskey returns the question for a passkey of any owner.
	AskPasskey(ctx context.Context, at Site) (question []byte, err error)
	// EnterByPasskey is Enter by the answer to AskPasskey.
	EnterByPasskey(ctx context.Context, at Site, browser string, answer []byte) (cookie string, err error)
	// ConfirmByPasskey is Confirm by the answer to AskPasskey of the owner whose visit it is.
	// It fails with kind Unauthorized.
	ConfirmByPasskey(ctx context.Context, cookie string, at Site, answer []byte) error
}

// Passkey is a key on a device of the owner's.
type Passkey struct {
	ID, Browser string
	Made, Seen  time.Time
}

// Site is where browsers reach the pages: the host alone, and with scheme and port.
type Site struct {
	Host, Origin string
	// Name is the name that cookies are bound to. Empty: the connection is not encrypted, and
	// comes from this machine.
	Name string
}

// siteOf returns the site that a request asks for.
func (h *Handler) siteOf(r *http.Request) Site {
	origin := h.originOf(r)
	_, host, _ := strings.Cut(origin, "://")
	return Site{Host: hostOf(host), Origin: origin, Name: h.nameOf(r)}
}

// The paths about passkeys.
const (
	passkeysPath = "/me/passkeys"
	offerPath    = "/me/passkeys/offer"
	dropPath     = "/me/passkeys/drop"
	// AskPath is the path that asks a browser for a passkey.
	AskPath = "/me/enter/ask"
)

// passkeyHandler answers requests about passkeys.
type passkeyHandler struct{ *Handler }

// passkeysPage lists passkeys.
type passkeysPage struct {
	frame
	Keys []passkeyRow
}

type passkeyRow struct {
	ID, Browser string
	Made, Seen  moment
}

func (h passkeyHandler) passkeyList(w http.ResponseWriter, r *http.Request, v visitor) {
	keys, err := h.backend.Passkeys(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := passkeysPage{frame: h.frame(r, v, "Passkeys", "settings")}
	for _, k := range keys {
		p.Keys = append(p.Keys, passkeyRow{k.ID, k.Browser, momentOf(k.Made, p.Now), momentOf(k.Seen, p.Now)})
	}
	h.show(w, r, http.StatusOK, "passkeys", p)
}

// offerPasskey answers a script of the page with a question for the device.
func (h passkeyHandler) offerPasskey(w http.ResponseWriter, r *http.Request, v visitor) {
	question, err := h.backend.OfferPasskey(r.Context(), h.cookieOf(r), h.siteOf(r))
	h.sendQuestion(w, r, v, question, err)
}

// askPasskey answers a script of the page that lets browsers in.
func (h passkeyHandler) askPasskey(w http.ResponseWriter, r *http.Request) {
	if !h.mayPost(w, r) {
		return
	}
	question, err := h.backend.AskPasskey(r.Context(), h.siteOf(r))
	h.sendQuestion(w, r, visitor{}, question, err)
}

func (h passkeyHandler) sendQuestion(w http.ResponseWriter, r *http.Request, v visitor, question []byte, err error) {
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(question) // the client has gone; nobody reads an error
}

// addPasskey keeps the passkey that a device made.
func (h passkeyHandler) addPasskey(w http.ResponseWriter, r *http.Request, v visitor) {
	err := h.backend.AddPasskey(r.Context(), h.cookieOf(r), h.siteOf(r), browserOf(r.UserAgent()), []byte(r.PostForm.Get("passkey")))
	if memory.KindOf(err) == memory.Unauthorized {
		h.show(w, r, http.StatusForbidden, "failure", failedPage(h.frame(r, v, "No passkey was added", "settings"), failure{http.StatusForbidden, "No passkey was added",
			"What your device sent is no answer to what these pages asked, or it came too late.", "Go back and add it again."}))
		return
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	http.Redirect(w, r, passkeysPath, http.StatusSeeOther)
}

func (h passkeyHandler) dropPasskey(w http.ResponseWriter, r *http.Request, v visitor) {
	if err := h.backend.DropPasskey(r.Context(), v.caller, r.PostForm.Get("id")); err != nil {
		h.fail(w, r, v, err)
		return
	}
	http.Redirect(w, r, passkeysPath, http.StatusSeeOther)
}
