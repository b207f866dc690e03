package engram

import (
	"errors"
	"fmt"
)

// Reason says why an export must not be used.
type Reason string

// The reasons, each a step of section 3.8 or a rule beside it.
const (
	MalformedExport    Reason = "malformed export"
	VersionRefused     Reason = "unsupported version" // errors.As finds the *Fault
	NotSigned          Reason = "unsigned"
	MissingKid         Reason = "kid missing"
	MalformedSignature Reason = "malformed signature"
	IssuerMismatch     Reason = "issuer mismatch"
	NoKeys             Reason = "no key list"
	UnknownKid         Reason = "unknown kid"
	KeyExpired         Reason = "key expired"
	KeyNotYet          Reason = "key not valid yet"
	BadSignature       Reason = "bad signature"
	Expired            Reason = "expired"
	FromTheFuture      Reason = "issued in the future"
	WrongAudience      Reason = "wrong audience"
)

// Refusal says why an export must not be used. The caller has to discard the export
// (ENGRAM-3.8-14).
type Refusal struct {
	Reason Reason
	Rule   string // requirement, such as "ENGRAM-3.8-9"
	Detail string // for people; empty: the reason says it all
	Err    error  // the cause, if there is one
}

// Error returns the reason and its details.
func (r *Refusal) Error() string {
	s := string(r.Reason)
	if r.Detail != "" {
		s = r.Detail
	}
	if r.Err != nil {
		return fmt.Sprintf("%s: %v", s, r.Err)
	}
	return s
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// unreadable returns the refusal of an unreadable export.
func unreadable(err error) *Refusal {
	if f, ok := errors.AsType[*Fault](err); ok {
		return &Refusal{Reason: VersionRefused, Rule: f.Rule, Err: f}
	}
	return &Refusal{Reason: MalformedExport, Rule: "ENGRAM-3.8-14", Err: err}
}
