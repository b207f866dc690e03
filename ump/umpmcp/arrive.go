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

// methods are those that requests may have.
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
	return &answer{http.StatusMethodNotAllowed, http.Header{"Allow": {strings.Join(allowed, ", ")}}, &memory.Error{Kind: memory.Unsupported, Message: message}}
}

// trusted is how long credentials that were found good are relied on.
const trusted = time.Second

// arrived returns the request with all of its message and who makes it. A token
// may have ended while its message trickled in (UMP-5.2-8).
func (h *HTTP) arrived(w http.ResponseWriter, r *http.Request, c memory.Caller) (*http.Request, error) {
	identified := r.WithContext(context.WithValue(r.Context(), callerKey{}, h.conversing(r, c)))
	if r.Method != http.MethodPost {
		return identified, nil
	}
	prompt, done := context.WithTimeout(r.Context(), trusted)
	defer done()
	data, err := h.body(w, r)
	if err == nil && prompt.Err() != nil {
		err = h.again(r, c)
	}
	if err != nil {
		return nil, err
	}
	if refused := refusalOfIDs(data); refused != nil {
		return nil, refused
	}
	h.name(w, r, data)
	identified.Body = io.NopCloser(bytes.NewReader(data))
	return identified, nil
}

// again fails when the caller would not be let in now as it was at the beginning.
func (h *HTTP) again(r *http.Request, c memory.Caller) error {
	now, err := h.options.Who(r)
	if err == nil && holder(now) != holder(c) {
		err = &memory.Error{Kind: memory.Unauthorized, Rule: "UMP-5.2-8", Message: "the token is no longer what it was; send the request again"}
	}
	return err
}
