package oauth

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Challenge makes the refusals of a resource say where tokens for it come from (RFC 9728,
// section 5.1).
func (h *Handler) Challenge(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.ResourceFor(r) == "" {
			next.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(&challengeWriter{ResponseWriter: w, challenge: func() string { return h.challenge(r, "", nil) }}, r)
	})
}

// challenge is the value of WWW-Authenticate. wrong is the code of an error (RFC 6750, section
// 3.1); verbs are the scope to ask for, nil: the usual one.
func (h *Handler) challenge(r *http.Request, wrong string, verbs []memory.Verb) string {
	origin := h.options.Origin(r)
	path := strings.TrimPrefix(h.ResourceFor(r), origin)
	kind, scope := h.resourceAt(path), ""
	switch {
	case verbs != nil:
		scope = scopeOf(inOrder(verbs), "")
	case kind.context:
		scope = contextScope + "minimal"
	default:
		scope = scopeOf(usualScope(), "")
	}
	if wrong == "" && len(r.Header.Values("Authorization")) > 0 {
		wrong = "invalid_token"
	}
	value := `Bearer resource_metadata="` + origin + resourcePath + path + `", scope="` + scope + `"`
	if wrong != "" {
		value += `, error="` + wrong + `"`
	}
	return value
}

// StepUp is the challenge to a token that lacks a verb: it names all that a new token needs.
func (h *Handler) StepUp(r *http.Request, granted []memory.Verb, lacks memory.Verb) string {
	return h.challenge(r, "insufficient_scope", append([]memory.Verb{lacks}, granted...))
}

// challengeWriter adds a challenge to a refusal.
type challengeWriter struct {
	http.ResponseWriter
	challenge func() string
}

// Unwrap lets http.ResponseController find the writer below.
func (c *challengeWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteHeader sends the status.
func (c *challengeWriter) WriteHeader(status int) {
	if status == http.StatusUnauthorized {
		c.Header().Set("WWW-Authenticate", c.challenge())
	}
	c.ResponseWriter.WriteHeader(status)
}
