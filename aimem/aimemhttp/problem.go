package aimemhttp

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Problem is the body of every error (AIMEM-3-3, decision AD-18).
type Problem struct {
	Type    string     `json:"type"` // "urn:aimem:problem:" and the code
	Title   aimem.Code `json:"title"`
	Status  int        `json:"status"`
	Detail  string     `json:"detail"`
	Code    aimem.Code `json:"code"`
	Pointer string     `json:"pointer,omitempty"` // JSON Pointer into the bundle

	header http.Header
}

// The codes of errors outside of bundles.
const (
	notFound         aimem.Code = "not_found"
	methodNotAllowed aimem.Code = "method_not_allowed"
	invalidQuery     aimem.Code = "invalid_parameter"
	refusedCode      aimem.Code = "refused"
	rateLimited      aimem.Code = "rate_limited"
	notOffered       aimem.Code = "not_offered"
	unavailable      aimem.Code = "unavailable"
	internal         aimem.Code = "internal"
)

// WriteError writes an error as a problem. It keeps headers that are already set.
func WriteError(w http.ResponseWriter, err error) { problemOf(err).write(w) }

// statusError is an error with its own status and headers.
type statusError struct {
	status int
	code   aimem.Code
	detail string
	header http.Header
	err    error
}

// Error describes the refusal.
func (a *statusError) Error() string { return string(a.code) + ": " + a.detail }

// Unwrap returns the cause.
func (a *statusError) Unwrap() error { return a.err }

func wrongMethod(allowed []string) error {
	has := strings.Join(allowed, ", ")
	return &statusError{status: http.StatusMethodNotAllowed, code: methodNotAllowed, detail: "this route answers " + has, header: http.Header{"Allow": {has}}}
}

// busyError is the error for a request that has no turn.
func busyError(detail string) error {
	return &statusError{status: http.StatusTooManyRequests, code: rateLimited, detail: detail, header: http.Header{"Retry-After": {"5"}}}
}

// invalid refuses a parameter of the query (decision AD-20: 422, not 400).
func invalid(name, want string) error {
	return &statusError{status: http.StatusUnprocessableEntity, code: invalidQuery, detail: "the parameter " + name + " is " + want}
}

// problemOf returns the problem of an error. It hides the cause of an internal error.
func problemOf(err error) Problem {
	if a, ok := errors.AsType[*statusError](err); ok {
		return newProblem(a.status, a.code, a.detail, a.header)
	}
	if f, ok := errors.AsType[*aimem.Fault](err); ok {
		p := newProblem(f.Code.Status(), f.Code, f.Detail, nil)
		p.Pointer = f.Pointer
		return p
	}
	return problemOfKind(err)
}

// problemOfKind is the table from kinds of refusal to status and code.
func problemOfKind(err error) Problem {
	said := ""
	if e, ok := errors.AsType[*memory.Error](err); ok {
		said = e.Message
	}
	switch memory.KindOf(err) {
	case memory.Unauthorized:
		return newProblem(http.StatusUnauthorized, aimem.Unauthenticated, cmp.Or(said, "credentials are missing, wrong or expired; ask the owner for a token"), nil)
	case memory.ForbiddenScope:
		return newProblem(http.StatusForbidden, aimem.MissingScope, cmp.Or(said, "these credentials do not allow that"), nil)
	case memory.ConsentViolation:
		return newProblem(http.StatusForbidden, refusedCode, cmp.Or(said, "what the owner consented to does not allow that"), nil)
	case memory.NotFound:
		return newProblem(http.StatusNotFound, notFound, cmp.Or(said, "there is nothing here"), nil)
	case memory.RateLimited:
		return newProblem(http.StatusTooManyRequests, rateLimited, cmp.Or(said, "too many requests; wait as long as Retry-After says"), http.Header{"Retry-After": {"1"}})
	case memory.Unsupported:
		return newProblem(http.StatusNotImplemented, notOffered, cmp.Or(said, "this is not offered here"), nil)
	case memory.InvalidRecord, memory.SignatureInvalid:
		return newProblem(http.StatusUnprocessableEntity, refusedCode, cmp.Or(said, "the request breaks a rule"), nil)
	}
	if memory.IsTemporary(err) {
		return newProblem(http.StatusServiceUnavailable, unavailable, cmp.Or(said, "this is temporarily unavailable; send it again in a little while"), http.Header{"Retry-After": {"2"}})
	}
	return newProblem(http.StatusInternalServerError, internal, cmp.Or(said, "something went wrong here; the log says what"), nil)
}

func newProblem(status int, code aimem.Code, detail string, header http.Header) Problem {
	return Problem{Type: "urn:aimem:problem:" + string(code), Title: code, Status: status, Detail: detail, Code: code, header: header}
}

func (p Problem) write(w http.ResponseWriter) {
	w.Header().Del("Content-Disposition")
	w.Header().Del(aimem.SignatureHeader)
	body, err := json.Marshal(p)
	if err != nil { // of strings and a number: cannot be
		body = nil
	}
	httpkit.Refuse(w, p.Status, "application/problem+json", body, p.header)
}
