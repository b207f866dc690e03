package umphttp

import (
	"errors"
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

// WrongMethod returns the error for a request with a method its route does not
// have: 405, with the methods it has (UMP-4.2-10).
func WrongMethod(allowed ...string) error {
	has := strings.Join(allowed, ", ")
	return &answer{http.StatusMethodNotAllowed, http.Header{"Allow": {has}},
		&memory.Error{Kind: memory.Unsupported, Message: "this route answers " + has}}
}

// WriteError writes the error envelope of section 3 with the status of decision
// UD-22. What the caller must be told besides – where to sign in, when to come
// back – goes into headers; those already set are kept.
func WriteError(w http.ResponseWriter, err error) {
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
