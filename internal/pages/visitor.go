package pages

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// visitor is whose browser asks.
type visitor struct {
	caller   memory.Caller
	token    string // what every form of the visit has to bring
	keepsKey bool   // the owner keeps their own key: nothing can be signed here
}

// in reports whether somebody was let in.
func (v visitor) in() bool { return v.token != "" }

// page answers a request of somebody who was let in.
type page func(http.ResponseWriter, *http.Request, visitor)

// TLSCookie is the name of the cookie of a connection with TLS. Browsers take it from this
// host only.
const TLSCookie = "__Host-satchel"

// cookieName returns the name of the cookie of a request.
func (h *Handler) cookieName(r *http.Request) string {
	if encrypted, _ := h.encrypted(r); encrypted {
		return TLSCookie
	}
	return h.options.Cookie
}

// visitor returns who shows the cookie of a request, or fails with kind Unauthorized.
// A token in the Authorization header is for programs and opens no page.
func (h *Handler) visitor(r *http.Request) (visitor, error) {
	cookie := h.cookieOf(r)
	if cookie == "" {
		return visitor{}, &memory.Error{Kind: memory.Unauthorized}
	}
	caller, err := h.backend.Resume(r.Context(), cookie)
	if err != nil {
		return visitor{}, err
	}
	if h.options.Visited != nil {
		h.options.Visited(r, caller)
	}
	return visitor{caller, formToken(cookie), h.backend.SignsElsewhere(caller)}, nil
}

// formToken derives from a cookie what the forms of its visit bring. A page of somebody
// else can send a form, and cannot know it.
func formToken(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	mac.Write([]byte("satchel form")) //nolint:errcheck // a hash takes everything
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// isToken reports whether a form brings the token of the visit.
func (v visitor) isToken(said string) bool { return hmac.Equal([]byte(said), []byte(v.token)) }

// maxForm is the most bytes of a form.
const maxForm = 256 << 10

// mayPost reads the form of a request by POST that no other site sent. It answers others.
func (h *Handler) mayPost(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		h.refuse(w, r, wrongMethod())
		return false
	}
	return h.fromHere(w, r) && h.parseForm(w, r)
}

// fromHere answers a request that a page of another site sent.
func (h *Handler) fromHere(w http.ResponseWriter, r *http.Request) bool {
	if h.cross.Check(r) != nil {
		h.refuse(w, r, foreignForm())
		return false
	}
	return true
}

// parseForm reads the form of a request, and answers if it cannot be read.
func (h *Handler) parseForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		h.refuse(w, r, failure{http.StatusBadRequest, "This form cannot be read", "It is longer than a form of these pages, or it broke on the way.", "Go back and send it again."})
		return false
	}
	return true
}

// enterPath returns the page that lets a browser in and then shows the one it asked for.
func enterPath(asked *url.URL) string {
	to := strings.TrimPrefix(asked.Path, Root)
	if id := asked.Query().Get("request"); asked.Path == consentPath && id != "" {
		to = consentName + id
	}
	if asked.Path == "/me" || to == "" || !plainName(to) {
		return EnterPath
	}
	return EnterPath + "?to=" + url.QueryEscape(to)
}

// plainName reports whether a text is the path of a page below Root, in plain letters: it
// leads nowhere else.
func plainName(to string) bool {
	to = strings.TrimPrefix(to, consentName)
	return len(to) <= 200 && !strings.Contains(to, "//") && !strings.Contains(to, "..") && strings.IndexFunc(to, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/:._-", c))
	}) < 0
}
