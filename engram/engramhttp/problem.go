package engramhttp

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Problem is the member error of every refusal (section 3.9). Status is the answer's status
// (ENGRAM-3.9-ERR-1).
type Problem struct {
	Code    engram.Code `json:"code"`
	Message string      `json:"message"`
	Status  int         `json:"status"`

	header http.Header
}

// WriteError answers with the problem of an error. It keeps headers that are already set.
func WriteError(w http.ResponseWriter, err error) { problemOf(err).write(w) }

// answer is an error with its own status and headers. The API has ten codes only: other
// faults of a request are invalid_request (decision E-35).
type answer struct {
	status int
	detail string
	header http.Header
	err    error
}

// Error describes the refusal.
func (a *answer) Error() string { return http.StatusText(a.status) + ": " + a.detail }

// Unwrap returns the cause.
func (a *answer) Unwrap() error { return a.err }

func wrongMethod(allowed []string) error {
	has := strings.Join(allowed, ", ")
	return &answer{status: http.StatusMethodNotAllowed, detail: "this route answers " + has, header: http.Header{"Allow": {has}}}
}

// invalid refuses an invalid request.
func invalid(rule, detail string) error {
	return &engram.Fault{Code: engram.InvalidRequest, Rule: rule, Detail: detail}
}

// problemOf returns the problem of an error. It hides the cause of an internal fault.
func problemOf(err error) Problem {
	if a, ok := errors.AsType[*answer](err); ok {
		return Problem{codeOf(a.status), a.detail, a.status, a.header}
	}
	if f, ok := errors.AsType[*engram.Fault](err); ok {
		return Problem{Code: f.Code, Message: cmp.Or(f.Detail, "the request was refused"), Status: f.Code.Status()}
	}
	return problemOfKind(err)
}

// codeOf returns the code for a status without its own.
func codeOf(status int) engram.Code {
	if status >= http.StatusInternalServerError {
		return engram.ServerError
	}
	return engram.InvalidRequest
}

// problemOfKind maps kinds of errors to status and code.
func problemOfKind(err error) Problem {
	said := ""
	if e, ok := errors.AsType[*memory.Error](err); ok {
		said = e.Message
	}
	plain := func(code engram.Code, otherwise string) Problem {
		return Problem{Code: code, Message: cmp.Or(said, otherwise), Status: code.Status()}
	}
	switch memory.KindOf(err) {
	case memory.Unauthorized:
		return plain(engram.Unauthorized, "the token is missing or opens nothing; ask the owner for one")
	case memory.ForbiddenScope, memory.ConsentViolation:
		return plain(engram.Forbidden, "the token does not allow that")
	case memory.Unsupported: // such as a correction to a read-only server (decision E-32)
		return plain(engram.Forbidden, "this is not offered here")
	case memory.NotFound:
		return Problem{Code: engram.InvalidRequest, Message: cmp.Or(said, "there is nothing here"), Status: http.StatusNotFound}
	case memory.RateLimited:
		p := plain(engram.RateLimited, "too many requests; wait as long as Retry-After says")
		p.header = http.Header{"Retry-After": {"1"}}
		return p
	case memory.InvalidRecord, memory.SignatureInvalid:
		return plain(engram.InvalidRequest, "the request breaks a rule")
	}
	if memory.IsTemporary(err) {
		return Problem{Code: engram.ServerError, Message: "this is temporarily unavailable; send it again in a little while",
			Status: http.StatusServiceUnavailable, header: http.Header{"Retry-After": {"2"}}}
	}
	return Problem{Code: engram.ServerError, Message: "something went wrong here; the log says what", Status: http.StatusInternalServerError}
}

func (p Problem) write(w http.ResponseWriter) {
	body, err := json.Marshal(map[string]Problem{"error": p})
	if err != nil { // strings and a number always encode
		body = nil
	}
	httpkit.Refuse(w, p.Status, "application/json", body, p.header)
}

// sendList answers with an object that holds a list.
func sendList[T any](w http.ResponseWriter, name string, list []T, wire func(T) canon.Value) {
	items := make([]canon.Value, len(list))
	for i, x := range list {
		items[i] = wire(x)
	}
	send(w, http.StatusOK, canon.Object(canon.Member{Name: name, Value: canon.Array(items...)}).Append(nil))
}

// send answers with JSON, which must not be cached unless the headers say so (decision
// E-45).
func send(w http.ResponseWriter, status int, body []byte) {
	httpkit.Send(w, status, cmp.Or(w.Header().Get("Content-Type"), "application/json"), body)
}
