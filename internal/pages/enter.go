package pages

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// cookieLasts is how long a browser keeps a cookie, in seconds: as long as a visit lasts at
// most. The visit itself may end before.
const cookieLasts = 7 * 24 * 60 * 60

// enterPage is what the page shows that lets a browser in.
type enterPage struct {
	frame
	Owner  memory.DID // for people of this machine
	Store  string     // for people of this machine
	To     string     // the page to show then
	Grants bool       // that page says what an assistant asks for
	Public bool       // others reach this address too
}

// enter shows a button, and lets a browser in when it is clicked. A program that opens the
// link for a preview, such as a messenger, does not spend the link.
func (h *Handler) enter(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		f := h.frame(r, visitor{}, "Enter", "")
		e := enterPage{frame: f, To: r.URL.Query().Get("to")}
		if h.options.isHere(r) {
			e.Owner, e.Store = h.options.Owner, h.options.Store
		}
		if !plainName(e.To) {
			e.To = ""
		}
		e.Grants, e.Public = strings.HasPrefix(e.To, consentName), h.nameOf(r) != ""
		h.show(w, r, http.StatusOK, "enter", e)
	default:
		if h.mayPost(w, r) {
			h.letIn(w, r)
		}
	}
}

// letIn spends the secret of a form and gives the browser a cookie.
func (h *Handler) letIn(w http.ResponseWriter, r *http.Request) {
	if h.options.Guess != nil {
		done, wait, ok := h.options.Guess(r.Context(), r, cmp.Or(r.PostForm.Get("passkey"), r.PostForm.Get("secret"), r.PostForm.Get("code")))
		if !ok {
			w.Header().Set("Retry-After", strconv.Itoa(max(1, int(wait.Seconds()))))
			h.fail(w, r, visitor{}, &memory.Error{Kind: memory.RateLimited})
			return
		}
		defer done()
	}
	cookie, err := h.cookieFor(r)
	switch memory.KindOf(err) {
	case memory.Unauthorized:
		h.options.Refused(r, memory.Unauthorized)
		h.refuse(w, r, failure{http.StatusForbidden, "This lets nobody in",
			"A link and its code are good once, and for minutes; a passkey where it was made, until it is removed.", "Run satchel open again, and use the new link."})
		return
	case memory.RateLimited:
		h.options.Refused(r, memory.RateLimited)
		h.refuse(w, r, failure{http.StatusTooManyRequests, "Too many wrong codes", capital(sentence(messageOf(err), "")), "Go back, and enter by a passkey, a new code, or the link of satchel open."})
		return
	}
	if err != nil {
		h.fail(w, r, visitor{}, err)
		return
	}
	encrypted, _ := h.encrypted(r)
	http.SetCookie(w, &http.Cookie{Name: h.cookieName(r), Value: cookie, Path: "/", MaxAge: cookieLasts, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted})
	to := r.PostForm.Get("to")
	if !plainName(to) {
		to = ""
	}
	http.Redirect(w, r, Root+to, http.StatusSeeOther)
}

// cookieFor spends the secret, the code or the answer of a passkey in a form.
func (h *Handler) cookieFor(r *http.Request) (string, error) {
	browser := browserOf(r.UserAgent())
	if answer := r.PostForm.Get("passkey"); answer != "" {
		return h.backend.EnterByPasskey(r.Context(), h.siteOf(r), browser, []byte(answer))
	}
	secret := r.PostForm.Get("secret")
	if secret == "" {
		secret = r.PostForm.Get("code")
	}
	return h.backend.Enter(r.Context(), h.siteOf(r), secret, browser)
}

// Entrance is the answer to a program that shows a token: what follows # in a link to
// [EnterPath], and when that ends.
type Entrance struct {
	Secret string    `json:"secret"`
	Ends   time.Time `json:"ends"`
}

// exchange gives an owner's program the secret of a link for a token in a form. The token
// names these pages, so that nobody can use what was meant for another server.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request) {
	if !h.mayPost(w, r) {
		return
	}
	secret, ends, err := h.backend.Exchange(r.Context(), r.PostForm.Get("token"), h.originOf(r))
	if memory.KindOf(err) == memory.Unauthorized {
		h.options.Refused(r, memory.Unauthorized)
		h.refuse(w, r, failure{http.StatusForbidden, "This token lets nobody in",
			"A token for these pages makes its bearer the owner in person, and names their address as its audience.", "Run satchel open with the address of this server."})
		return
	}
	if err != nil {
		h.fail(w, r, visitor{}, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(Entrance{secret, ends}) // the client has gone; nobody reads an error
}

// leave ends the visit.
func (h *Handler) leave(w http.ResponseWriter, r *http.Request, v visitor) {
	if err := h.backend.Leave(r.Context(), h.cookieOf(r)); err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.dropCookie(w, r, h.cookieName(r))
	h.show(w, r, http.StatusOK, "left", h.frame(r, visitor{}, "You have left", ""))
}

// dropCookie makes the browser forget a cookie.
func (h *Handler) dropCookie(w http.ResponseWriter, r *http.Request, name string) {
	encrypted, _ := h.encrypted(r)
	http.SetCookie(w, &http.Cookie{Name: name, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted})
}

// browserOf names a browser by its User-Agent, in words of this program only.
func browserOf(agent string) string {
	name := firstIn(agent, "a browser", [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}})
	system := firstIn(agent, "", [][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS", "macOS"}, {"Linux", "Linux"}})
	if system == "" {
		return name
	}
	return name + " on " + system
}

func firstIn(text, none string, marks [][2]string) string {
	for _, m := range marks {
		if strings.Contains(text, m[0]) {
			return m[1]
		}
	}
	return none
}
