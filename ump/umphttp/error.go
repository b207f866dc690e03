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

// WrongMethod returns the error for a method that the route does not have: 405 and the
// methods that it has (UMP-4.2-10).
func WrongMethod(allowed ...string) error {
	has := strings.Join(allowed, ", ")
	return &statusError{http.StatusMethodNotAllowed, http.Header{"Allow": {has}},
		&memory.Error{Kind: memory.Unsupported, Message: "this route answers " + has}}
}

// WriteError writes the error envelope of section 3 with the status of decision UD-22.
// Headers say where to sign in and when to retry. WriteError keeps headers that are
// already set.
func WriteError(w http.ResponseWriter, err error) {
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
