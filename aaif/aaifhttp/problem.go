package aaifhttp

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// The codes of errors that no document causes.
const (
	TLSRequired      aaif.Code = "TLS_REQUIRED"  // a state would travel unencrypted
	NotConfirmed     aaif.Code = "NOT_CONFIRMED" // a platform got a state and did not confirm it
	unauthorized     aaif.Code = "UNAUTHORIZED"
	forbidden        aaif.Code = "FORBIDDEN"
	notFound         aaif.Code = "NOT_FOUND"
	methodNotAllowed aaif.Code = "METHOD_NOT_ALLOWED"
	notAcceptable    aaif.Code = "NOT_ACCEPTABLE"
	unsupportedMedia aaif.Code = "UNSUPPORTED_MEDIA_TYPE"
	invalidQuery     aaif.Code = "INVALID_PARAMETER"
	cutOff           aaif.Code = "CUT_OFF"
	timeOut          aaif.Code = "TIMEOUT"
	rateLimited      aaif.Code = "RATE_LIMITED"
	notOffered       aaif.Code = "NOT_OFFERED"
	refusedCode      aaif.Code = "REFUSED"
	unavailable      aaif.Code = "UNAVAILABLE"
	internal         aaif.Code = "INTERNAL"
)

// statusOf maps the codes of document errors to HTTP statuses. The default is 422
// (AAIF-7-16).
func statusOf(code aaif.Code) int {
	switch code {
	case aaif.TooLarge, aaif.FrameTooLarge:
		return http.StatusRequestEntityTooLarge
	case aaif.UnsatisfiedCapabilities, aaif.AgentDeprecated, aaif.SignerChanged, aaif.TokenReplayed, aaif.StateLeft, aaif.StateTransition,
		RunHeld, RunExists, RunCopied, aaif.ApprovalMismatch, aaif.ApprovalTimeout:
		return http.StatusConflict
	case aaif.ConcurrencyLimit:
		return http.StatusTooManyRequests
	case aaif.AuditUnavailable:
		return http.StatusServiceUnavailable
	case aaif.TokenInvalid, aaif.TokenExpired:
		return http.StatusUnauthorized
	case aaif.TokenBinding, aaif.TokenAudience, aaif.PrincipalMismatch:
		return http.StatusForbidden
	case aaif.AgentUnknown:
		return http.StatusNotFound
	case aaif.BadFrame, aaif.ProtocolError:
		return http.StatusBadRequest
	}
	return http.StatusUnprocessableEntity
}

// problem is an error in the form for clients: code and message as in a handoff_error
// (section 8.3), and all faults of the document.
type problem struct {
	status  int
	code    aaif.Code
	message string
	faults  []*codec.ParseError
	header  http.Header
}

// WriteError answers a request of these routes with the problem of an error. It keeps
// headers that are set.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	problemOf(err).write(w, r.URL.Path == HandoffPath)
}

// answer is an error with its own status and headers.
type answer struct {
	status int
	code   aaif.Code
	detail string
	header http.Header
	err    error
}

// Error describes the refusal.
func (a *answer) Error() string { return string(a.code) + ": " + a.detail }

// Unwrap returns the cause.
func (a *answer) Unwrap() error { return a.err }

func wrongMethod(allowed []string) error {
	has := strings.Join(allowed, ", ")
	return &answer{status: http.StatusMethodNotAllowed, code: methodNotAllowed, detail: "this route answers " + has, header: http.Header{"Allow": {has}}}
}

func wrongMedia(detail string) error {
	return &answer{status: http.StatusUnsupportedMediaType, code: unsupportedMedia, detail: detail, header: http.Header{"Connection": {"close"}}}
}

func tooLarge(most int64) error {
	return &answer{status: http.StatusRequestEntityTooLarge, code: aaif.TooLarge, detail: "the body is larger than " + strconv.FormatInt(most, 10) + " bytes, which is what this platform takes"}
}

// problemOf returns the problem of an error. It hides the cause of a server fault.
func problemOf(err error) problem {
	if a, ok := errors.AsType[*answer](err); ok {
		return problem{status: a.status, code: a.code, message: a.detail, header: a.header}
	}
	if found := faultsOf(err); len(found) > 0 {
		code := aaif.CodeOf(found[0])
		return problem{status: statusOf(code), code: code, message: textOf(found[0]) + advice(err), faults: found}
	}
	if f, ok := errors.AsType[*aaif.Fault](err); ok {
		return problem{status: statusOf(f.Code), code: f.Code, message: f.Text}
	}
	return problemOfKind(err)
}

