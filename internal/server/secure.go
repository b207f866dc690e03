package server

import "net/http"

// strictTransport tells browsers to come by TLS only, for a year.
const strictTransport = "max-age=31536000"

// secured sets the headers that every answer has, unless a route says
// otherwise: nothing is to be guessed, framed, run, kept, or read by pages of
// elsewhere.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		if r.TLS != nil && !local(nameOf(r.Host)) { // a browser keeps it for a name and all its ports: localhost belongs to others, too
			header.Set("Strict-Transport-Security", strictTransport)
		}
		next.ServeHTTP(w, r)
	})
}
