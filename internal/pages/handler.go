package pages

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Options say where the memories lie, and how browsers reach the pages.
type Options struct {
	Now   func() time.Time
	Owner memory.DID // of the store's home folder
	Store string     // where the memories lie, for people of this machine
	// Cookie is the name of the cookie of a connection without TLS. Browsers send a cookie
	// to every port of a host, so that the name tells stores apart.
	Cookie string
	// Plain allows connections without TLS: only this machine can make any.
	Plain bool
	// Origins are the addresses of proxies that speak TLS, such as "https://notes.example".
	Origins []string
	// Many: the store is made for many owners, so that the operator looks after them.
	Many    bool
	Release string
	// Report receives the cause of an error that the page does not tell.
	Report func(*http.Request, error)
	// Visited learns whose visit a request belongs to; nil: nobody asks.
	Visited func(*http.Request, memory.Caller)
	// Guess allows one try of a secret until done is called, or says how long until there is
	// one; nil: always.
	Guess func(ctx context.Context, r *http.Request, secret string) (done func(), wait time.Duration, ok bool)
	// Refused learns of somebody who was not let in.
	Refused func(*http.Request, memory.ErrorKind)
	// Fleet returns an owner's machines and remotes; nil: there are none.
	Fleet func(ctx context.Context, c memory.Caller) (Fleet, error)
}

// Handler answers every request below /me. It is safe for concurrent use.
type Handler struct {
	backend Backend
	options Options
	mux     *http.ServeMux
	cross   *http.CrossOriginProtection
}

// Root is the path of all pages.
const Root = "/me/"

// EnterPath is the path that lets a browser in.
const EnterPath = "/me/enter"

// ExchangePath is the path at which a program shows a token of its owner and gets the
// secret of a link.
const ExchangePath = "/me/enter/link"

// New returns a handler of the pages.
func New(b Backend, o Options) *Handler {
	h := &Handler{backend: b, options: o, mux: http.NewServeMux(), cross: http.NewCrossOriginProtection()}
	for _, t := range h.routes() {
		h.mux.Handle(t.path, h.serve(t))
	}
	return h
}

// Has reports whether a path belongs to the pages.
func Has(path string) bool { return path == "/me" || strings.HasPrefix(path, Root) }

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secureHeaders(w.Header())
	if h.nameOf(r) != "" && (r.URL.Path == EnterPath || r.URL.Path == consentPath || strings.HasPrefix(r.URL.Path, consentPath+"/")) {
		// The site of an assistant opens these in a window of its own, and waits for that
		// window to come back. With this header browsers would cut the two apart.
		w.Header().Del("Cross-Origin-Opener-Policy")
	}
	if _, ok := h.encrypted(r); !ok {
		h.refuse(w, r, failure{http.StatusForbidden, "These pages need TLS",
			"This server can be reached from other machines, and the connection is not encrypted: whoever listens between would read your memory.",
			"Start it with --tls-cert and --tls-key, or name the address of the proxy that speaks TLS: satchel serve --origin https://NAME."})
		return
	}
	h.mux.ServeHTTP(w, r)
}

// secureHeaders sets what tells browsers to load nothing from elsewhere, run nothing but
// these pages' scripts, show them in no frame and keep no copy.
func secureHeaders(header http.Header) {
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	// With no-referrer browsers would send the forms of these pages with Origin: null, as
	// those of a stranger's page in a sandbox. No other site learns anything by this either.
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
}
