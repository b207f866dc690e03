package ump

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Status returns the HTTP status of an error kind (decision UD-22). All bindings use
// this table. It has numbers because this package does not import net/http.
func Status(kind memory.ErrorKind) int {
	switch kind {
	case memory.Unauthorized:
		return 401
	case memory.ForbiddenScope, memory.ConsentViolation:
		return 403
	case memory.NotFound:
		return 404
	case memory.InvalidRecord, memory.SignatureInvalid, memory.Unsupported:
		return 400
	case memory.RateLimited:
		return 429
	}
	return 500
}

// StatusOf returns the HTTP status of an error: 503 for a temporary failure of the
// service, otherwise the status of its kind.
func StatusOf(err error) int {
	if memory.IsTemporary(err) {
		return 503
	}
	return Status(memory.KindOf(err))
}

// RetryAfter returns after how many seconds the caller may repeat a failed call
// unchanged, if the error itself does not say; 0: repeating does not help.
func RetryAfter(err error) int {
	switch {
	case memory.IsTemporary(err):
		return 2
	case memory.KindOf(err) == memory.RateLimited:
		return 1
	}
	return 0
}

// ErrorEnvelope returns the JSON with which every binding answers an error:
// {"error":{"code","message","details"?}} (section 3.7). The code is that of
// [memory.KindOf]. For an internal error it shows the service's own message only, and
// in details, as retry_after, the seconds until a retry may help.
func ErrorEnvelope(err error) []byte {
	m := members{
		{Name: "code", Value: canon.String(string(codeOf(err)))},
		{Name: "message", Value: canon.String(messageOf(err))},
	}
	if details := detailsOf(err); len(details) > 0 {
		m.value("details", canon.Object(details...))
	}
	return canon.Object(canon.Member{Name: "error", Value: canon.Object(m...)}).Append(nil)
}

// codeOf keeps the set of codes closed (UMP-3.7-1).
func codeOf(err error) memory.ErrorKind {
	kind := memory.KindOf(err)
	switch kind {
	case memory.Unauthorized, memory.ForbiddenScope, memory.NotFound, memory.InvalidRecord,
		memory.ConsentViolation, memory.SignatureInvalid, memory.Unsupported, memory.RateLimited:
		return kind
	}
	return memory.Internal
}

func messageOf(err error) string {
	if codeOf(err) == memory.Internal {
		return internalMessage(err)
	}
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		if e.Path == "" {
			return "the record or request " + e.Err.Error()
		}
		return e.Path + " " + e.Err.Error()
	}
	e, _ := errors.AsType[*memory.Error](err) // codeOf found one
	if e.Message != "" {
		return e.Message
	}
	return defaultMessage(e.Kind)
}

// internalMessage returns the service's own message about a failure, such as a full
// disk, and hides the cause.
func internalMessage(err error) string {
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Kind == memory.Internal && e.Message != "" {
		return e.Message
	}
	if memory.IsTemporary(err) {
		return "this is temporarily unavailable; send it again in a little while"
	}
	return "something went wrong here; the log says what"
}

// defaultMessage returns the message for an error that has none. It never shows the
// cause, which may repeat private text.
func defaultMessage(kind memory.ErrorKind) string {
	switch kind {
	case memory.Unauthorized:
		return "credentials are missing, wrong or expired; ask the owner for a token"
	case memory.ForbiddenScope:
		return "these credentials do not allow that"
	case memory.NotFound:
		return "there is no such record"
	case memory.ConsentViolation:
		return "the record's own consent forbids that"
	case memory.SignatureInvalid:
		return "hash or signature does not verify"
	case memory.Unsupported:
		return "that is not offered here; call capabilities to see what is"
	case memory.RateLimited:
		return "too many requests; wait and try again"
	}
	return "the input breaks a rule of the protocol"
}

func detailsOf(err error) members {
	var m members
	if codeOf(err) == memory.Internal {
		if memory.IsTemporary(err) {
			m.value("retry_after", canon.Int(int64(RetryAfter(err))))
		}
		return m
	}
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		m.text("path", e.Path)
		m.text("rule", e.Rule)
		return m
	}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		m.text("id", string(e.ID))
		m.text("path", e.Path)
		m.text("rule", e.Rule)
	}
	if e, ok := errors.AsType[*memory.SupersededError](err); ok && len(e.Current) > 0 {
		m.value("current", texts(e.Current))
	}
	return m
}
