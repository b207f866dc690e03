package model

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// ErrorKind says why there is no answer.
type ErrorKind string

// The kinds of failure.
const (
	Broken        ErrorKind = "broken"         // no connection, it broke, or nothing came in time
	Refused       ErrorKind = "refused"        // the provider answers with a status or an error
	NotUnderstood ErrorKind = "not_understood" // the answer is none of this wire
	TooLarge      ErrorKind = "too_large"      // the answer, or a line of it
	Invalid       ErrorKind = "invalid"        // a parameter is out of bounds (AAIF-4.2-25); nothing was sent
	Denied        ErrorKind = "EGRESS_DENIED"  // the address must not be contacted (AAIF-4.2-20)
	Unconfigured  ErrorKind = "PROVIDER_UNCONFIGURED"
)

// Error says why there is no answer. It never holds a key.
type Error struct {
	Kind     ErrorKind
	Provider string
	Host     string
	Status   int    // of HTTP, of a refusal
	Message  string // the provider's own, at most 300 characters on one line; or the parameter
	Err      error  // the cause

	unknown bool        // of a refusal: there is no such model
	header  http.Header // of a refusal
	said    canon.Value // of a refusal
}

// Error says what happened, and where.
func (e *Error) Error() string {
	at := e.Host
	if at == "" {
		at = e.Provider
	}
	text := at
	switch e.Kind {
	case Broken:
		text = "no answer from " + at
	case Refused:
		text = at + " answers with status " + strconv.Itoa(e.Status)
	case NotUnderstood:
		text = "the answer of " + at + " is not understood"
	case TooLarge:
		text = "the answer of " + at + " is too large"
	case Invalid:
		text = "this cannot be asked of " + at
	case Denied:
		text = "the address of " + at + " must not be contacted"
	case Unconfigured:
		text = fmt.Sprintf("no address is set up for the provider %s", at)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// errShape is the cause of an answer of another form.
var errShape = errors.New("the answer has another form")
