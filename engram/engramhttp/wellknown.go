package engramhttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// Clients may cache documents that are the same for everybody. They may not cache keys for
// long, because an issuer may revoke one.
const (
	forMinutes = "public, max-age=300"
	forAMinute = "public, max-age=60"
)

// discovery describes the store (section 3.9), without anybody's data.
func (h *Handler) discovery(w http.ResponseWriter, _ *http.Request, _ memory.Caller) error {
	issuer, err := h.options.Issuer()
	if err != nil {
		return err
	}
	scopes := make([]canon.Value, 0, len(engram.Scopes()))
	for _, s := range engram.Scopes() {
		scopes = append(scopes, canon.String(string(s)))
	}
	endpoints := append([]canon.Member{
		member("context", contextPath), member("correct", correctPath), member("diff", diffPath), member("keys", keysPath),
	}, h.laterEndpoints()...)
	w.Header().Set("Cache-Control", forMinutes)
	send(w, http.StatusOK, canon.Object(
		member("engram_version", engram.Version),
		canon.Member{Name: "issuer", Value: issuer.Wire()},
		canon.Member{Name: "endpoints", Value: canon.Object(endpoints...)},
		canon.Member{Name: "scopes_supported", Value: canon.Array(scopes...)},
		member("auth_note", "The owner of this store issues tokens: satchel token mint --runtime NAME --scope SCOPE. Version 0.2 is to standardise delegation."),
	).Append(nil))
	return nil
}

// keys serves the keys that verify contexts (section 3.8).
func (h *Handler) keys(w http.ResponseWriter, _ *http.Request, _ memory.Caller) error {
	issuer, err := h.options.Issuer()
	if err != nil {
		return err
	}
	body := issuer.Keys
	if len(body) == 0 {
		body = []byte(`{"keys":[]}`)
	}
	w.Header().Set("Cache-Control", forAMinute)
	send(w, http.StatusOK, body)
	return nil
}

// schema serves a JSON Schema of contexts (section 12.3), for writers or for readers.
func schema(p engram.Profile) func(*Handler, http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(_ *Handler, w http.ResponseWriter, _ *http.Request, _ memory.Caller) error {
		w.Header().Set("Content-Type", "application/schema+json")
		w.Header().Set("Cache-Control", forMinutes)
		send(w, http.StatusOK, engram.Schema(p))
		return nil
	}
}
