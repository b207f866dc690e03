package umpmcp

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// answer is an error that asks for another status than that of its kind.
type answer struct {
	status int
	header http.Header
	err    error
}

// Error describes the refusal.
func (a *answer) Error() string { return a.err.Error() }

// Unwrap returns the refusal.
func (a *answer) Unwrap() error { return a.err }

// writeError answers what never becomes a message of JSON-RPC: with the error
// envelope of section 3, as every binding does (UMP-3-2).
func writeError(w http.ResponseWriter, err error) {
	if refused, ok := errors.AsType[*refusal](err); ok { // an id that is answered in no other way
		text, err := refused.line()
		if err == nil {
			httpkit.Refuse(w, http.StatusBadRequest, "application/json", text, nil)
			return
		}
	}
	status, more := ump.StatusOf(err), http.Header{}
	if after := ump.RetryAfter(err); after > 0 {
		more.Set("Retry-After", strconv.Itoa(after))
	}
	if a, ok := errors.AsType[*answer](err); ok {
		status = a.status
		maps.Copy(more, a.header)
	}
	httpkit.Refuse(w, status, "application/json", ump.ErrorEnvelope(err), more)
}

// enveloped puts the errors that the SDK says in plain text into the error
// envelope, with the status it gives them. Everything else passes as it is.
type enveloped struct {
	http.ResponseWriter
	status int // of an error in plain text; 0: there is none
	text   strings.Builder
}

// maxText is the most bytes of an error in plain text that are looked at.
const maxText = 512

// Unwrap lets http.ResponseController find what lies below.
func (e *enveloped) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// WriteHeader sends the status, unless it is that of an error in plain text.
func (e *enveloped) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(e.Header().Get("Content-Type"), "text/plain") {
		e.status = status
		return
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write sends a piece of the answer, or takes note of an error.
func (e *enveloped) Write(p []byte) (int, error) {
	if e.status == 0 {
		return e.ResponseWriter.Write(p)
	}
	e.text.Write(p[:min(len(p), maxText-e.text.Len())])
	return len(p), nil
}

// FlushError sends what was written so far.
func (e *enveloped) FlushError() error {
	if e.status != 0 {
		return nil
	}
	return http.NewResponseController(e.ResponseWriter).Flush()
}

// finish answers an error that was said in plain text.
func (e *enveloped) finish() {
	if e.status == 0 {
		return
	}
	kind, message := refusalOf(e.status, strings.TrimSpace(e.text.String()))
	writeError(e.ResponseWriter, &answer{status: e.status, err: &memory.Error{Kind: kind, Message: message}})
}

// refusalOf returns what an error of the SDK is by its status. Its text is passed
// on where it is sure to repeat nothing of the request.
func refusalOf(status int, text string) (kind memory.ErrorKind, message string) {
	switch status {
	case http.StatusUnauthorized:
		return memory.Unauthorized, "send a token as Authorization: Bearer …"
	case http.StatusForbidden:
		return memory.ForbiddenScope, "the session belongs to another token; begin one with initialize"
	case http.StatusNotFound:
		return memory.NotFound, "there is no such session; begin one with initialize"
	case http.StatusMethodNotAllowed:
		return memory.Unsupported, "MCP is spoken with POST, and heard with GET"
	case http.StatusConflict:
		return memory.Unsupported, "the session has such a stream open; close it first"
	case http.StatusRequestEntityTooLarge:
		return memory.InvalidRecord, "the message is too large; send fewer or smaller records"
	case http.StatusUnsupportedMediaType:
		return memory.Unsupported, "send the message as application/json"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return memory.RateLimited, "come back when Retry-After says"
	}
	if status >= http.StatusInternalServerError {
		return memory.Internal, ""
	}
	for _, harmless := range []string{"Accept must contain", "Bad Request: ", "POST requires", "can't send Last-Event-ID"} {
		if strings.HasPrefix(text, harmless) {
			return memory.InvalidRecord, strings.TrimPrefix(text, "Bad Request: ")
		}
	}
	return memory.InvalidRecord, "this is no message of MCP; send one message of JSON-RPC 2.0 that the protocol knows"
}

// body reads a message within its limit.
func (h *HTTP) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.options.MaxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		kind, message := refusalOf(http.StatusRequestEntityTooLarge, "")
		return nil, &answer{http.StatusRequestEntityTooLarge, http.Header{"Connection": {"close"}}, &memory.Error{Kind: kind, Message: message}}
	}
	if err != nil {
		return nil, &memory.Error{Kind: memory.InvalidRecord, Message: "the message did not arrive whole; send it again", Err: err}
	}
	return data, nil
}
