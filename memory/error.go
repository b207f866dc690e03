package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrorKind says why an operation was refused. The kinds are the error codes of
// UMP 3.7; each binding owns one table from kind to its own code and status.
type ErrorKind string

// The kinds of refusal. Only Internal is not the caller's fault.
const (
	Unauthorized     ErrorKind = "unauthorized"      // credentials missing, wrong or expired
	ForbiddenScope   ErrorKind = "forbidden_scope"   // credentials good, verb or scope not granted
	NotFound         ErrorKind = "not_found"         // no such record for this caller
	InvalidRecord    ErrorKind = "invalid_record"    // the input breaks a rule
	ConsentViolation ErrorKind = "consent_violation" // the record's own policy forbids it
	SignatureInvalid ErrorKind = "signature_invalid" // hash or signature does not verify
	Unsupported      ErrorKind = "unsupported"       // not offered here
	RateLimited      ErrorKind = "rate_limited"      // too many requests
	Internal         ErrorKind = "internal"          // our fault, or the disk's
)

// ErrUnavailable is among the causes of an [Error] of kind Internal if the same call may
// succeed a little later. Bindings then tell the caller to try again.
var ErrUnavailable = errors.New("temporary: the same call may succeed later")

// IsTemporary reports whether an error is a temporary failure of the service: the same call
// may succeed a little later. It is one if ErrUnavailable is among its causes. It is also one
// if the service canceled the call, because it stops; a caller who cancels hears no answer.
func IsTemporary(err error) bool {
	return KindOf(err) == Internal && (errors.Is(err, ErrUnavailable) || errors.Is(err, context.Canceled))
}

// Error is a refusal. People see Message and Rule; the log gets the cause in Err. A message
// never repeats the content of a memory.
type Error struct {
	Kind    ErrorKind
	Op      string // what was attempted: "remember", "import"
	ID      ID     // the record concerned, if one is
	Path    string // JSON Pointer into the input, if a place is known
	Rule    string // the requirement that was broken, such as "UMP-2-4"
	Message string // what is wrong and what to do next
	Err     error  // the cause, if any
}

// Error describes the refusal in one line: operation, kind, message, and the place and rule
// if the message does not name them.
func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Message != "" {
		s += ": " + e.Message
	} else if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Path != "" && !strings.Contains(s, e.Path) { // a message may already name the place
		s += " at " + e.Path
	}
	if e.Rule != "" && !strings.Contains(s, e.Rule) {
		s += fmt.Sprintf(" [%s]", e.Rule)
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SupersededError is the cause of a refusal: the record was replaced by others.
type SupersededError struct {
	Current []ID // the records that replaced it, as far as the caller may read them
	Holds   ID   // the version in force until Current begins; empty: Current has begun
}

// Error describes the refusal.
func (e *SupersededError) Error() string { return "the record was replaced" }

// KindOf returns the kind of the first [Error] in err's chain, Internal for any
// other error, and "" for nil.
func KindOf(err error) ErrorKind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}
