// Package httpkit holds what all bindings do alike over HTTP: they let callers in (door.go),
// read a body (body.go), answer (reply.go), and end a long answer when the caller would not
// be let in any more (welcome.go).
package httpkit

import (
	"net/http"
	"strconv"
)

// Send answers with a whole body. It is not to be kept by anybody, unless the header
// Cache-Control says otherwise already.
func Send(w http.ResponseWriter, status int, media string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	setDefault(header, "Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone; there is nobody to tell
}

// Refuse is Send for a refusal: nobody keeps it, and its headers say what the client
// needs to go on. Those of more are set unless they are already.
func Refuse(w http.ResponseWriter, status int, media string, body []byte, more http.Header) {
	header := w.Header()
	for name, values := range more {
		if header.Get(name) == "" {
			header[name] = values
		}
	}
	switch status {
	case http.StatusUnauthorized:
		setDefault(header, "WWW-Authenticate", `Bearer realm="satchel"`)
	case http.StatusRequestEntityTooLarge: // what follows is not read
		header.Set("Connection", "close")
	}
	header.Set("Cache-Control", "no-store")
	Send(w, status, media, body)
}

func setDefault(h http.Header, name, value string) {
	if h.Get(name) == "" {
		h.Set(name, value)
	}
}
