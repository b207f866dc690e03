package umpmcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// methods returns the HTTP methods that requests may have.
func (h *HTTP) methods() []string {
	switch {
	case h.options.Stateless:
		return []string{http.MethodPost}
	case h.watch == nil:
		return []string{http.MethodPost, http.MethodDelete}
	}
	return []string{http.MethodGet, http.MethodPost, http.MethodDelete}
}

func wrongMethod(allowed []string) error {
	message := "MCP is spoken with POST; there is no stream to GET"
	if slices.Contains(allowed, http.MethodGet) {
		message = "MCP is spoken with POST, and heard with GET"
	}
	return &statusError{http.StatusMethodNotAllowed, http.Header{"Allow": {strings.Join(allowed, ", ")}}, &memory.Error{Kind: memory.Unsupported, Message: message}}
}

// trustTime is how long the server relies on checked credentials.
const trustTime = time.Second

// readRequest reads the message of a request and returns the request with the message
// and its caller. It checks the token again after a slow message (UMP-5.2-8).
func (h *HTTP) readRequest(w *envelopeWriter, r *http.Request, c memory.Caller) (*http.Request, error) {
	identified := r.WithContext(context.WithValue(r.Context(), callerKey{}, h.withSession(r, c)))
	if r.Method != http.MethodPost {
		return identified, nil
	}
	prompt, done := context.WithTimeout(r.Context(), trustTime)
	defer done()
	data, err := h.body(w, r)
	if err == nil && prompt.Err() != nil {
		err = h.recheck(r, c)
	}
	if err != nil {
		return nil, err
	}
	if refused := refusalOfIDs(data); refused != nil {
		return nil, refused
	}
	h.setSessionID(w, r, data)
	if !isBatch(data) { // a slot has room for one answer
		identified = identified.WithContext(context.WithValue(identified.Context(), answerKey{}, &w.slot))
	}
	identified.Body = io.NopCloser(bytes.NewReader(data))
	return identified, nil
}

// recheck fails unless the request still authenticates as the same caller.
func (h *HTTP) recheck(r *http.Request, c memory.Caller) error {
	now, err := h.options.Who(r)
	if err == nil && holder(now) != holder(c) {
		err = &memory.Error{Kind: memory.Unauthorized, Rule: "UMP-5.2-8", Message: "the token is no longer what it was; send the request again"}
	}
	return err
}
