package umpmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
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
	if verb := lacking(c, data); verb != "" && h.options.StepUp != nil && h.options.StepUp(w.Header(), r, c, verb) {
		return nil, &memory.Error{Kind: memory.ForbiddenScope, Rule: "UMP-5.2-2", Message: "the token does not grant " + string(verb) + ": ask the owner for one that does"}
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

// lacking returns the verb that a call of a tool needs and the caller's token does not grant;
// empty: there is none, or the message is no call. A call that asks for more by its arguments
// gets its refusal as a result.
func lacking(c memory.Caller, message []byte) memory.Verb {
	var call struct {
		Method string
		Params struct{ Name string }
	}
	if c.Grant == nil || json.Unmarshal(message, &call) != nil || call.Method != "tools/call" || len(call.Params.Name) < len("ump_") {
		return ""
	}
	var verb memory.Verb
	switch ump.Operation(call.Params.Name[len("ump_"):]) {
	case ump.OpRecall, ump.OpGet:
		verb = memory.ReadVerb
	case ump.OpRemember, ump.OpRevise, ump.OpForget:
		verb = memory.WriteVerb
	}
	if verb == "" || c.Grant.Allows(verb) {
		return ""
	}
	return verb
}
