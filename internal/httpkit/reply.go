// Package httpkit holds the HTTP code that all bindings share. They let callers in
// (options.go), read a body (body.go), answer (reply.go), and end a long answer if the caller
// would not be let in any more (stay.go).
package httpkit

import (
	"net/http"
	"strconv"
	"strings"
)

// Send answers with a whole body. It forbids caching, unless the header Cache-Control is
// already set.
func Send(w http.ResponseWriter, status int, media string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	setDefault(header, "Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone; there is nobody to tell
}

// SendTagged is Send for a body with an entity tag: a client that has the body gets 304.
func SendTagged(w http.ResponseWriter, r *http.Request, media string, body []byte, tag string) {
	tag = `"` + tag + `"`
	w.Header().Set("ETag", tag)
	for known := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if known = strings.TrimPrefix(strings.TrimSpace(known), "W/"); known == tag || known == "*" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	Send(w, http.StatusOK, media, body)
}

// Refuse is Send for a refusal: it forbids caching, and its headers tell the client how to
// continue. It sets the headers of more unless they are already set.
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
	case http.StatusRequestEntityTooLarge: // the rest of the body is not read
		header.Set("Connection", "close")
	}
	header.Set("Cache-Control", "no-store")
	Send(w, status, media, body)
}

// EventType is the media type of a stream of events.
const EventType = "text/event-stream"

// AnnounceEvents sets the headers of an answer that is a stream of events.
func AnnounceEvents(header http.Header) {
	header.Set("Content-Type", EventType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // so that a proxy does not hold events back
	header.Set("X-Content-Type-Options", "nosniff")
}

func setDefault(h http.Header, name, value string) {
	if h.Get(name) == "" {
		h.Set(name, value)
	}
}