// members returns what every answer says of a problem.
func (p problem) members() []canon.Member {
	return []canon.Member{member("code", string(p.code)), member("message", p.message)}
}

// advice says how to keep a definition that could be kept.
func advice(err error) string {
	if _, ok := errors.AsType[*aaif.NotRunnableError](err); ok {
		return "; it can be kept all the same, for carrying it on, with keep=true"
	}
	return ""
}

// mostFaults is the most faults in an answer.
const mostFaults = 100

// faultsOf returns the faults of a document in order, without warnings.
func faultsOf(err error) []*codec.ParseError {
	if p, ok := err.(*codec.ParseError); ok {
		if _, ok := errors.AsType[*aaif.Fault](p.Err); p.Warning || !ok {
			return nil
		}
		return []*codec.ParseError{p}
	}
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		var found []*codec.ParseError
		for _, one := range e.Unwrap() {
			found = append(found, faultsOf(one)...)
		}
		return found[:min(len(found), mostFaults)]
	case interface{ Unwrap() error }:
		return faultsOf(e.Unwrap())
	}
	return nil
}

// textOf describes a fault without repeating the document.
func textOf(p *codec.ParseError) string {
	f, _ := errors.AsType[*aaif.Fault](p)
	return f.Text
}

// problemOfKind maps kinds of refusal to status and code.
func problemOfKind(err error) problem {
	said := ""
	if e, ok := errors.AsType[*memory.Error](err); ok {
		said = e.Message
	}
	refusal := func(status int, code aaif.Code, otherwise string) problem {
		return problem{status: status, code: code, message: cmp.Or(said, otherwise)}
	}
	switch memory.KindOf(err) {
	case memory.Unauthorized:
		return refusal(http.StatusUnauthorized, unauthorized, "credentials are missing, wrong or expired; use the owner's token")
	case memory.ForbiddenScope, memory.ConsentViolation:
		return refusal(http.StatusForbidden, forbidden, "these credentials do not allow that")
	case memory.NotFound:
		return refusal(http.StatusNotFound, notFound, "there is nothing here")
	case memory.RateLimited:
		return withWait(refusal(http.StatusTooManyRequests, rateLimited, "too many requests; wait as long as Retry-After says"), "1")
	case memory.Unsupported:
		return refusal(http.StatusNotImplemented, notOffered, "this is not offered here")
	case memory.InvalidRecord, memory.SignatureInvalid:
		return refusal(http.StatusUnprocessableEntity, refusedCode, "the request breaks a rule")
	}
	if memory.IsTemporary(err) {
		return withWait(refusal(http.StatusServiceUnavailable, unavailable, "this is temporarily unavailable; send it again in a little while"), "2")
	}
	return problem{status: http.StatusInternalServerError, code: internal, message: "something went wrong here; the log says what"}
}

// withWait adds the seconds until the next try.
func withWait(p problem, seconds string) problem {
	p.header = http.Header{"Retry-After": {seconds}}
	return p
}

// write answers with the problem: an object, or a handoff_error frame.
func (p problem) write(w http.ResponseWriter, frame bool) {
	media, members := jsonType, p.members()
	if frame {
		media, members = handoff.MediaType, append([]canon.Member{member("type", string(handoff.Error))}, members...)
	} else if len(p.faults) > 0 {
		list := make([]canon.Value, len(p.faults))
		for i, f := range p.faults {
			list[i] = canon.Object(member("code", string(aaif.CodeOf(f))), member("pointer", f.Path), member("rule", f.Rule), member("message", textOf(f)))
		}
		members = append(members, canon.Member{Name: "errors", Value: canon.Array(list...)})
	}
	body := canon.Object(members...).Append(nil)
	if frame {
		body = append(body, '\n')
	}
	for _, own := range []string{"ETag", "Vary"} {
		w.Header().Del(own)
	}
	httpkit.Refuse(w, p.status, media, body, p.header)
}

func member(name, text string) canon.Member {
	return canon.Member{Name: name, Value: canon.String(text)}
}
