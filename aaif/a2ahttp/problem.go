package a2ahttp

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

var (
	errMedia = &a2a.Fault{Code: a2a.ContentNotSupported, Text: "send the request as application/json"}
	errBusy  = &memory.Error{Kind: memory.RateLimited, Message: "too many streams are open; wait a moment, or ask for the task"}
)

// statusOf returns the status of an answer with a fault. JSON-RPC has its faults in answers
// that succeed.
func statusOf(f *a2a.Fault) int {
	if f == errMedia {
		return http.StatusUnsupportedMediaType
	}
	return http.StatusOK
}

// refuse answers a request that does not come as far as JSON-RPC, or breaks off there.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if status, _ := refusalOf(err); status >= http.StatusInternalServerError {
		h.options.Report(r, err)
	}
	WriteError(w, err)
}

// WriteError answers a request of these routes with an error. It keeps headers that are set.
func WriteError(w http.ResponseWriter, err error) {
	status, f := refusalOf(err)
	more := http.Header{}
	switch status {
	case http.StatusTooManyRequests:
		more.Set("Retry-After", "1")
	case http.StatusServiceUnavailable:
		more.Set("Retry-After", "2")
	}
	httpkit.Refuse(w, status, jsonType, a2a.Answer(a2a.V1, canon.Null(), canon.Value{}, f).Append(nil), more)
}

// refusalOf returns the status and the fault of an error. It hides the cause of a server
// fault.
func refusalOf(err error) (int, *a2a.Fault) {
	said := ""
	if e, ok := errors.AsType[*memory.Error](err); ok {
		said = e.Message
	}
	fault := func(status int, code a2a.Code, otherwise string) (int, *a2a.Fault) {
		return status, &a2a.Fault{Code: code, Text: cmp.Or(said, otherwise)}
	}
	if _, ok := errors.AsType[*httpkit.BodyError](err); ok {
		return fault(http.StatusBadRequest, a2a.InvalidRequest, "the request did not arrive whole")
	}
	switch kind := memory.KindOf(err); {
	case errors.Is(err, httpkit.ErrTooLarge):
		return fault(http.StatusRequestEntityTooLarge, a2a.InvalidRequest, "the request is larger than is taken here")
	case kind == memory.Unauthorized:
		return fault(http.StatusUnauthorized, a2a.NotAllowed, "credentials are missing, wrong or expired")
	case kind == memory.ForbiddenScope, kind == memory.ConsentViolation:
		return fault(http.StatusForbidden, a2a.NotAllowed, "these credentials do not allow that")
	case kind == memory.NotFound:
		return fault(http.StatusNotFound, a2a.InvalidRequest, "no agent is served here")
	case kind == memory.RateLimited:
		return fault(http.StatusTooManyRequests, a2a.NotAllowed, "too many requests")
	case kind == memory.Unsupported:
		return fault(http.StatusNotImplemented, a2a.UnsupportedOperation, "this is not offered here")
	case memory.IsTemporary(err):
		return fault(http.StatusServiceUnavailable, a2a.InternalError, "this is temporarily unavailable; send it again in a little while")
	}
	return http.StatusInternalServerError, &a2a.Fault{Code: a2a.InternalError, Text: "something went wrong here; the log says what"}
}
