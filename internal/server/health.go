package server

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// readyTimeout is how long the store has to answer.
const readyTimeout = 2 * time.Second

// page returns a short plain text and its status.
type page func(*http.Request) (status int, text string)

// show answers with a page.
func show(p page, w http.ResponseWriter, r *http.Request) error {
	status, text := p(r)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client has gone; nobody reads an error
	return nil
}

// live says that the process answers.
func live(*http.Request) (int, string) { return http.StatusOK, "ok\n" }

// ready says whether the server takes more requests: the store answers, and the server is
// not about to stop.
func (s *server) ready() page {
	b := s.options.Backend
	return func(r *http.Request) (int, string) {
		if s.stopping.Load() {
			return http.StatusServiceUnavailable, "the server is stopping\n"
		}
		ctx, done := context.WithTimeout(r.Context(), readyTimeout)
		defer done()
		away, err := b.Ready(ctx)
		switch {
		case err != nil:
			return http.StatusServiceUnavailable, "the store does not answer\n"
		case len(away) > 0:
			return http.StatusOK, "ready, but these machines of the store do not answer, so that the owners there get 503: " + strings.Join(away, ", ") + "\n"
		}
		return http.StatusOK, "ready\n"
	}
}

// homePage names the program.
func homePage(release string) page {
	return func(*http.Request) (int, string) {
		return http.StatusOK, "Satchel " + release + ": memory that its owner carries.\n" +
			"MCP at /mcp, the Universal Memory Protocol at /ump/, described in /.well-known/ump.json.\n"
	}
}
