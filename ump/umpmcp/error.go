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

// statusError is an error with another status than that of its kind.
type statusError struct {
	status int
	header http.Header
	err    error
}

// Error describes the refusal.
func (a *statusError) Error() string { return a.err.Error() }

// Unwrap returns the refusal.
func (a *statusError) Unwrap() error { return a.err }

// writeError answers a request that never becomes a message of JSON-RPC. It writes the
// error envelope of section 3, as every binding does (UMP-3-2).
func writeError(w http.ResponseWriter, err error) {
	if refused, ok := errors.AsType[*refusal](err); ok { // the SDK would not answer this id
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
	if a, ok := errors.AsType[*statusError](err); ok {
		status = a.status
		maps.Copy(more, a.header)
	}
	httpkit.Refuse(w, status, "application/json", ump.ErrorEnvelope(err), more)
}

// envelopeWriter writes errors of the SDK in plain text as error envelopes with the same
// status. It passes on everything else, with the answer to the call in its place.
type envelopeWriter struct {
	http.ResponseWriter
	slot   slot
	status int // of an error in plain text; 0: no error
	text   strings.Builder
}

// maxText is the most bytes of an error in plain text that envelopeWriter keeps.
const maxText = 512

// Unwrap returns the wrapped writer for http.ResponseController.
func (e *envelopeWriter) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// WriteHeader sends the status, unless it is that of an error in plain text.
func (e *envelopeWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(e.Header().Get("Content-Type"), "text/plain") {
		e.status = status
		return
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write sends a message or a piece of a stream, or keeps the text of an error.
func (e *envelopeWriter) Write(p []byte) (int, error) {
	if e.status == 0 {
		if _, err := e.ResponseWriter.Write(e.slot.splice(p)); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	e.text.Write(p[:min(len(p), maxText-e.text.Len())])
	return len(p), nil
}

// FlushError flushes the answer.
func (e *envelopeWriter) FlushError() error {
	if e.status != 0 {
		return nil
	}
	return http.NewResponseController(e.ResponseWriter).Flush()
}

// finish answers an error in plain text.
func (e *envelopeWriter) finish() {
	if e.status == 0 {
		return
	}
	kind, message := sdkRefusal(e.status, strings.TrimSpace(e.text.String()))
	writeError(e.ResponseWriter, &statusError{status: e.status, err: &memory.Error{Kind: kind, Message: message}})
}

// sdkRefusal returns kind and message of an error of the SDK with this status. It passes
// on the SDK's text only if that repeats nothing of the request.
func sdkRefusal(status int, text string) (kind memory.ErrorKind, message string) {
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
		kind, message := sdkRefusal(http.StatusRequestEntityTooLarge, "")
		return nil, &statusError{http.StatusRequestEntityTooLarge, http.Header{"Connection": {"close"}}, &memory.Error{Kind: kind, Message: message}}
	}
	if err != nil {
		return nil, &memory.Error{Kind: memory.InvalidRecord, Message: "the message did not arrive whole; send it again", Err: err}
	}
	return data, nil
}
